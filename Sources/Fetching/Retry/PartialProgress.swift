/// The partial results of one fetch and its retries.
struct PartialProgress {
    /// The part that the next request resumes.
    private(set) var partialBody: PartialBody?
    private(set) var lastError: FetchError?
    /// Resumable or not.
    private var longest: FetchResponse?
    private var mayResume: Bool

    init(partialBody: PartialBody? = nil, resumes: Bool = true) {
        self.partialBody = partialBody
        longest = partialBody?.part
        mayResume = resumes
    }

    enum Verdict {
        /// The response, joined with the stored part.
        case response(FetchResponse)
        /// The stored part is useless; repeat the first request immediately.
        case startOver
        /// A temporary failure of the server.
        case failed
    }

    /// Throws `tooLarge` for the joined body, `unreachable` for an unrequested part.
    mutating func check(_ response: FetchResponse, to request: FetchRequest) throws(FetchError) -> Verdict {
        if let partialBody {
            switch partialBody.verdict(on: response) {
            case .another: break
            case .useless:
                self.partialBody = nil
                longest = nil
                // The server's ranges are unreliable.
                mayResume = false
                return .startOver
            case .whole(let whole):
                guard whole.bodyLength <= request.bodyLimit else {
                    throw FetchError.bodyTooLarge(request.address, limit: request.bodyLimit)
                }
                return .response(whole)
            }
        }
        if RetryPolicy.isTransient(status: response.status) { return .failed }
        guard response.status != 206 || request.headers["Range"] != nil else {
            throw FetchError(.unreachable, "\(request.address.shown): unrequested partial response (206)")
        }
        return .response(response)
    }

    mutating func record(_ error: FetchError, of request: FetchRequest) {
        lastError = error
        // A part that does not continue the stored one is useless.
        guard let part = error.partialResponse else { return }
        if let longer = partialBody?.extended(by: part) { return keep(longer) }
        guard part.status == 200 || request.headers["Range"] != nil else { return }
        guard mayResume, let newer = PartialBody(part) else {
            // The server has another body now; the two must not be mixed.
            partialBody = nil
            if part.bodyLength >= longest?.bodyLength ?? 0 { longest = part }
            return
        }
        // The longer part of the same body counts, else the newer one. Streamed bytes exist only in the newest.
        let isGathered = newer.part.streamedByteCount == 0
        if isGathered, let partialBody, newer.isSameRepresentation(as: partialBody), newer.end <= partialBody.end {
            return
        }
        keep(newer)
    }

    func withLongestPart(_ error: FetchError) -> FetchError {
        guard error.kind == .unreachable || error.kind == .timedOut else { return error }
        var error = error
        error.partialResponse = longest
        return error
    }

    private mutating func keep(_ part: PartialBody) {
        partialBody = part
        longest = part.part
    }
}

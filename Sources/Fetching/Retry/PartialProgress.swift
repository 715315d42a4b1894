/// What the tries of one fetch have brought so far.
struct PartialProgress {
    /// What the next try asks for the rest of.
    private(set) var held: PartialBody?
    /// The last error that broke a transfer off.
    private(set) var lastBreak: FetchError?
    /// The longest part of an answer, whether it can be gone on with or not.
    private var longest: FetchResponse?
    private var mayResume: Bool

    /// Nothing so far, or a part from an earlier fetch.
    init(held: PartialBody? = nil, resumes: Bool = true) {
        self.held = held
        longest = held?.part
        mayResume = resumes
    }

    /// What an answer means.
    enum Verdict {
        /// It is the answer, joined with what was held.
        case answer(FetchResponse)
        /// What was held is of no use: the first request is to be made at once.
        case startOver
        /// It says that the server cannot answer now.
        case passing
    }

    /// Judges the answer to a request for the rest of what is held, or for all.
    ///
    /// - Throws: `FetchError` of kind `tooLarge` when the parts together are, `unreachable` for a part that nobody
    ///   asked for.
    mutating func judge(_ response: FetchResponse, to request: FetchRequest) throws(FetchError) -> Verdict {
        if let held {
            switch held.verdict(on: response) {
            case .another: break
            case .useless:
                dropPart()
                // Once is enough: what this server says of ranges cannot be relied on.
                mayResume = false
                return .startOver
            case .whole(let whole):
                guard whole.bodyLength <= request.bodyLimit else {
                    throw FetchError(
                        .tooLarge,
                        "\(request.address.shown): the answer is larger than the limit of \(request.bodyLimit) bytes",
                        exceededLimit: .body)
                }
                return .answer(whole)
            }
        }
        if RetryPolicy.isTransient(status: response.status) { return .passing }
        guard response.status != 206 || request.headers["Range"] != nil else {
            throw FetchError(
                .unreachable, "\(request.address.shown): the server sends a part of the body that nobody asked for")
        }
        return .answer(response)
    }

    /// Keeps what an error brought along.
    mutating func take(_ error: FetchError, of request: FetchRequest) {
        lastBreak = error
        // The middle of a body that does not fit to what is held is nothing to anybody.
        guard let part = error.partialResponse else { return }
        if let longer = held?.extended(by: part) { return keep(longer) }
        guard part.status == 200 || request.headers["Range"] != nil else { return }
        guard mayResume, let newer = PartialBody(part) else {
            // The server has another body now: going on with the older one would mix what is told of the two.
            held = nil
            if part.bodyLength >= longest?.bodyLength ?? 0 { longest = part }
            return
        }
        // Of the same body the longer part is worth more; another body is the newer one. Of what is handed on the listener has
        // the newest alone.
        let isGathered = newer.part.streamedByteCount == 0
        if isGathered, let held, newer.isSameRepresentation(as: held), newer.end <= held.end { return }
        keep(newer)
    }

    /// The error with the longest part of all tries.
    func withLongestPart(_ error: FetchError) -> FetchError {
        guard error.kind == .unreachable || error.kind == .timedOut else { return error }
        var error = error
        error.partialResponse = longest
        return error
    }

    private mutating func keep(_ part: PartialBody) {
        held = part
        longest = part.part
    }

    private mutating func dropPart() {
        held = nil
        longest = nil
    }
}

internal import SpyglassCaching
internal import SpyglassFiles
internal import SpyglassThreads

/// An incomplete body that a range request completes (RFC 9110 sections 13.1.5, 14.2), with the same strong validator and address.
struct PartialBody: Sendable {
    /// A 200 or 206 with too short a body.
    let part: FetchResponse
    let total: Int?
    /// The offset in the whole body: 0, except in a 206.
    let start: Int
    /// `ETag` or `Last-Modified`.
    private let validator: HeaderFields.Field

    /// The minimum of `Date` minus `Last-Modified` for a strong validator (RFC 9110 section 8.8.2.2; a minute is from RFC 7232).
    private static let settledAfter = Duration.seconds(60)

    /// Fails if the transfer cannot be resumed; `total` replaces a length that the header fields have lost.
    init?(_ part: FetchResponse, total: Int? = nil) {
        guard part.bodyLength > 0, !part.headers.isContentEncoded,
            !part.headers.values(of: "Accept-Ranges").contains(where: { $0.lowercased() == "none" }),
            let validator = Self.strongValidator(in: part.headers)
        else { return nil }
        switch part.status {
        case 200:
            start = 0
            self.total = total ?? part.headers.contentLength
        case 206:
            guard let range = ContentRange(part.headers) else { return nil }
            start = range.first
            self.total = range.total
        default: return nil
        }
        // `first` of a hostile range may be `Int.max`.
        let (end, overflows) = start.addingReportingOverflow(part.bodyLength)
        guard !overflows, self.total.map({ end < $0 }) ?? true else { return nil }
        self.part = part
        self.validator = validator
    }

    private static func strongValidator(in headers: HeaderFields) -> HeaderFields.Field? {
        if let tag = headers["ETag"] {
            let isStrong = tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            return isStrong ? HeaderFields.Field(name: "ETag", value: tag) : nil
        }
        // Only the difference counts, not the century of a two-digit year.
        let anyTime = WallTime(milliseconds: 0)
        guard let text = headers["Last-Modified"], let modified = HTTPDate.parse(text, now: anyTime),
            let date = headers["Date"].flatMap({ HTTPDate.parse($0, now: anyTime) }),
            modified.duration(to: date) >= settledAfter
        else { return nil }
        return HeaderFields.Field(name: "Last-Modified", value: text)
    }

    var end: Int { start + part.bodyLength }

    func request(resuming request: FetchRequest) -> FetchRequest {
        var request = request
        request.headers = request.headers.removing(["Range", "If-Range", "Accept-Encoding"])
        request.headers.add(name: "Range", value: "bytes=\(end)-")
        request.headers.add(name: "If-Range", value: validator.value)
        // Otherwise a server may apply the range to an encoding.
        request.headers.add(name: "Accept-Encoding", value: "identity")
        return request
    }

    func isContinued(status: Int, headers: HeaderFields) -> Bool {
        guard status == 206, !headers.isContentEncoded, let range = ContentRange(headers), range.first == end,
            total == nil || range.total == nil || range.total == total
        else { return false }
        // A shorter range would need another request; starting over is simpler.
        guard let whole = range.total ?? total, range.last == whole - 1 else { return false }
        return headers[validator.name] == validator.value && (validator.name == "ETag" || headers["ETag"] == nil)
    }

    enum Verdict {
        case whole(FetchResponse)
        /// It does not fit; fetch from the start.
        case useless
        /// A complete response of its own: another body, or an error.
        case another
    }

    func verdict(on response: FetchResponse) -> Verdict {
        if response.status == 416 { return .useless }
        guard response.status == 206 else { return .another }
        guard continues(in: response), let range = ContentRange(response.headers), response.bodyLength == range.count
        else { return .useless }
        // Both parts and the whole exist together. Without room, Swift would end the process.
        let byteCount = part.body.count + response.body.count
        guard SystemMemory.hasRoom(for: byteCount) else { return .useless }
        return .whole(joined(with: response))
    }

    func extended(by next: FetchResponse) -> PartialBody? {
        guard continues(in: next) else { return nil }
        let total = ContentRange(next.headers)?.total ?? total
        return PartialBody(joined(with: next), total: total)
    }

    func isSameRepresentation(as other: PartialBody) -> Bool {
        validator == other.validator && start == other.start && part.address == other.part.address
    }

    private func continues(in response: FetchResponse) -> Bool {
        response.address == part.address && response.isFromPrivateNetwork == part.isFromPrivateNetwork
            && isContinued(status: response.status, headers: response.headers)
    }

    private func joined(with next: FetchResponse) -> FetchResponse {
        var whole = part
        whole.body += next.body
        whole.memory.shares += next.memory.shares
        whole.memory.end(isComplete: true)
        whole.streamedByteCount += next.streamedByteCount
        let total = ContentRange(next.headers)?.total ?? total
        whole.headers = part.headers.updated(by: next.headers)
            .removing(["Content-Length", "Content-Range", "Transfer-Encoding"])
        if let total {
            whole.headers.add(name: "Content-Length", value: "\(total - start)")
            if part.status == 206 {
                whole.headers.add(name: "Content-Range", value: "bytes \(start)-\(total - 1)/\(total)")
            }
        }
        whole.redirects = next.redirects
        return whole
    }
}

extension HeaderFields {
    func removing(_ names: [String]) -> HeaderFields {
        HeaderFields(fields.filter { field in !names.contains { field.isNamed($0) } })
    }

    /// Replaces fields by those of a newer response (RFC 9111 section 3.2), except fields that describe the stored body.
    func updated(by newer: HeaderFields) -> HeaderFields {
        let ofBody = [
            "Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Transfer-Encoding", "Connection",
        ]
        let taken = newer.removing(ofBody).fields
        return HeaderFields(fields.filter { field in !taken.contains { field.isNamed($0.name) } } + taken)
    }
}

/// The byte range of a response (`Content-Range: bytes 500-999/1000`, RFC 9110 section 14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int
    let last: Int
    let total: Int?

    var count: Int { last - first + 1 }

    /// `nil` without a field, with several, or if it is invalid.
    init?(_ headers: HeaderFields) {
        let values = headers.values(of: "Content-Range")
        guard values.count == 1, let words = values.first?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bytes"
        else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(\.decimal)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < .max else { return nil }
        self.first = first
        self.last = last
        total = parts[1].decimal
        guard total.map({ last < $0 }) ?? (parts[1] == "*") else { return nil }
    }
}

/// The partial results of one fetch and its retries.
struct PartialProgress {
    /// The part that the next request resumes.
    private(set) var partialBody: PartialBody?
    private(set) var lastError: FetchError?
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
        case failed(FetchResponse)
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
        if RetryPolicy.isTransient(status: response.status) { return .failed(response) }
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

/// Joins the events of several transfers of one body: `started` comes again only if earlier bytes are invalid.
final class PartialBodyRelay: Sendable {
    private struct State {
        var expected: PartialBody?
        var told = 0
        /// Whether the current response is reported.
        var passes = false
        var isRefused = false

        mutating func begin(_ status: Int, _ headers: HeaderFields) -> [FetchControl.BodyEvent] {
            passes = (200...299).contains(status)
            guard passes else { return [] }
            if let expected, status == 206 {
                passes = expected.isContinued(status: status, headers: headers)
                guard passes, told != expected.part.bodyLength else { return [] }
                // Streamed bytes are not stored, so they cannot be repeated.
                passes = expected.part.streamedByteCount == 0
                guard passes else { return [] }
                told = expected.part.body.count
                return [
                    .started(status: expected.part.status, headers: expected.part.headers), .bytes(expected.part.body),
                ]
            }
            told = 0
            return [.started(status: status, headers: headers)]
        }
    }

    private let state = Mutex(State())
    private let listener: @Sendable (FetchControl.BodyEvent) -> Bool

    /// Replaces the control of the request; `nil` if it has no listener.
    static func wrap(_ request: inout FetchRequest) -> PartialBodyRelay? {
        guard let outer = request.control, let listener = outer.onBody else { return nil }
        let relay = PartialBodyRelay(listener)
        request.control = FetchControl(inPlaceOf: outer) { relay.take($0) }
        return relay
    }

    private init(_ listener: @escaping @Sendable (FetchControl.BodyEvent) -> Bool) { self.listener = listener }

    func expect(_ part: PartialBody?) {
        state.withLock { state in
            state.expected = part
            state.passes = false
        }
    }

    private func take(_ event: FetchControl.BodyEvent) -> Bool {
        let events = state.withLock { state -> [FetchControl.BodyEvent] in
            guard !state.isRefused else { return [] }
            switch event {
            case .started(let status, let headers): return state.begin(status, headers)
            case .bytes(let bytes):
                guard state.passes else { return [] }
                state.told += bytes.count
                return [event]
            }
        }
        for event in events where !listener(event) {
            state.withLock { $0.isRefused = true }
            return false
        }
        return state.withLock { !$0.isRefused }
    }
}

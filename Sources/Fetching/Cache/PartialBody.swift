internal import SpyglassCaching
internal import SpyglassFiles

/// An incomplete body that a range request completes (RFC 9110 sections 13.1.5, 14.2), with the same strong validator and address.
struct PartialBody: Sendable {
    /// A 200 or 206 with too short a body.
    let part: FetchResponse
    let total: Int?
    /// The offset in the whole body: 0, except in a 206.
    let start: Int
    private let validator: Validator

    private enum Validator: Hashable {
        case entityTag(String)
        case lastModified(String)

        var text: String {
            switch self {
            case .entityTag(let text), .lastModified(let text): text
            }
        }
    }

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

    private static func strongValidator(in headers: HTTPHeaders) -> Validator? {
        if let tag = headers["ETag"] {
            let isStrong = tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            return isStrong ? .entityTag(tag) : nil
        }
        // Only the difference counts, not the century of a two-digit year.
        let anyTime = WallTime(milliseconds: 0)
        guard let text = headers["Last-Modified"], let modified = HTTPDate.parse(text, now: anyTime),
            let date = headers["Date"].flatMap({ HTTPDate.parse($0, now: anyTime) }),
            modified.duration(to: date) >= settledAfter
        else { return nil }
        return .lastModified(text)
    }

    var end: Int { start + part.bodyLength }

    func request(resuming request: FetchRequest) -> FetchRequest {
        var request = request
        request.headers = request.headers.removing(["Range", "If-Range", "Accept-Encoding"])
        request.headers.append("Range", "bytes=\(end)-")
        request.headers.append("If-Range", validator.text)
        // Otherwise a server may apply the range to an encoding.
        request.headers.append("Accept-Encoding", "identity")
        return request
    }

    func isContinued(status: Int, headers: HTTPHeaders) -> Bool {
        guard status == 206, !headers.isContentEncoded, let range = ContentRange(headers), range.first == end,
            total == nil || range.total == nil || range.total == total
        else { return false }
        // A shorter range would need another request; starting over is simpler.
        guard let whole = range.total ?? total, range.last == whole - 1 else { return false }
        switch validator {
        case .entityTag(let tag): return headers["ETag"] == tag
        case .lastModified(let date): return headers["Last-Modified"] == date && headers["ETag"] == nil
        }
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
            whole.headers.append("Content-Length", "\(total - start)")
            if part.status == 206 { whole.headers.append("Content-Range", "bytes \(start)-\(total - 1)/\(total)") }
        }
        whole.redirects = next.redirects
        return whole
    }
}

extension HTTPHeaders {
    func removing(_ names: [String]) -> HTTPHeaders {
        HTTPHeaders(fields.filter { field in !names.contains { field.isNamed($0) } })
    }

    /// Replaces fields by those of a newer response (RFC 9111 section 3.2), except fields that describe the stored body.
    func updated(by newer: HTTPHeaders) -> HTTPHeaders {
        let ofBody = [
            "Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Transfer-Encoding", "Connection",
        ]
        let taken = newer.removing(ofBody).fields
        return HTTPHeaders(fields.filter { field in !taken.contains { field.isNamed($0.name) } } + taken)
    }
}

/// The byte range of a response (`Content-Range: bytes 500-999/1000`, RFC 9110 section 14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int
    let last: Int
    let total: Int?

    var count: Int { last - first + 1 }

    /// `nil` without a field, with several, or if it is invalid.
    init?(_ headers: HTTPHeaders) {
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

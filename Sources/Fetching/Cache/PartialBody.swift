internal import SpyglassCaching

/// The beginning of a body whose transfer broke off, with what is needed to fetch only the rest (RFC 9110 sections
/// 13.1.5 and 14.2).
///
/// A part is only ever joined with bytes of the same representation: `If-Range` carries a strong validator, and the
/// answer has to repeat it, come from the same address, start where the part ends and go to the end of the body.
struct PartialBody: Sendable {
    /// What has come: a 200 with too short a body, or a 206 that was itself asked for and has too short a body.
    let part: FetchResponse
    /// The length of the whole body, if the server gave one.
    let total: Int?
    /// Where the part starts in the whole body: 0, except in a 206.
    let start: Int
    /// Sent as `If-Range`.
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

    /// How much later than `Last-Modified` an answer's `Date` must be, so that nothing else was written within the same
    /// second, whatever the clocks (RFC 9110 section 8.8.2.2 wants a second and "enough difference"; a minute is what
    /// RFC 7232 asked for).
    private static let settledAfter = Duration.seconds(60)

    /// Takes a part up; `nil` when it cannot be resumed.
    ///
    /// - Parameters:
    ///   - part: what came before the transfer broke off.
    ///   - total: the length of the whole body, where the part's headers have lost it.
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
        // `first` of a hostile range may be anything up to the largest number.
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
        // Only the distance of the two counts, not the century of a year with two digits.
        let anyTime = WallTime(milliseconds: 0)
        guard let text = headers["Last-Modified"], let modified = HTTPDate.parse(text, now: anyTime),
            let date = headers["Date"].flatMap({ HTTPDate.parse($0, now: anyTime) }),
            modified.duration(to: date) >= settledAfter
        else { return nil }
        return .lastModified(text)
    }

    /// Where the rest starts in the whole body.
    var end: Int { start + part.bodyLength }

    /// The same request for the rest alone.
    func request(resuming request: FetchRequest) -> FetchRequest {
        var request = request
        request.headers = request.headers.removing(["Range", "If-Range", "Accept-Encoding"])
        request.headers.append("Range", "bytes=\(end)-")
        request.headers.append("If-Range", validator.text)
        // Else a server may count its range in bytes of an encoding.
        request.headers.append("Accept-Encoding", "identity")
        return request
    }

    /// Whether what follows this head is the rest, or more of it.
    func isContinued(status: Int, headers: HTTPHeaders) -> Bool {
        guard status == 206, !headers.isContentEncoded, let range = ContentRange(headers), range.first == end,
            total == nil || range.total == nil || range.total == total
        else { return false }
        // A range that ends before the end would have to be followed by another: beginning anew is simpler, and that rare.
        guard let whole = range.total ?? total, range.last == whole - 1 else { return false }
        switch validator {
        case .entityTag(let tag): return headers["ETag"] == tag
        case .lastModified(let date): return headers["Last-Modified"] == date && headers["ETag"] == nil
        }
    }

    /// What an answer to `request(resuming:)` is to this part.
    enum Verdict {
        /// The rest: this is the whole answer.
        case whole(FetchResponse)
        /// Nothing that fits: ask anew from the beginning.
        case useless
        /// An answer that stands for itself: a 200 with another body, or an error.
        case another
    }

    /// Judges the answer to a request for the rest.
    func verdict(on response: FetchResponse) -> Verdict {
        if response.status == 416 { return .useless }
        guard response.status == 206 else { return .another }
        guard continues(in: response), let range = ContentRange(response.headers), response.bodyLength == range.count
        else { return .useless }
        return .whole(joined(with: response))
    }

    /// This part with more of the body; `nil` when the other part is not the next one.
    func extended(by next: FetchResponse) -> PartialBody? {
        guard continues(in: next) else { return nil }
        let total = ContentRange(next.headers)?.total ?? total
        return PartialBody(joined(with: next), total: total)
    }

    /// Whether another part begins the same representation, so that the longer of the two is worth more.
    func isSameRepresentation(as other: PartialBody) -> Bool {
        validator == other.validator && start == other.start && part.address == other.part.address
    }

    private func continues(in response: FetchResponse) -> Bool {
        response.address == part.address && isContinued(status: response.status, headers: response.headers)
    }

    private func joined(with next: FetchResponse) -> FetchResponse {
        var whole = part
        whole.body += next.body
        whole.streamedByteCount += next.streamedByteCount
        let total = ContentRange(next.headers)?.total ?? total
        whole.headers = part.headers.updated(by: next.headers)
            .removing(["Content-Length", "Content-Range", "Transfer-Encoding"])
        if let total {
            whole.headers.append("Content-Length", "\(total - start)")
            if part.status == 206 { whole.headers.append("Content-Range", "bytes \(start)-\(total - 1)/\(total)") }
        }
        whole.redirects = next.redirects
        whole.isFromPrivateNetwork = part.isFromPrivateNetwork || next.isFromPrivateNetwork
        return whole
    }
}

extension HTTPHeaders {
    /// These fields without some.
    func removing(_ names: [String]) -> HTTPHeaders {
        HTTPHeaders(fields.filter { field in !names.contains { field.isNamed($0) } })
    }

    /// These fields with those of a newer answer to the same question in their place (RFC 9111 section 3.2).
    ///
    /// What describes the stored body, and not the newer answer's, stays.
    func updated(by newer: HTTPHeaders) -> HTTPHeaders {
        let ofBody = [
            "Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Transfer-Encoding", "Connection",
        ]
        let taken = newer.removing(ofBody).fields
        return HTTPHeaders(fields.filter { field in !taken.contains { field.isNamed($0.name) } } + taken)
    }
}

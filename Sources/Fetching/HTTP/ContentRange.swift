/// The byte range of a response (`Content-Range: bytes 500-999/1000`, RFC 9110 section 14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int
    let last: Int
    /// The length of the whole body, if known.
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

/// The raw parts of an address or a relative reference (RFC 3986 appendix B), without the fragment.
struct AddressReference {
    private(set) var scheme: String?
    private(set) var authority: ArraySlice<UInt8>?
    private(set) var path: ArraySlice<UInt8>
    private(set) var query: ArraySlice<UInt8>?

    init(_ bytes: [UInt8]) {
        var rest = bytes.prefix { $0 != UInt8(ascii: "#") }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
            rest = rest[(colon + 1)...]
        }
        let slash = UInt8(ascii: "/")
        if rest.first == slash, rest.dropFirst().first == slash {
            let afterSlashes = rest.dropFirst(2)
            let authority = afterSlashes.prefix { $0 != slash && $0 != UInt8(ascii: "?") }
            self.authority = authority
            rest = rest[authority.endIndex...]
        }
        path = rest.prefix { $0 != UInt8(ascii: "?") }
        if path.endIndex < rest.endIndex { query = rest[(path.endIndex + 1)...] }
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, PercentEncoding.isAlphanumeric(first), first > UInt8(ascii: "9") else {
            return false
        }
        return bytes.allSatisfy { PercentEncoding.isAlphanumeric($0) || "+-.".utf8.contains($0) }
    }

    /// RFC 3986 section 5.2.4.
    static func removingDotSegments(_ path: some Collection<UInt8>) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var kept: [ArraySlice<UInt8>] = []
        let segments = Array(path).split(separator: slash, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch String(decoding: segment, as: UTF8.self) {
            case ".": if isLast { kept.append([]) }
            case "..":
                // The first element is before the first slash and stays.
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append([]) }
            default: kept.append(segment)
            }
        }
        return Array(kept.joined(separator: [slash]))
    }
}

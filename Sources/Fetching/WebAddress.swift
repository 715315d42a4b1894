/// An `http` or `https` address, percent-encoded once and ready to be sent.
///
///     WebAddress("http://images-assets.nasa.gov/image/As 11/As 11~thumb.jpg")?.description
///     // http://images-assets.nasa.gov/image/As%2011/As%2011~thumb.jpg
///
/// Other schemes, user names, an empty host and control characters are refused. The fragment is dropped, since it is
/// never sent (RFC 3986 section 3.5).
public struct WebAddress: Hashable, Sendable {
    /// `http` or `https`, lower case.
    public let scheme: String
    /// The host, lower case, as it stands in the address.
    public let host: String
    /// The port, when the address names one that is not the scheme's own.
    public let port: Int?
    /// The path, from its first slash, percent-encoded.
    public let path: String
    /// What stands behind the question mark, percent-encoded; `nil` without a question mark.
    public let query: String?

    /// Reads an address, encoding what was left raw: spaces, letters beyond ASCII, and whatever RFC 3986 does not allow.
    /// A percent sign that starts a valid escape stays as it is, so nothing is encoded twice.
    public init?(_ text: String) {
        guard text.utf8.count <= 8192, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return nil }
        guard let colon = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        var rest = text[colon.upperBound...]
        if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end].lowercased()
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var port: Int?
        if parts.count == 2 {
            guard let number = Int(parts[1]), (1...65535).contains(number) else { return nil }
            port = number == (scheme == "http" ? 80 : 443) ? nil : number
        }
        let target = rest[end...]
        let mark = target.firstIndex(of: "?")
        let path = Self.encoded(target[..<(mark ?? target.endIndex)])
        self.scheme = scheme
        self.host = String(parts[0])
        self.port = port
        self.path = path.isEmpty ? "/" : path
        self.query = mark.map { Self.encoded(target[target.index(after: $0)...]) }
    }

    private static func encoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte > 0x20, byte < 0x7f, !#""<>\^`{|}"#.utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += "%".utf8
                bytes += String(byte >> 4, radix: 16, uppercase: true).utf8
                bytes += String(byte & 15, radix: 16, uppercase: true).utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension WebAddress: CustomStringConvertible {
    /// The whole address, as it is sent.
    public var description: String {
        "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path)\(query.map { "?\($0)" } ?? "")"
    }
}

/// Parses the header lines of a response (RFC 9112) without trusting them; drops interim responses, trailers and invalid lines.
struct HeaderParser {
    /// The maximum of all header lines, with interim responses: eight times what large servers accept.
    static let byteLimit = 64 << 10

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    /// `nil` if the last status line is invalid.
    private(set) var status: Int?
    /// As libcurl writes it: `HTTP/2 200`.
    private(set) var isHTTP2 = false
    private(set) var headers = HTTPHeaders()
    /// Whether the empty line after the fields arrived.
    private(set) var isComplete = false
    private var byteCount = 0
    /// The codings that libcurl removes from the body, also those of interim responses.
    private(set) var codingCount = 0

    var isFinal: Bool { isComplete && (status ?? 0) >= 200 }

    /// Parses one line; returns `false` above `byteLimit`.
    mutating func read(line bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        byteCount += bytes.count
        guard byteCount <= Self.byteLimit else { return false }
        let line = Bytes(rebasing: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        if line.starts(with: "HTTP/".utf8), !isFinal, status == nil || isComplete {
            self = HeaderParser(status: Self.status(in: line), byteCount: byteCount, codingCount: codingCount)
            isHTTP2 = line.starts(with: "HTTP/2 ".utf8)
        } else if isComplete {
            return true
        } else if line.isEmpty {
            isComplete = true
        } else if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            headers.extendLast(with: Self.text(line))
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = Bytes(rebasing: line[..<colon])
            guard HTTPHeaders.Field.isName(name) else { return true }
            let value = Self.text(Bytes(rebasing: line[(colon + 1)...]))
            headers.append(String(decoding: name, as: UTF8.self), value)
            guard let last = headers.fields.last,
                last.isNamed("Content-Encoding") || last.isNamed("Transfer-Encoding")
            else { return true }
            codingCount += value.lowercased().split { ", ".contains($0) }
                .count { $0 != "identity" && $0 != "chunked" }
        }
        return true
    }

    /// Enough for most responses.
    private static let defaultFieldCount = 16

    init() {}

    private init(status: Int?, byteCount: Int, codingCount: Int) {
        self.status = status
        self.byteCount = byteCount
        self.codingCount = codingCount
        headers.reserveCapacity(Self.defaultFieldCount)
    }

    private static func status(in line: Bytes) -> Int? {
        let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, let status = Int(String(decoding: digits, as: UTF8.self)),
            (100...599).contains(status)
        else { return nil }
        return status
    }

    private static func text(_ bytes: Bytes) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7f }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        let text = Bytes(rebasing: bytes[first...last])
        // Most values are clean and decoded in place.
        guard text.contains(where: { isBlank($0) && $0 != 0x20 }) else { return String(decoding: text, as: UTF8.self) }
        return String(decoding: text.map { isBlank($0) ? 0x20 : $0 }, as: UTF8.self)
    }
}

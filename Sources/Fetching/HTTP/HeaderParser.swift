/// Parses the header lines of a response (RFC 9112) without trusting them; drops interim responses, trailers and invalid lines.
struct HeaderParser {
    /// The maximum of all header lines, with interim responses: eight times what large servers accept.
    static let byteLimit = 64 << 10

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    /// `nil` if the last status line is invalid.
    private(set) var status: Int?
    /// As libcurl writes it: `HTTP/2 200`.
    private(set) var isHTTP2 = false
    var headers: HTTPHeaders { HTTPHeaders(fields) }
    private var fields: [HTTPHeaders.Field] = []
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
        let line = bytes.prefix(before: UInt8(ascii: "\r")).prefix(before: UInt8(ascii: "\n"))
        if line.starts(with: "HTTP/"), !isFinal, status == nil || isComplete {
            self = HeaderParser(status: Self.status(in: line), byteCount: byteCount, codingCount: codingCount)
            isHTTP2 = line.starts(with: "HTTP/2 ")
        } else if isComplete {
            return true
        } else if line.isEmpty {
            isComplete = true
        } else if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            // A folded line (RFC 9112 section 5.2).
            guard let last = fields.popLast() else { return true }
            let values = [last.value, Self.text(line)].filter { !$0.isEmpty }
            fields.append(HTTPHeaders.Field(name: last.name, value: values.joined(separator: " ")))
        } else if let colon = line.offset(of: UInt8(ascii: ":")) {
            let name = Bytes(rebasing: line[..<colon])
            guard HTTPHeaders.Field.isName(name) else { return true }
            let field = HTTPHeaders.Field(
                name: String(decoding: name, as: UTF8.self), value: Self.text(Bytes(rebasing: line[(colon + 1)...])))
            fields.append(field)
            guard field.isNamed("Content-Encoding") || field.isNamed("Transfer-Encoding") else { return true }
            codingCount += field.value.lowercased().split { ", ".contains($0) }
                .count { $0 != "identity" && $0 != "chunked" }
        }
        return true
    }

    init() {}

    private init(status: Int?, byteCount: Int, codingCount: Int) {
        self.status = status
        self.byteCount = byteCount
        self.codingCount = codingCount
    }

    /// Decodes a value without surrounding white space; control characters become spaces.
    private static func text(_ bytes: Bytes) -> String {
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        let text = Bytes(rebasing: bytes[first...last])
        // Most values are clean and decoded in place.
        guard text.contains(where: { isBlank($0) && $0 != space }) else { return String(decoding: text, as: UTF8.self) }
        return String(decoding: text.map { isBlank($0) ? space : $0 }, as: UTF8.self)
    }

    private static let space = UInt8(ascii: " ")

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7f }

    private static func status(in line: Bytes) -> Int? {
        let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, let status = Int(String(decoding: digits, as: UTF8.self)),
            (100...599).contains(status)
        else { return nil }
        return status
    }
}

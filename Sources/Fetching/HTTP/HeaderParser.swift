/// Parses the header lines of a response (RFC 9112) without trusting them; drops interim responses, trailers and invalid lines.
struct HeaderParser {
    /// The maximum of all header lines, with interim responses: eight times what large servers accept.
    static let byteLimit = 64 << 10

    private typealias Bytes = HTTPHeaders.Bytes

    /// `nil` if the last status line is invalid.
    private(set) var status: Int?
    /// As libcurl writes it: `HTTP/2 200`.
    private(set) var isHTTP2 = false
    var headers: HTTPHeaders { HTTPHeaders(lines: lines) }
    private var lines: [UInt8] = []
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
            extendLast(with: line)
        } else if let colon = line.offset(of: UInt8(ascii: ":")) {
            let name = Bytes(rebasing: line[..<colon])
            guard HTTPHeaders.Field.isName(name) else { return true }
            append(line)
            guard name.isNamed("Content-Encoding") || name.isNamed("Transfer-Encoding") else { return true }
            let value = HTTPHeaders.text(Bytes(rebasing: line[(colon + 1)...]))
            codingCount += value.lowercased().split { ", ".contains($0) }
                .count { $0 != "identity" && $0 != "chunked" }
        }
        return true
    }

    /// Enough for the lines of most responses.
    private static let defaultCapacity = 384

    init() {}

    private init(status: Int?, byteCount: Int, codingCount: Int) {
        self.status = status
        self.byteCount = byteCount
        self.codingCount = codingCount
        lines.reserveCapacity(Self.defaultCapacity)
    }

    private mutating func append(_ line: Bytes) {
        lines.append(contentsOf: line)
        lines.append(HTTPHeaders.lineEnd)
    }

    /// For a folded line (RFC 9112 section 5.2).
    private mutating func extendLast(with line: Bytes) {
        guard !lines.isEmpty else { return }
        while let last = lines.last, HTTPHeaders.isBlank(last) { lines.removeLast() }
        lines.append(UInt8(ascii: " "))
        append(HTTPHeaders.trimmed(line))
    }

    private static func status(in line: Bytes) -> Int? {
        let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, let status = Int(String(decoding: digits, as: UTF8.self)),
            (100...599).contains(status)
        else { return nil }
        return status
    }
}

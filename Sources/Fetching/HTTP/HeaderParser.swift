/// Reads the header lines of one answer as they arrive (RFC 9112), trusting none of them.
///
/// An interim answer (1xx) is forgotten when the next status line comes; trailers are ignored. Lines that are no field are
/// left out; control characters in a value become spaces.
struct HeaderParser {
    /// All header lines of one answer together, interim ones included: what large servers accept themselves, eight times over.
    static let byteLimit = 64 << 10

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    /// The status of the last status line; `nil` when there was none that makes sense.
    private(set) var status: Int?
    /// Whether the last status line is one of HTTP/2, as libcurl spells it: `HTTP/2 200`.
    private(set) var isHTTP2 = false
    private(set) var headers = HTTPHeaders()
    /// Whether the empty line behind the fields has come.
    private(set) var isComplete = false
    private var byteCount = 0

    /// Whether a final answer's head is here: what follows is its body.
    var isFinal: Bool { isComplete && (status ?? 0) >= 200 }

    /// Takes one line with its line end; `false` when all lines together are too many bytes.
    mutating func read(line bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        byteCount += bytes.count
        guard byteCount <= Self.byteLimit else { return false }
        let line = Bytes(rebasing: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        if line.starts(with: "HTTP/".utf8), !isFinal, status == nil || isComplete {
            self = HeaderParser(status: Self.status(in: line), byteCount: byteCount)
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
            headers.append(String(decoding: name, as: UTF8.self), Self.text(Bytes(rebasing: line[(colon + 1)...])))
        }
        return true
    }

    /// What most answers have room in.
    private static let defaultFieldCount = 16

    /// A parser before its first line.
    init() {}

    private init(status: Int?, byteCount: Int) {
        self.status = status
        self.byteCount = byteCount
        headers.reserveCapacity(Self.defaultFieldCount)
    }

    /// The three digits behind the first space.
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
        // Nearly every value is clean and is decoded where it stands.
        guard text.contains(where: { isBlank($0) && $0 != 0x20 }) else { return String(decoding: text, as: UTF8.self) }
        return String(decoding: text.map { isBlank($0) ? 0x20 : $0 }, as: UTF8.self)
    }
}

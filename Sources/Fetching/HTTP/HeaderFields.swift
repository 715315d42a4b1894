/// Header fields in order; names are case-insensitive (RFC 9110 section 5.1).
public struct HeaderFields: Hashable, Sendable {
    /// A header field.
    public struct Field: Hashable, Sendable {
        /// The name as written.
        public let name: String
        /// The value without surrounding white space.
        public let value: String

        /// A field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order; names may repeat.
    public private(set) var fields: [Field]

    /// No fields.
    public init() { fields = [] }

    /// Fields in this order.
    public init(_ fields: [Field]) { self.fields = fields }

    /// Adds a field after the others.
    public mutating func add(name: String, value: String) { fields.append(Field(name: name, value: value)) }

    /// The last value of a field; setting it replaces all fields of this name, and `nil` removes them.
    public subscript(name: String) -> String? {
        get { values(of: name).last }
        set {
            let place = fields.firstIndex { $0.isNamed(name) } ?? fields.endIndex
            fields.removeAll { $0.isNamed(name) }
            if let newValue { fields.insert(Field(name: name, value: newValue), at: place) }
        }
    }

    /// All values of a field, in order.
    public func values(of name: String) -> [String] { fields.filter { $0.isNamed(name) }.map(\.value) }

    var byteCount: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    /// The length before content decoding: one valid number, or the same one repeated.
    var contentLength: Int? {
        let lengths = values(of: "Content-Length")
        return lengths.allSatisfy { $0 == lengths[0] } ? lengths.first?.decimal : nil
    }

    /// The length of the body, unless it is encoded.
    package var decodedLength: Int? { isContentEncoded ? nil : contentLength }

    var isContentEncoded: Bool {
        values(of: "Content-Encoding").contains { !$0.isEmpty && $0.lowercased() != "identity" }
    }
}

extension HeaderFields.Field {
    func isNamed(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count && name.lowercased() == other.lowercased()
    }

    /// Letters, digits and ``!#$%&'*+-.^_`|~`` (RFC 9110 section 5.6.2).
    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy {
                switch $0 {
                case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x30...0x39, 0x41...0x5a, 0x5e...0x7a, 0x7c, 0x7e: true
                default: false
                }
            }
    }
}

/// Parses the header lines of a response (RFC 9112) without trusting them; drops interim responses, trailers and invalid lines.
struct HeaderParser {
    /// The maximum of all header lines, with interim responses: eight times what large servers accept.
    static let byteLimit = 64 << 10

    /// `nil` if the last status line is invalid.
    private(set) var status: Int?
    /// As libcurl writes it: `HTTP/2 200`.
    private(set) var isHTTP2 = false
    var headers: HeaderFields { HeaderFields(fields) }
    private var fields: [HeaderFields.Field] = []
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
        let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if line.starts(with: "HTTP/".utf8), !isFinal, status == nil || isComplete {
            (status, fields, isComplete) = (Self.status(in: line), [], false)
            isHTTP2 = line.starts(with: "HTTP/2 ".utf8)
        } else if isComplete {
            return true
        } else if line.isEmpty {
            isComplete = true
        } else if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            // A folded line (RFC 9112 section 5.2).
            guard let last = fields.popLast() else { return true }
            let values = [last.value, Self.text(line[...])].filter { !$0.isEmpty }
            fields.append(HeaderFields.Field(name: last.name, value: values.joined(separator: " ")))
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = line[..<colon]
            guard HeaderFields.Field.isName(name) else { return true }
            let value = Self.text(line[(colon + 1)...])
            let field = HeaderFields.Field(name: String(decoding: name, as: UTF8.self), value: value)
            fields.append(field)
            guard field.isNamed("Content-Encoding") || field.isNamed("Transfer-Encoding") else { return true }
            codingCount += field.value.lowercased().split { ", ".contains($0) }
                .count { $0 != "identity" && $0 != "chunked" }
        }
        return true
    }

    /// Decodes a value without surrounding white space; control characters become spaces.
    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let isBlank = { (byte: UInt8) in byte <= 0x20 || byte == 0x7f }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self).withoutControls
    }

    private static func status(in line: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, let status = Int(String(decoding: digits, as: UTF8.self)),
            (100...599).contains(status)
        else { return nil }
        return status
    }
}

extension Substring {
    /// Without blanks at both ends (OWS, RFC 9110 section 5.6.3).
    package var trimmingBlanks: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}

/// Header fields in order; names are case-insensitive (RFC 9110 section 5.1).
public struct HTTPHeaders: Hashable, Sendable {
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

    private enum Storage {
        case fields([Field])
        /// Lines of a response, parsed on access: most fields are never used.
        case lines([UInt8])
    }

    private var storage: Storage

    /// No fields.
    public init() { storage = .fields([]) }

    /// Fields in this order.
    public init(_ fields: [Field]) { storage = .fields(fields) }

    /// The fields of `name: value` lines with valid names, each with its `lineEnd`.
    init(lines: [UInt8]) { storage = .lines(lines) }

    /// All fields, in order; names may repeat.
    public var fields: [Field] {
        switch storage {
        case .fields(let fields): return fields
        case .lines(let lines):
            var fields: [Field] = []
            Self.forEach(of: lines) {
                fields.append(Field(name: String(decoding: $0, as: UTF8.self), value: Self.text($1)))
            }
            return fields
        }
    }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) {
        var fields = fields
        storage = .fields([])
        fields.append(Field(name: name, value: value))
        storage = .fields(fields)
    }

    /// The last value of a field.
    public subscript(name: String) -> String? { values(of: name).last }

    /// All values of a field, in order.
    public func values(of name: String) -> [String] {
        var values: [String] = []
        switch storage {
        case .fields(let fields):
            // By index: an iterator would copy each field.
            for index in fields.indices where fields[index].isNamed(name) { values.append(fields[index].value) }
        case .lines(let lines): Self.forEach(of: lines) { if $0.isNamed(name) { values.append(Self.text($1)) } }
        }
        return values
    }

    var byteCount: Int {
        switch storage {
        case .fields(let fields): fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        case .lines(let lines): lines.count
        }
    }

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

    /// Compares fields.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        if case (.lines(let left), .lines(let right)) = (left.storage, right.storage), left == right { return true }
        return left.fields == right.fields
    }

    /// Hashes fields.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

// MARK: - Lines of a response

extension HTTPHeaders {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    static let lineEnd = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    private static func forEach(of lines: [UInt8], _ body: (_ name: Bytes, _ value: Bytes) -> Void) {
        lines.withUnsafeBufferPointer { lines in
            var rest = lines
            while let colon = rest.offset(of: UInt8(ascii: ":")), let end = rest.offset(of: lineEnd) {
                body(Bytes(rebasing: rest[..<colon]), Bytes(rebasing: rest[(colon + 1)..<end]))
                rest = Bytes(rebasing: rest[(end + 1)...])
            }
        }
    }

    /// Without surrounding white space; control characters become spaces.
    static func text(_ bytes: Bytes) -> String {
        let text = trimmed(bytes)
        // Most values are clean and decoded in place.
        guard text.contains(where: { isBlank($0) && $0 != space }) else { return String(decoding: text, as: UTF8.self) }
        return String(decoding: text.map { isBlank($0) ? space : $0 }, as: UTF8.self)
    }

    static func trimmed(_ bytes: Bytes) -> Bytes {
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return Bytes(start: nil, count: 0) }
        return Bytes(rebasing: bytes[first...last])
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7f }
}

extension HTTPHeaders.Field {
    func isNamed(_ other: String) -> Bool { name.utf8.isNamed(other) }

    var hasValidName: Bool { Self.isName(name.utf8) }

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

extension Collection<UInt8> {
    /// Whether it is the name of a field, in any case.
    func isNamed(_ name: String) -> Bool {
        func lowercased(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        return count == name.utf8.count && elementsEqual(name.utf8) { lowercased($0) == lowercased($1) }
    }
}

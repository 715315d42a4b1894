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

    /// All fields, in order; names may repeat.
    public private(set) var fields: [Field]

    /// No fields.
    public init() { fields = [] }

    /// Fields in this order.
    public init(_ fields: [Field]) { self.fields = fields }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// The last value of a field.
    public subscript(name: String) -> String? { values(of: name).last }

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

extension HTTPHeaders.Field {
    /// Compares names in any case.
    func isNamed(_ other: String) -> Bool {
        func lowercased(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        return name.utf8.count == other.utf8.count
            && name.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }

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

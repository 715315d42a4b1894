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
    public private(set) var fields: [Field] = []

    /// No fields.
    public init() {}

    /// Fields in this order.
    public init(_ fields: [Field]) { self.fields = fields }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

    /// The last value of a field.
    public subscript(name: String) -> String? {
        // By index: an iterator would copy each field.
        fields.indices.last { fields[$0].isNamed(name) }.map { fields[$0].value }
    }

    /// All values of a field, in order.
    public func values(of name: String) -> [String] { fields.filter { $0.isNamed(name) }.map(\.value) }

    /// For a folded line (RFC 9112 section 5.2).
    mutating func extendLast(with text: String) {
        guard !text.isEmpty, let last = fields.popLast() else { return }
        append(last.name, last.value.isEmpty ? text : "\(last.value) \(text)")
    }

    var byteCount: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    /// The length before content decoding: one valid number, or the same one repeated.
    var contentLength: Int? {
        var length: String?
        for index in fields.indices where fields[index].isNamed("Content-Length") {
            guard length == nil || length == fields[index].value else { return nil }
            length = fields[index].value
        }
        return length?.decimal
    }

    /// The length of the body, unless it is encoded.
    package var decodedLength: Int? { isContentEncoded ? nil : contentLength }

    var isContentEncoded: Bool {
        fields.indices.contains {
            fields[$0].isNamed("Content-Encoding") && !fields[$0].value.isEmpty
                && fields[$0].value.lowercased() != "identity"
        }
    }
}

extension HTTPHeaders.Field {
    func isNamed(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count
            && name.utf8.elementsEqual(other.utf8) { Self.lowercased($0) == Self.lowercased($1) }
    }

    var hasValidName: Bool { Self.isName(name.utf8) }

    /// RFC 9110 section 5.6.2.
    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { isInNames[Int($0)] }
    }

    private static let isInNames = (UInt8.min...UInt8.max).map { byte in
        PercentEncoding.isAlphanumeric(byte) || "-!#$%&'*+.^_`|~".utf8.contains(byte)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

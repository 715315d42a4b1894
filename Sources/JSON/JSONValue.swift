/// A JSON value (RFC 8259), read leniently: one unexpected type does not invalidate the document.
///
///     let answer = try JSONValue(parsing: response.body)
///     let title = answer["collection"]?["items"]?[0]?["title"]?.text
///
/// Photo services change the type of a field from item to item: a string is a number, an array or `null` elsewhere. So values
/// convert themselves on access, instead of being decoded into one expected type. Equal values have equal bytes: names of
/// files that are canonically equal are two.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as written, without loss or overflow.
    case number(String)
    /// A string, unescaped.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, its members in the order of the text.
    case object([Member])

    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: JSONValue

        package init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    /// Whether both are the same, with strings compared by their bytes.
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)), (.string(let one), .string(let other)):
            one.utf8.elementsEqual(other.utf8)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)):
            one.elementsEqual(other) { $0.name.utf8.elementsEqual($1.name.utf8) && $0.value == $1.value }
        default: false
        }
    }

    /// The member of an object: the last one of that name, as in most readers.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// Returns the object with members replaced in place or appended; `nil` removes one.
    ///
    /// Any other value counts as an empty object.
    package func setting(_ changes: [(name: String, value: JSONValue?)]) -> JSONValue {
        var members: [Member] = if case .object(let members) = self { members } else { [] }
        for (name, value) in changes {
            guard let value else {
                members.removeAll { $0.name == name }
                continue
            }
            let index = members.lastIndex { $0.name == name } ?? members.endIndex
            members.replaceSubrange(index..<min(index + 1, members.endIndex), with: [Member(name: name, value: value)])
        }
        return .object(members)
    }

    /// The element of an array; `nil` if the index is out of range.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The elements of an array; a single value counts as an array of one, and `null` as an empty one.
    public var elements: [JSONValue] {
        switch self {
        case .array(let elements): elements
        case .null: []
        default: [self]
        }
    }

    /// A string or a number as text, or the first such element of an array; else `nil`.
    public var text: String? {
        if case .array(let elements) = self { elements.lazy.compactMap(\.scalarText).first } else { scalarText }
    }

    /// A number, or a string with one, truncated to an integer; `nil` if it does not fit.
    public var integer: Int? {
        // Longer numbers do not fit, and `Double` should not parse a megabyte of digits.
        guard let digits = scalarText, digits.utf8.count <= 40 else { return nil }
        if let whole = Int(digits) { return whole }
        guard let number = Double(digits) else { return nil }
        return Int(exactly: number.rounded(.towardZero))
    }

    private var scalarText: String? {
        switch self {
        case .string(let text): text
        case .number(let digits): digits
        default: nil
        }
    }
}

/// A value of a JSON text (RFC 8259), read so that one odd field never costs the whole answer.
///
///     let answer = try JSONValue(parsing: response.body)
///     let title = answer["collection"]?["items"]?[0]?["title"]?.text
///
/// Photo services change a field's type from item to item: a string here is a number, an array or `null` there. Hence
/// values are asked what they can be used as, instead of being decoded into one expected type.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// The number as it was written: no digit is lost, and none can overflow before somebody asks for an integer.
    case number(String)
    /// A string, unescaped.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, its members in the order they stood.
    case object([Member])

    /// One name of an object with its value.
    public struct Member: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: JSONValue
    }

    /// The member of an object; where a name stands twice, the last one, as in most other readers.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The element of an array, if there is one at this place.
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

    /// A string or a number as text; of an array the first element that is either; else `nil`.
    public var text: String? {
        switch self {
        case .string(let text): text
        case .number(let digits): digits
        case .array(let elements): elements.lazy.compactMap(\.scalarText).first
        case .null, .bool, .object: nil
        }
    }

    /// A number, or a string that holds one, as an integer; fractions are cut off, and what does not fit is `nil`.
    public var integer: Int? {
        let digits: String
        switch self {
        case .number(let written): digits = written
        case .string(let written): digits = written
        default: return nil
        }
        // Longer numbers fit in no Int, and `Double` need not look at a megabyte of digits.
        guard digits.utf8.count <= 40 else { return nil }
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

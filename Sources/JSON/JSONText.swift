/// Writes JSON (RFC 8259) with members in the given order, safe to print.
///
///     JSONText.object([("id", JSONText.string("PIA1")), ("width", JSONText.number(640)), ("rel", JSONText.string(nil))])
///     // {"id":"PIA1","width":640,"rel":null}
///
/// Control characters, line separators and characters that change the text direction are escaped as `\uXXXX`; everything else
/// is UTF-8. Foundation's encoder keeps no order, and does not escape U+009B, which starts an escape sequence on some terminals.
public enum JSONText {
    /// An object; the values are JSON.
    public static func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { "\(string($0.name)):\($0.value)" }.joined(separator: ",") + "}"
    }

    /// An array; the elements are JSON.
    public static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    /// A value that was read, with its numbers as they were written.
    package static func text(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let isTrue): "\(isTrue)"
        case .number(let digits): digits
        case .string(let text): string(text)
        case .array(let elements): array(elements.map(text(of:)))
        case .object(let members): object(members.map { ($0.name, text(of: $0.value)) })
        }
    }

    /// A whole number, or `null`.
    public static func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }

    /// A string, quoted and escaped, or `null`.
    public static func string(_ text: String?) -> String {
        guard let text else { return "null" }
        // Most texts need no escape.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }) { return "\"\(text)\"" }
        var result = String.UnicodeScalarView()
        result.append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                result.append("\\")
                result.append(scalar)
            case "\n": result += "\\n".unicodeScalars
            case "\t": result += "\\t".unicodeScalars
            default:
                if scalar.isTextControl {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
                } else {
                    result.append(scalar)
                }
            }
        }
        result.append("\"")
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal may act on it, or it reorders the text around it; all of these are below U+10000.
    package var isTextControl: Bool {
        switch value {
        // C0, DEL and C1.
        case 0...0x1F, 0x7F...0x9F: true
        // Arabic letter mark, left-to-right and right-to-left marks, embeddings, overrides and isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // Line and paragraph separator, byte order mark.
        case 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }

    /// True for a scalar that is a control, invisible or without a meaning: unfit for a file name.
    package var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}

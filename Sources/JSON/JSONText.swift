/// Writes JSON (RFC 8259) whose members keep the order they are given in, and which does no harm when it is printed.
///
///     JSONText.object([("id", JSONText.string("PIA1")), ("width", JSONText.number(640)), ("rel", JSONText.string(nil))])
///     // {"id":"PIA1","width":640,"rel":null}
///
/// Control characters, DEL, U+0080 to U+009F, line separators, and the characters that change the direction of writing are
/// escaped as `\uXXXX`; everything else stands as UTF-8. An encoder of a library would keep no order and leave U+009B, which
/// starts an escape sequence on some terminals, as it is.
public enum JSONText {
    /// An object with its members in this order; the values are JSON already.
    public static func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { "\(string($0.name)):\($0.value)" }.joined(separator: ",") + "}"
    }

    /// An array; the elements are JSON already.
    public static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    /// A whole number, or `null`.
    public static func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }

    /// A string, quoted and escaped, or `null`.
    public static func string(_ text: String?) -> String {
        guard let text else { return "null" }
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
                if isHarmful(scalar) {
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

    /// Whether a scalar, all of them below U+10000, could steer a terminal or turn the text around it.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: true
        // Arabic letter mark, left-to-right and right-to-left marks, embeddings, overrides and isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        case 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }
}

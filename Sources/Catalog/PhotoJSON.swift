import SpyglassFetching

/// Writes a photo as `list --json` prints it: one object on one line.
///
///     print(PhotoJSON.line(for: photo))
///     // {"id":"PIA12345","title":"Dunes","photographer":null,…,"source":"nasa"}
///
/// The members stand in this order: `id title photographer date center location description keywords album media_type
/// thumbnail renditions page_url credit source`, and in a rendition `url width height bytes rel`. What is unknown is `null`,
/// a list without members `[]`. It is written by hand rather than by an encoder to keep that order, and because the line
/// must do no harm on a terminal.
public enum PhotoJSON {
    /// The object, without a line break at its end.
    ///
    /// Control characters, DEL, U+0080 to U+009F, line separators, and the characters that change the direction of writing
    /// are escaped as `\uXXXX`; everything else stands as UTF-8.
    public static func line(for photo: Photo) -> String {
        object([
            ("id", string(photo.id)),
            ("title", string(photo.title)),
            ("photographer", string(photo.photographer)),
            ("date", string(photo.date)),
            ("center", string(photo.center)),
            ("location", string(photo.location)),
            ("description", string(photo.description)),
            ("keywords", array(photo.keywords.map(string))),
            ("album", array(photo.albums.map(string))),
            ("media_type", string(photo.mediaType.rawValue)),
            ("thumbnail", string(photo.thumbnail?.description)),
            ("renditions", array(photo.renditions.map(rendition))),
            ("page_url", string(photo.page?.description)),
            ("credit", string(photo.credit)),
            ("source", string(photo.source)),
        ])
    }

    private static func rendition(_ rendition: Rendition) -> String {
        object([
            ("url", string(rendition.address.description)),
            ("width", number(rendition.width)),
            ("height", number(rendition.height)),
            ("bytes", number(rendition.bytes)),
            ("rel", string(rendition.rel)),
        ])
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    private static func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }

    private static func string(_ text: String?) -> String {
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

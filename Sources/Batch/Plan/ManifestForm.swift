internal import SpyglassJSON

/// How a manifest is written.
enum ManifestForm: Hashable, Sendable {
    /// JSON lines.
    case json
    /// An address or a path a line.
    case lines
    /// A line that starts with `{` is JSON, another one an address or a path.
    case mixed
    /// A header, then a record for each image.
    case table(delimiter: UInt8)

    static let comma = UInt8(ascii: ",")
    static let tab = UInt8(ascii: "\t")
    /// Excel's delimiter in locales with a decimal comma.
    static let semicolon = UInt8(ascii: ";")

    /// Guesses the form from a file name, ignoring `.gz`; `nil` for an unknown extension.
    init?(name: String) {
        var name = name.lowercased()[...]
        if name.hasSuffix(".gz") { name = name.dropLast(3) }
        if name.hasSuffix(".csv") {
            self = .table(delimiter: Self.comma)
        } else if name.hasSuffix(".tsv") {
            self = .table(delimiter: Self.tab)
        } else if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") {
            self = .json
        } else if name.hasSuffix(".txt") {
            self = .lines
        } else {
            return nil
        }
    }

    /// Guesses the form from the first line: a table has a header that names the address column.
    init(firstLine line: [UInt8], _ columns: ManifestColumns) {
        if line.first == UInt8(ascii: "{") {
            self = .json
        } else {
            self = Self.delimiter(of: line, columns, preferring: Self.tab).map { .table(delimiter: $0) } ?? .mixed
        }
    }

    /// Returns the delimiter that splits a header into names with the address column; `nil` if none does.
    static func delimiter(of header: [UInt8], _ columns: ManifestColumns, preferring first: UInt8) -> UInt8? {
        [first, comma, semicolon, tab].first { delimiter in
            let names = TableRecord.fields(header, delimiter: delimiter) ?? []
            return columns.names(of: names).contains(where: columns.isSource)
        }
    }
}

/// The names of a manifest's columns, where they differ from the usual ones.
package struct ManifestColumns: Hashable, Sendable {
    /// `nil`: `src`, or else `url`.
    var source: String?
    var id = "id"
    var caption = "caption"
    /// The column of the SHA-256 that is compared.
    package var hash: String?

    package init() {}

    /// Parses `url=NAME,id=NAME,caption=NAME`, of which each may be missing.
    package init?(parsing text: String) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let equals = part.firstIndex(of: "=") else { return nil }
            let name = String(part[part.index(after: equals)...])
            guard !name.isEmpty else { return nil }
            switch part[..<equals] {
            case "url", "src": source = name
            case "id": id = name
            case "caption": caption = name
            default: return nil
            }
        }
    }

    /// Returns the names of a header as this type has them: `URL` is `url`, unless the header has both.
    func names(of header: [String]) -> [String] {
        let usual = (source.map { [$0] } ?? ["src", "url"]) + [id, caption] + [hash].compactMap(\.self)
        let known = usual + Self.meaningful.sorted()
        return header.map { name in
            guard !known.contains(name) else { return name }
            let match = known.first { $0.lowercased() == name.lowercased() && !header.contains($0) }
            return match ?? name
        }
    }

    func isSource(_ name: String) -> Bool { source.map { $0 == name } ?? ["src", "url"].contains(name) }

    func source(in value: JSONValue) -> JSONValue? {
        func member(_ name: String) -> JSONValue? { value[name] == .null ? nil : value[name] }
        return source.map(member) ?? member("src") ?? member("url")
    }

    /// The members that have no meaning here, for reports.
    func others(in value: JSONValue) -> [JSONValue.Member] {
        guard case .object(let members) = value else { return [] }
        return members.filter { member in
            !isSource(member.name) && ![id, caption].contains(member.name) && !Self.meaningful.contains(member.name)
        }
    }

    private static let meaningful: Set<String> = [
        "size", "name", "focus", "credit", "license", "license_url", "renditions", "thumbnail",
    ]
}

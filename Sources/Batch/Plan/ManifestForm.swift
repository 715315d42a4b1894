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

    /// The rule for its lines.
    var lineRule: String {
        switch self {
        case .json: "write one object a line"
        case .lines, .mixed: "write one URL or path a line"
        case .table: "write one record a line"
        }
    }

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
    /// `nil`: `url`, or else `src`.
    var source: String?
    var id = "id"
    var caption = "caption"
    /// The focus of a crop; `nil` for a table whose images are not cropped.
    var focus: String? = "focus"
    /// The column of the SHA-256 that is compared.
    package var hash: String?
    /// The names that the user gave, which the header of a table must have.
    private var named: [String] = []
    /// Whether only the columns above have a meaning, unlike in JSON lines.
    private(set) var isTable = false

    package init() {}

    /// Parses `url=NAME,id=NAME,caption=NAME,focus=NAME`, of which each may be missing.
    package init?(parsing text: String) {
        var roles: Set<Substring> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let equals = part.firstIndex(of: "=") else { return nil }
            let role = part[..<equals] == "src" ? "url" : part[..<equals]
            let name = String(part[part.index(after: equals)...])
            guard !name.isEmpty, roles.insert(role).inserted else { return nil }
            named.append(name)
            switch role {
            case "url": source = name
            case "id": id = name
            case "caption": caption = name
            case "focus": focus = name
            default: return nil
            }
        }
    }

    private var sourceNames: [String] { source.map { [$0] } ?? ["url", "src"] }

    private var known: [String] { sourceNames + [id, caption] + [focus, hash].compactMap(\.self) + named }

    func isSource(_ name: String) -> Bool { sourceNames.contains(name) }

    /// Returns the names of a header as this type has them: `URL` is `url`, unless the header has both.
    func names(of header: [String]) -> [String] {
        let known = known
        return header.map { name in
            guard !known.contains(name) else { return name }
            let match = known.first { $0.lowercased() == name.lowercased() && !header.contains($0) }
            return match ?? name
        }
    }

    /// Makes these the columns of a table, and returns its header; throws the reason why the header cannot be used.
    mutating func read(header: [String], crops: Bool) throws(BatchError) -> [String] {
        isTable = true
        if !crops { focus = nil }
        let names = names(of: header)
        let known = known.map { $0.lowercased() }
        func isPadded(_ name: String) -> Bool {
            let words = name.split(separator: " ").joined(separator: " ")
            return words != name && known.contains(words.lowercased())
        }
        if let name = names.first(where: isPadded) {
            throw BatchError(.usage, "a column \(name.quoted); write no spaces beside the names and values of a table")
        }
        let found = names.isEmpty ? "" : "; it has \(names.joined(separator: ", ").quoted)"
        guard let present = sourceNames.first(where: names.contains) else {
            let wanted = source.map(\.quoted) ?? "'url' or 'src'"
            throw BatchError(.usage, "no column \(wanted)\(found); name it with --columns url=NAME")
        }
        if let missing = (named + [hash].compactMap(\.self)).first(where: { !names.contains($0) }) {
            throw BatchError(.usage, "no column \(missing.quoted)\(found)")
        }
        var seen: Set<String> = []
        if let twice = names.first(where: { !$0.isEmpty && !seen.insert($0).inserted }) {
            throw BatchError(.usage, "two columns \(twice.quoted)")
        }
        source = present
        return names
    }

    /// The member with the path in a line of `list --source folder --json`.
    static let file = "file"

    func source(in value: JSONValue) -> (name: String, value: JSONValue)? {
        let isOfFolder = source == nil && !isTable && value["source"] == .string("folder")
        let names = sourceNames + (isOfFolder ? [Self.file] : [])
        return names.lazy.compactMap { name in value[name].map { (name, $0) } }.first { $0.1 != .null }
    }

    /// The members that have no meaning here, for reports.
    func others(in value: JSONValue) -> [JSONValue.Member] {
        guard case .object(let members) = value else { return [] }
        let used = (source(in: value).map { [$0.name] } ?? sourceNames) + [id] + [focus].compactMap(\.self)
        return members.filter { member in
            guard !used.contains(member.name), isTable || !Self.ofJSONLines.contains(member.name) else { return false }
            guard member.name == caption else { return true }
            if case .string = member.value { return false }
            return member.value != .null
        }
    }

    /// Members that have a meaning in JSON lines only.
    private static let ofJSONLines: Set<String> = [
        "size", "name", "credit", "license", "license_url", "renditions", "thumbnail",
    ]
}

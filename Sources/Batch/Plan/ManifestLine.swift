internal import SpyglassCaching
internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassJSON
internal import SpyglassPixels

/// One line of a manifest.
///
/// Either `{"id","src","size","name",…}`, of which only `src` is required, or a line of `list --json`, whose rendition is chosen by
/// size. The last of equal members counts; unknown members are copied to the report. `ManifestColumns` may rename some.
/// A record of a table has the columns `url` or `src`, `id`, `caption` and `focus`; its others are copied.
///
/// | member | meaning |
/// |---|---|
/// | `url`, or else `src` | a URL (`http`, `https`, `file`), or a path relative to the current folder |
/// | `caption`, `credit`, `license`, `license_url` | texts for reports and samples |
/// | `id` | a string or a number; defaults to `src` |
/// | `size` | a size or an array of sizes, as for `--size`: `"320x240"`, `320` |
/// | `focus` | what `cover` keeps, as for `--focus`: `"attention"`, `"0.3,0.7"` |
/// | `name` | a name template; its extension may decide the output format |
enum ManifestLine {
    static let idLimit = 4096

    static func object(_ line: [UInt8]) throws(BatchError) -> JSONValue {
        let value: JSONValue
        do { value = try JSONValue(parsing: line) } catch {
            throw BatchError(.input, "not JSON: \(error.description) at byte \(error.offset)")
        }
        guard case .object = value else { throw BatchError(.input, "not a JSON object") }
        return value
    }

    /// The id and the source of an invalid line, for its report, as far as they are readable.
    static func names(in value: JSONValue, _ columns: ManifestColumns) -> (id: String?, shownSource: String) {
        var shown = ""
        if case .string(let source) = columns.source(in: value)?.value {
            shown = address(in: source).map { WebAddress.description(ofRefused: $0) } ?? source
        }
        // The source is the default id, as in valid lines.
        let stated = try? id(in: value, columns)
        return (stated ?? (shown.isEmpty || shown.utf8.count > idLimit ? nil : shown), shown)
    }

    /// Returns the item of a line; `listTrust` is the trust in URLs of `list --json` lines.
    static func item(
        _ value: JSONValue, number: Int, _ job: BatchJob, listTrust: NetworkReach, _ columns: ManifestColumns
    ) throws(BatchError) -> BatchItem {
        // The other columns of a table have no meaning.
        let more = columns.isTable ? JSONValue.object([]) : value
        let sizes = try sizes(more["size"])
        let given = try id(in: value, columns)
        var item: BatchItem
        if let (name, source) = columns.source(in: value) {
            // `list --source folder --json` also lists folders.
            if name == ManifestColumns.file, more["media_type"] == .string("folder") {
                throw BatchError(.input, "a folder, not an image")
            }
            var columns = columns
            columns.source = name
            guard case .string(let text) = source else { throw BatchError(.input, "\"\(name)\" is not a string") }
            // The id of a folder's photo is its path, which names results as the path of a list does.
            item = try Self.item(text, name == ManifestColumns.file && given == text ? nil : given, columns)
            item.rights.credit = Self.text(more["credit"])
            item.rights.license = Self.text(more["license"]) ?? Self.text(more["licence"])
            item.rights.licenseURL = Self.text(more["license_url"])
        } else {
            item = try listed(more, given, sizes.isEmpty ? job.sizes : sizes, columns)
            item.trust = listTrust
        }
        item.number = number
        item.isListed = true
        if case .string(let caption) = value[columns.caption] { item.caption = caption }
        item.columns = columns.others(in: value)
        if let name = columns.hash { item.expectedHash = try hash(value[name], name) }
        item.sizes = sizes
        item.focus = try columns.focus.flatMap { (name) throws(BatchError) in try focus(value[name], name) }
        item.template = try template(more["name"], sizes.isEmpty ? job.sizes : sizes, job.format)
        return item
    }

    private static func hash(_ value: JSONValue?, _ name: String) throws(BatchError) -> String {
        guard case .string(let text)? = value, text.utf8.count == 64, Hex.isHex(text.lowercased()) else {
            throw BatchError(.input, "\(name.quoted) is not a SHA-256 of 64 hexadecimal digits")
        }
        return text.lowercased()
    }

    private static func id(in value: JSONValue, _ columns: ManifestColumns) throws(BatchError) -> String? {
        guard let value = value[columns.id], value != .null else { return nil }
        let text: String
        switch value {
        case .string(let written), .number(let written): text = written
        default: throw BatchError(.input, "\"\(columns.id)\" is not a string or number")
        }
        guard !text.isEmpty else { throw BatchError(.input, "\"\(columns.id)\" is empty") }
        guard text.utf8.count <= idLimit else {
            throw BatchError(.input, "\"\(columns.id)\" has more than \(idLimit) bytes")
        }
        return text
    }

    private static func sizes(_ value: JSONValue?) throws(BatchError) -> [OutputSize] {
        guard let value else { return [] }
        var sizes: [OutputSize] = []
        for element in value.elements {
            let size: OutputSize? =
                switch element {
                case .string(let text), .number(let text): OutputSize(text)
                default: nil
                }
            guard let size else {
                throw BatchError(.input, "\"size\" is invalid; use \"320\", \"320x240\", \"320x\", \"x240\" or \"50%\"")
            }
            guard !sizes.contains(size) else { continue }
            guard sizes.count < OutputSize.maxPerItem else {
                throw BatchError(.input, "\"size\" has more than \(OutputSize.maxPerItem) sizes")
            }
            sizes.append(size)
        }
        return sizes
    }

    private static func focus(_ value: JSONValue?, _ name: String) throws(BatchError) -> Focus? {
        guard let value, value != .null else { return nil }
        guard case .string(let text) = value, let focus = Focus(text.lowercased()) else {
            let valid = #""centre", "attention", "entropy" or a point such as "0.3,0.7""#
            throw BatchError(.input, "\"\(name)\" is invalid; use \(valid)")
        }
        return focus
    }

    private static func template(
        _ value: JSONValue?, _ sizes: [OutputSize], _ format: BatchJob.Format
    ) throws(BatchError) -> NameTemplate? {
        guard let value, value != .null else { return nil }
        guard case .string(let text) = value else { throw BatchError(.input, "\"name\" is not a string") }
        do {
            let template = try NameTemplate(parsing: text)
            try template.check(sizes, format)
            return template
        } catch {
            throw BatchError(.input, error.message)
        }
    }

    /// `columns.source` is the name of the source.
    private static func item(
        _ source: String, _ given: String?, _ columns: ManifestColumns
    ) throws(BatchError) -> BatchItem {
        guard !source.isEmpty else { throw BatchError(.input, "\"\(columns.source ?? "")\" is empty") }
        // `, https://…` is common in tables; the name of a file may begin with a space.
        let source = address(in: source) ?? source
        guard let scheme = scheme(of: source) else { return try file(source, given, columns) }
        guard scheme != "file" else { return try file(path(ofFile: source), given, columns) }
        let address: WebAddress
        do { address = try WebAddress(validating: source) } catch { throw BatchError(.input, error.description) }
        // Percent-encoded, it may be longer than what was given.
        let place = address.distinctDescription
        var item = BatchItem(
            number: 0, id: try id(given, else: place, columns), source: .address(address),
            shownSource: address.description,
            stem: given ?? withoutExtension(String(place.dropFirst(scheme.count + 3))))
        item.manifestSource = address.lastingDescription
        return item
    }

    private static func id(
        _ given: String?, else source: String, _ columns: ManifestColumns
    ) throws(BatchError) -> String {
        guard given != nil || source.utf8.count <= idLimit else {
            let name = columns.source ?? ""
            throw BatchError(.input, "\"\(name)\" has more than \(idLimit) bytes; add an \"\(columns.id)\"")
        }
        return given ?? source
    }

    private static func file(
        _ path: String, _ given: String?, _ columns: ManifestColumns
    ) throws(BatchError) -> BatchItem {
        var item = BatchItem(
            number: 0, id: try id(given, else: path, columns), source: .file(path), shownSource: path,
            stem: given ?? withoutExtension(path))
        item.manifestSource = path
        return item
    }

    /// The text without blanks before it, if it has a scheme then.
    private static func address(in text: String) -> String? {
        let text = String(text.drop(while: \.isWhitespace))
        return scheme(of: text) == nil ? nil : text
    }

    /// The lowercase scheme of a text that starts like `https://` (RFC 3986 section 3.1).
    static func scheme(of text: String) -> String? {
        let scheme = text.utf8.prefix { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
        }
        guard !scheme.isEmpty, text.utf8[scheme.endIndex...].starts(with: "://".utf8) else { return nil }
        return String(Substring(scheme)).lowercased()
    }

    /// The path of a `file://` URL (RFC 8089) of this machine.
    private static func path(ofFile source: String) throws(BatchError) -> String {
        let rest = source.utf8.dropFirst("file://".utf8.count)
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        guard host.isEmpty || String(Substring(host)).lowercased() == "localhost" else {
            throw BatchError(.input, "\(source.quoted): file URL of another machine")
        }
        let path = PercentEncoding.decoded(Array(rest[host.endIndex...])[...])
        guard !path.isEmpty, !path.contains(0) else {
            throw BatchError(.input, "\(source.quoted): file URL without a path")
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// A source without the extension of an image, as the default stem.
    private static func withoutExtension(_ source: String) -> String {
        guard ImageFormat(extensionOf: source.utf8) != nil, let dot = source.lastIndex(of: ".") else { return source }
        return String(source[..<dot])
    }

    private static func text(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value, text.utf8.count <= idLimit else { return nil }
        return text
    }

    private static func listed(
        _ value: JSONValue, _ id: String?, _ sizes: [OutputSize], _ columns: ManifestColumns
    ) throws(BatchError) -> BatchItem {
        guard value["renditions"] != nil || value["thumbnail"] != nil else {
            throw BatchError(
                .input, columns.source.map { "no \"\($0)\"" } ?? "no \"url\", \"src\" or \"renditions\"")
        }
        guard let id else { throw BatchError(.input, "no \"\(columns.id)\"") }
        var photo = Photo(id: id, source: "")
        photo.credit = text(value["credit"])
        photo.license = text(value["license"])
        photo.licenseURL = value["license_url"]?.text.flatMap { WebAddress($0) }
        photo.thumbnail = value["thumbnail"]?.text.flatMap { WebAddress($0) }
        photo.renditions = (value["renditions"]?.elements ?? []).compactMap { element in
            element["url"]?.text.flatMap { WebAddress($0) }.map {
                Rendition(
                    $0, width: element["width"]?.integer, height: element["height"]?.integer,
                    rel: element["rel"]?.text)
            }
        }
        return try RenditionChoice.item(photo, number: 0, for: sizes)
    }
}

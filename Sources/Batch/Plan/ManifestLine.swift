internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassJSON

/// What one line of a manifest asks for.
///
/// Either `{"id","src","size","name"}`, of which only `src` must be there, or a line of `list --json`, whose rendition is chosen by size. Where a
/// name stands twice, the last counts; members that are not known are passed over.
///
/// | member | what it is |
/// |---|---|
/// | `src` | an address (`http`, `https`), a `file://` address, or a path, which like every path begins at the current folder |
/// | `id` | a text or a number; without it, `src` is the id |
/// | `size` | one size or an array of them, each as `--size` takes it: `"320x240"`, `320` |
/// | `name` | a name template of its own; its ending may say what this one picture is written as |
enum ManifestLine {
    /// The longest id in bytes: it stands in every report.
    static let idLimit = 4096

    /// Reads the JSON of a line.
    ///
    /// - Throws: `BatchError` of kind `input` for what is no object.
    static func object(_ line: [UInt8]) throws(BatchError) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: line)
        } catch {
            throw BatchError(.input, "this is not JSON: \(error.description) at byte \(error.offset)")
        }
        guard case .object = value else { throw BatchError(.input, "this is JSON, but no object") }
        return value
    }

    /// What a line that cannot be used calls its picture, as far as it can be read: the id, `nil` where there is none, and the source as
    /// reports show it.
    static func names(in value: JSONValue) -> (id: String?, shownSource: String) {
        var shown = ""
        if case .string(let source) = value["src"] {
            shown = scheme(of: source) == nil ? source : WebAddress.description(ofRefused: source)
        }
        // As of a line that is well, the source is the id of one that has none.
        let stated = try? id(value["id"])
        return (stated ?? (shown.isEmpty || shown.utf8.count > idLimit ? nil : shown), shown)
    }

    /// What the object of a line asks for.
    ///
    /// `listTrust` is how far the addresses of a line of `list --json` may lead.
    ///
    /// - Throws: `BatchError` of kind `input` with what is wrong; `notFound` for a photo without a picture.
    static func item(
        _ value: JSONValue, number: Int, _ job: BatchJob, listTrust: AddressTrust
    ) throws(BatchError) -> BatchItem {
        let sizes = try sizes(value["size"])
        let given = try id(value["id"])
        var item: BatchItem
        if let source = value["src"], source != .null {
            guard case .string(let text) = source else { throw BatchError(.input, "\"src\" is no text") }
            item = try Self.item(text, given)
        } else {
            item = try listed(value, given, sizes.isEmpty ? job.sizes : sizes)
            item.trust = listTrust
        }
        item.number = number
        item.sizes = sizes
        item.template = try template(value["name"], sizes.isEmpty ? job.sizes : sizes, job.format)
        return item
    }

    private static func id(_ value: JSONValue?) throws(BatchError) -> String? {
        guard let value, value != .null else { return nil }
        let text: String
        switch value {
        case .string(let written), .number(let written): text = written
        default: throw BatchError(.input, "\"id\" is neither a text nor a number")
        }
        guard !text.isEmpty else { throw BatchError(.input, "\"id\" is empty") }
        guard text.utf8.count <= idLimit else {
            throw BatchError(.input, "\"id\" has more than \(idLimit) bytes")
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
                throw BatchError(.input, "\"size\" is no size; sizes are \"320\", \"320x240\", \"320x\", \"x240\"")
            }
            guard !sizes.contains(size) else { continue }
            guard sizes.count < OutputSize.maxPerItem else {
                throw BatchError(.input, "\"size\" has more than \(OutputSize.maxPerItem) sizes")
            }
            sizes.append(size)
        }
        return sizes
    }

    private static func template(
        _ value: JSONValue?, _ sizes: [OutputSize], _ format: BatchJob.Format
    ) throws(BatchError) -> NameTemplate? {
        guard let value, value != .null else { return nil }
        guard case .string(let text) = value else { throw BatchError(.input, "\"name\" is no text") }
        do {
            let template = try NameTemplate(parsing: text)
            try template.check(sizes, format)
            return template
        } catch {
            throw BatchError(.input, error.message)
        }
    }

    private static func item(_ source: String, _ given: String?) throws(BatchError) -> BatchItem {
        guard !source.isEmpty else { throw BatchError(.input, "\"src\" is empty") }
        guard given != nil || source.utf8.count <= idLimit else {
            throw BatchError(.input, "\"src\" has more than \(idLimit) bytes, and there is no \"id\"")
        }
        guard let scheme = scheme(of: source) else { return file(source, given) }
        guard scheme != "file" else { return file(try path(ofFile: source), given) }
        do {
            let address = try WebAddress(validating: source)
            let shown = address.description
            var item = BatchItem(
                number: 0, id: given ?? shown, source: .address(address), shownSource: shown,
                stem: given ?? withoutEnding(String(shown.dropFirst(scheme.count + 3))))
            item.place = shown
            return item
        } catch {
            throw BatchError(.input, error.description)
        }
    }

    private static func file(_ path: String, _ given: String?) -> BatchItem {
        var item = BatchItem(
            number: 0, id: given ?? path, source: .file(path), shownSource: path,
            stem: given ?? withoutEnding(path))
        item.place = path
        return item
    }

    /// The scheme of a text that starts like `https://` (RFC 3986 section 3.1), lower case.
    private static func scheme(of text: String) -> String? {
        let scheme = text.utf8.prefix { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
        }
        guard !scheme.isEmpty, text.utf8[scheme.endIndex...].starts(with: "://".utf8) else { return nil }
        return String(Substring(scheme)).lowercased()
    }

    /// The path of a `file://` address (RFC 8089): of this machine alone.
    private static func path(ofFile source: String) throws(BatchError) -> String {
        let rest = source.utf8.dropFirst("file://".utf8.count)
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        guard host.isEmpty || String(Substring(host)).lowercased() == "localhost" else {
            throw BatchError(.input, "\(source.quoted) names another machine")
        }
        let path = PercentEncoding.decoded(Array(rest[host.endIndex...])[...])
        guard !path.isEmpty, !path.contains(0) else { throw BatchError(.input, "\(source.quoted) names no file") }
        return String(decoding: path, as: UTF8.self)
    }

    /// A source as the stem of a name, where it is the id: less the ending of a picture.
    private static func withoutEnding(_ source: String) -> String {
        guard PictureEnding(source.utf8) != nil, let dot = source.lastIndex(of: ".") else { return source }
        return String(source[..<dot])
    }
}

// MARK: - Lines of `list --json`

extension ManifestLine {
    private static func listed(
        _ value: JSONValue, _ id: String?, _ sizes: [OutputSize]
    ) throws(BatchError) -> BatchItem {
        guard value["renditions"] != nil || value["thumbnail"] != nil else {
            throw BatchError(.input, "there is neither \"src\" nor \"renditions\"")
        }
        guard let id else { throw BatchError(.input, "there is no \"id\"") }
        var photo = Photo(id: id, source: "")
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

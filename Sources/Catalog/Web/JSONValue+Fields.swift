internal import SpyglassFetching
internal import SpyglassJSON

// Members of an object, which may be missing, `null` or of another type.
extension JSONValue {
    /// Maximum number of elements of a list; up to 35 keywords have been recorded.
    private static let maxListCount = 200

    /// An id, unchanged: a service matches it exactly, with spaces and in any script.
    func id(_ name: String) -> String? {
        guard let id = self[name]?.text, id.utf8.count <= PlainText.lineLimit,
            id.contains(where: { !$0.isWhitespace })
        else { return nil }
        return id
    }

    /// Plain text on one line.
    func line(_ name: String) -> String? { self[name]?.text.flatMap { PlainText.line($0).nonEmpty } }

    /// Plain text with line breaks.
    func paragraphs(_ name: String) -> String? { self[name]?.text.flatMap { PlainText.paragraphs($0).nonEmpty } }

    /// A list of strings, or a single one; "Washington, DC" is one keyword.
    func list(_ name: String) -> [String] {
        (self[name]?.elements ?? []).prefix(Self.maxListCount).compactMap { element in
            element.text.flatMap { PlainText.line($0).nonEmpty }
        }
    }

    /// A number above zero.
    func positive(_ name: String) -> Int? { self[name]?.integer.flatMap { $0 > 0 ? $0 : nil } }

    /// A number from zero.
    func count(_ name: String) -> Int? { self[name]?.integer.flatMap { $0 >= 0 ? $0 : nil } }

    /// The message of an error of unknown shape.
    var reason: String? {
        text ?? ["reason", "message", "error", "detail"].lazy.compactMap { self[$0]?.text }.first
    }

    /// Whether the member is `true`.
    func isTrue(_ name: String) -> Bool { self[name] == .bool(true) }

    /// Whether the member is missing, `null`, or this value, also as a text.
    func isMissing(_ name: String, or value: Bool) -> Bool {
        switch self[name] {
        case nil, .null?, .bool(value)?: true
        case .string(let text)?: text.trimmed.lowercased() == "\(value)"
        default: false
        }
    }

    /// An address, as `WebAddress.init(written:in:)` reads it.
    func address(_ name: String, in base: WebAddress) -> WebAddress? {
        guard case .string(let text)? = self[name] else { return nil }
        return WebAddress(written: text, in: base)
    }
}

extension Photo {
    /// A photo with a title, or its id as one.
    init(id: String, source: String, title: String?) {
        self.init(id: id, source: source)
        self.title = title ?? PlainText.oneLine(id, limit: PlainText.lineLimit)
    }

    /// Adds the preview and the original, or the only one of them.
    mutating func addFiles(preview: Rendition?, original: WebAddress?, bytes: Int? = nil) {
        if let preview { renditions.append(preview) }
        if let original, original != preview?.address {
            renditions.append(Rendition(original, width: width, height: height, bytes: bytes, rel: "canonical"))
        }
        thumbnail = preview?.address ?? original
    }
}

extension WebAddress {
    init(constant text: StaticString) {
        guard let address = WebAddress("\(text)") else { preconditionFailure("invalid URL: \(text)") }
        self = address
    }

    /// This base with an encoded path and without its query; `nil` if the result is too long.
    func appending(path: String) -> WebAddress? {
        var base = text[..<(text.firstIndex(of: "?") ?? text.endIndex)]
        while base.hasSuffix("/") { base.removeLast() }
        return WebAddress("\(base)/\(path)")
    }

    /// An address in a response, resolved against that of the response.
    ///
    /// `example.com/a.jpg` without a scheme is an address over https.
    init?(written text: String, in base: WebAddress) {
        let reference = text.trimmed
        let host = reference.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if host.contains("."), !host.hasPrefix("."), !host.contains(":") {
            self.init("https://\(reference)")
        } else if let address = reference.isEmpty ? nil : try? base.resolving(reference) {
            self = address
        } else {
            return nil
        }
    }
}

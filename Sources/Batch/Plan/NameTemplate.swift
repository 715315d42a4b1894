internal import SpyglassJSON

/// A template of output names: `{stem}-{w}x{h}.{ext}`.
///
/// | field | replaced by |
/// |---|---|
/// | `{stem}` | the file's name without its extension, or the id of a manifest or a search |
/// | `{ext}` | `jpg`, `png`, `webp` or `avif` |
/// | `{w}` `{h}` | the requested box in pixels; empty for a side without a limit, so that `{w}x{h}` is the size as written |
/// | `{w}x{h}` `{w}` `{h}` | of a percentage: `50pct` |
/// | `{id}` | the item's id |
/// | `{hash}` `{hash:N}` | the FNV-1a 64 hash of the id in hexadecimal, or its first N digits (1...16) |
/// | `{n}` | the item's number among the inputs, from 1 |
///
/// A `/` makes folders, except in a value. Double literal braces: `{{`.
///
/// The extension is `.{ext}`, none, or `.jpg`, `.jpeg`, `.png`, `.webp` or `.avif`, which decides the output format.
package struct NameTemplate: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        case stem, `extension`, width, height, id
        /// `{w}x{h}`.
        case size
        case hash(digits: Int)
        case number
    }

    package let text: String
    /// The pieces of each path component, not empty.
    let components: [[Piece]]
    /// The format of its literal extension, if any.
    package let format: BatchJob.Format?
    /// The maximum size in bytes: `PATH_MAX` of limits.h.
    static let lengthLimit = 4096

    package init(parsing text: String) throws(BatchError) {
        self.text = text
        guard text.utf8.count <= Self.lengthLimit else {
            throw BatchError(.usage, "the name template has more than \(Self.lengthLimit) bytes")
        }
        var reader = TemplateReader(text)
        components = try reader.components()
        format = try components.last.flatMap { (pieces) throws(BatchError) in try Self.format(pieces, of: text) }
    }

    private init(trusted text: String, _ components: [[Piece]]) {
        (self.text, self.components, format) = (text, components, nil)
    }

    private static func format(_ pieces: [Piece], of text: String) throws(BatchError) -> BatchJob.Format? {
        guard case .text(let literal) = pieces.last, let dot = literal.lastIndex(of: "."),
            // A leading dot hides a file.
            pieces.count > 1 || dot > literal.startIndex
        else { return nil }
        let ending = literal[dot...].dropFirst()
        switch ending.lowercased() {
        case "": return nil
        case "jpg", "jpeg": return .jpeg
        case "png": return .png
        case "webp": return .webp
        case "avif": return .avif
        default:
            let remedy = "use .{ext}, .jpg, .jpeg, .png, .webp or .avif"
            throw BatchError(
                .usage, "the name template \(text.quoted) ends in \(String(literal[dot...]).quoted); \(remedy)")
        }
    }

    /// The default: `{stem}.{ext}` for one size, `{stem}-{w}x{h}.{ext}` for several.
    package static func standard(sizeCount: Int) -> NameTemplate {
        sizeCount > 1
            ? NameTemplate(trusted: "{stem}-{w}x{h}.{ext}", [[.stem, .text("-"), .size, .text("."), .extension]])
            : NameTemplate(trusted: "{stem}.{ext}", [[.stem, .text("."), .extension]])
    }

    /// Checks that each size has its own name, and that the extension fits the format.
    package func check(_ sizes: [OutputSize], _ requested: BatchJob.Format) throws(BatchError) {
        if let format, requested != .same, requested != format {
            throw BatchError(
                .usage,
                "the name template \(text.quoted) and --format \(requested.rawValue) cannot be combined: it makes \(format.rawValue); use .{ext}"
            )
        }
        let pieces = components.joined()
        var first: [[String]: OutputSize] = [:]
        for size in sizes {
            let key = pieces.compactMap { $0.text(of: size) }
            if let other = first[key], other != size {
                throw BatchError(
                    .usage,
                    "the name template \(text.quoted) gives the sizes \(other) and \(size) the same name; add {w}x{h}"
                )
            }
            first[key] = size
        }
    }
}

private struct TemplateReader {
    private let text: String
    private var rest: Substring.UnicodeScalarView
    private var done: [[NameTemplate.Piece]] = []
    private var pieces: [NameTemplate.Piece] = []
    private var literal = ""

    init(_ text: String) {
        self.text = text
        rest = text[...].unicodeScalars
    }

    mutating func components() throws(BatchError) -> [[NameTemplate.Piece]] {
        guard rest.first != "/" else { throw error("starts with '/'; use a path below the output folder") }
        while let scalar = rest.popFirst() {
            switch scalar {
            case "/": try endComponent()
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                literal.unicodeScalars.append(scalar)
            case "{":
                let piece = try field()
                endLiteral()
                pieces.append(piece)
            case "}": throw error("has a '}' without a '{'; write '}}' for a literal one")
            default:
                guard !scalar.isTextControl else { throw error("has a control character") }
                literal.unicodeScalars.append(scalar)
            }
        }
        try endComponent()
        return done
    }

    private mutating func field() throws(BatchError) -> NameTemplate.Piece {
        guard let end = rest.firstIndex(of: "}") else {
            throw error("has a '{' without a '}'; write '{{' for a literal one")
        }
        let name = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        switch name {
        case "stem": return .stem
        case "ext": return .extension
        case "w": return .width
        case "h": return .height
        case "id": return .id
        case "hash": return .hash(digits: 16)
        case "n": return .number
        default:
            guard name.hasPrefix("hash:") else {
                throw error("has the unknown field {\(name)}; use {stem} {ext} {w} {h} {id} {hash} {hash:N} {n}")
            }
            guard let digits = Int(name.dropFirst(5)), (1...16).contains(digits) else {
                throw error("has the field {\(name)}; use 1 to 16 digits")
            }
            return .hash(digits: digits)
        }
    }

    private mutating func endLiteral() {
        if !literal.isEmpty { pieces.append(.text(literal)) }
        literal = ""
    }

    private mutating func endComponent() throws(BatchError) {
        endLiteral()
        while let start = pieces.indices.first(where: { pieces[$0...].starts(with: [.width, .text("x"), .height]) }) {
            pieces.replaceSubrange(start...start + 2, with: [.size])
        }
        guard !pieces.isEmpty else { throw error("has an empty part before or after a '/'") }
        if pieces == [.text(".")] || pieces == [.text("..")] {
            throw error("has a '.' or '..'; use a path below the output folder")
        }
        done.append(pieces)
        pieces = []
    }

    private func error(_ what: String) -> BatchError {
        // Unknown field names may contain control characters.
        let what = String(String.UnicodeScalarView(what.unicodeScalars.map { $0.isTextControl ? "\u{FFFD}" : $0 }))
        return BatchError(.usage, "the name template \(text.quoted) \(what)")
    }
}

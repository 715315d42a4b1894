internal import SpyglassJSON

/// How results are named: `{stem}-{w}x{h}.{ext}`.
///
///     let template = try NameTemplate(parsing: "{hash:2}/{stem}-{w}x{h}.{ext}")
///     try template.name(of: item, size: size, extension: "jpg").path    // "3f/m31-320x240.jpg"
///
/// | field | what stands in its place |
/// |---|---|
/// | `{stem}` | the file's name without its extension; of a manifest or a search, the id |
/// | `{ext}` | the result's extension, `jpg` or `png`, without a dot |
/// | `{w}` `{h}` | the box that was asked for, in pixels; nothing for a side that was not, so that `{w}x{h}` is the size as it was written |
/// | `{id}` | the item's id |
/// | `{hash}` `{hash:N}` | the FNV-1a 64 hash of the id in hexadecimal, or its first N digits (1...16) |
/// | `{n}` | the item's place among the inputs, from 1 |
///
/// A `/` makes folders; one in a value never does. Braces that are meant are doubled: `{{`.
///
/// A name may end in `.{ext}`, in nothing, or in `.jpg`, `.jpeg` or `.png`, which says what results are written as; in no other word.
package struct NameTemplate: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        case stem
        case `extension`
        case width
        case height
        case id
        case hash(digits: Int)
        case number
    }

    /// As it was written.
    package let text: String
    /// The pieces of each path component, none of them empty.
    let components: [[Piece]]
    /// What its own ending says that results are written as: `nil` where it ends in a field, or in nothing.
    let format: BatchJob.Format?

    /// The longest template in bytes: `PATH_MAX` of limits.h.
    static let lengthLimit = 4096

    /// Reads a template.
    ///
    /// - Throws: `BatchError` of kind `usage`, which names what is wrong: an unknown field, a brace without its partner, an absolute path,
    ///   an empty component, `.` or `..`, a control character, an ending that results cannot have.
    package init(parsing text: String) throws(BatchError) {
        self.text = text
        guard text.utf8.count <= Self.lengthLimit else {
            throw BatchError(.usage, "a name template has at most \(Self.lengthLimit) bytes")
        }
        var reader = TemplateReader(text)
        components = try reader.components()
        format = try components.last.flatMap { (pieces) throws(BatchError) in try Self.format(pieces, of: text) }
    }

    private init(trusted text: String, _ components: [[Piece]]) {
        self.text = text
        self.components = components
        format = nil
    }

    /// The format that the end of a file's name stands for, where the template itself says it.
    private static func format(_ pieces: [Piece], of text: String) throws(BatchError) -> BatchJob.Format? {
        guard case .text(let literal) = pieces.last, let dot = literal.lastIndex(of: "."),
            // A dot at the beginning hides a file, and ends no stem.
            pieces.count > 1 || dot > literal.startIndex
        else { return nil }
        let ending = literal[dot...].dropFirst()
        switch ending.lowercased() {
        case "": return nil
        case "jpg", "jpeg": return .jpeg
        case "png": return .png
        default:
            throw BatchError(
                .usage,
                "the name template \(text.quoted) ends in \(String(literal[dot...]).quoted); there are .{ext}, .jpg, .jpeg and .png"
            )
        }
    }

    /// What is used where nobody says otherwise: `{stem}.{ext}` for one size, `{stem}-{w}x{h}.{ext}` for several.
    package static func standard(sizeCount: Int) -> NameTemplate {
        sizeCount > 1
            ? NameTemplate(
                trusted: "{stem}-{w}x{h}.{ext}",
                [[.stem, .text("-"), .width, .text("x"), .height, .text("."), .extension]])
            : NameTemplate(trusted: "{stem}.{ext}", [[.stem, .text("."), .extension]])
    }

    /// Whether every one of these sizes gets a name of its own, and none that contradicts the format.
    ///
    /// - Throws: `BatchError` of kind `usage`, which names two that do not, or the ending.
    package func check(_ sizes: [OutputSize], _ asked: BatchJob.Format) throws(BatchError) {
        if let format, asked != .same, asked != format {
            throw BatchError(
                .usage,
                "the name template \(text.quoted) makes \(format.rawValue), and --format \(asked.rawValue) contradicts it; write .{ext}"
            )
        }
        let pieces = components.joined()
        var first: [[Int?]: OutputSize] = [:]
        for size in sizes {
            let key = [
                pieces.contains(.width) ? size.width ?? 0 : nil, pieces.contains(.height) ? size.height ?? 0 : nil,
            ]
            if let other = first[key], other != size {
                throw BatchError(
                    .usage,
                    "the name template \(text.quoted) gives the sizes \(other) and \(size) one name; put {w}x{h} into it"
                )
            }
            first[key] = size
        }
    }
}

/// Takes a template apart.
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
        guard rest.first != "/" else { throw error("starts with '/': results stand below the output folder") }
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
            case "}": throw error("has a '}' without its '{' (one that is meant is written '}}')")
            default:
                guard !scalar.isTextControl else { throw error("holds a control character") }
                literal.unicodeScalars.append(scalar)
            }
        }
        try endComponent()
        return done
    }

    private mutating func field() throws(BatchError) -> NameTemplate.Piece {
        guard let end = rest.firstIndex(of: "}") else {
            throw error("has a '{' without its '}' (one that is meant is written '{{')")
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
                throw error("has the unknown field {\(name)}; there are {stem} {ext} {w} {h} {id} {hash} {hash:N} {n}")
            }
            guard let digits = Int(name.dropFirst(5)), (1...16).contains(digits) else {
                throw error("has the field {\(name)}; a hash has 1 to 16 digits")
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
        guard !pieces.isEmpty else { throw error("has an empty part before or behind a '/'") }
        if pieces == [.text(".")] || pieces == [.text("..")] {
            throw error("has a '.' or '..': results stand below the output folder")
        }
        done.append(pieces)
        pieces = []
    }

    private func error(_ what: String) -> BatchError {
        // Field names are the user's own words, too.
        let what = String(String.UnicodeScalarView(what.unicodeScalars.map { $0.isTextControl ? "\u{FFFD}" : $0 }))
        return BatchError(.usage, "the name template \(text.quoted) \(what)")
    }
}

/// A template of captions: `{name} {size} {format}`; double literal braces: `{{`.
struct CaptionFormat: Hashable, Sendable {
    enum Field: String, CaseIterable, Sendable {
        /// The file's name without its folder.
        case name
        /// The size of the upright image in pixels: `4000x3000`.
        case size
        /// `JPEG`, `PNG`.
        case format
    }

    private enum Piece: Hashable {
        case text(String)
        case field(Field)
    }

    private let pieces: [Piece]

    /// Its fields, as help lists them.
    static let fields = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
    /// All fields.
    static let standard = CaptionFormat(Field.allCases.flatMap { [.text(" "), .field($0)] }.dropFirst())

    private init(_ pieces: some Sequence<Piece>) { self.pieces = Array(pieces) }

    init(parsing text: String) throws(Failure) {
        var pieces: [Piece] = []
        var literal = ""
        var rest = text[...].unicodeScalars
        while let scalar = rest.popFirst() {
            if scalar == "{" || scalar == "}", rest.first == scalar {
                rest.removeFirst()
            } else if scalar == "}" {
                throw .usage("'}' without '{'; write '}}' for a literal one")
            } else if scalar == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw .usage("'{' without '}'; write '{{' for a literal one")
                }
                guard let field = Field(rawValue: String(rest[..<end])) else {
                    throw .usage("unknown field {\(String(rest[..<end]))}; use \(Self.fields)")
                }
                rest = rest[rest.index(after: end)...]
                if !literal.isEmpty { pieces.append(.text(literal)) }
                literal = ""
                pieces.append(.field(field))
                continue
            }
            literal.unicodeScalars.append(scalar)
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
        self.init(pieces)
    }

    /// The caption of an image, not yet cleaned.
    func text(_ value: (Field) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field): value(field)
            }
        }.joined()
    }
}

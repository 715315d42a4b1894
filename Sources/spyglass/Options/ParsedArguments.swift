import SpyglassCatalog
import SpyglassFiles

struct ParsedOption: Sendable {
    let declaration: OptionDeclaration
    /// The name as the user wrote it: `--limit`, `-n`, `SPYGLASS_LIMIT`.
    let spelling: String
    let value: String?

    func change() throws(Failure) -> OptionDeclaration.Change {
        do { return try declaration.change(value) } catch {
            let shown = declaration.values.omitsValue ? "" : value.map { " \(Self.quoted($0))" } ?? ""
            throw .usage("\(spelling)\(shown): \(error.message)")
        }
    }

    private static func quoted(_ value: String) -> String {
        value.isEmpty || value.contains(" ") ? "'\(value)'" : value
    }
}

struct ParsedArguments {
    private(set) var options: [ParsedOption] = []
    /// Operands before `--`; the first may be a command's name.
    private(set) var operands: [Argument] = []
    private(set) var afterDashes: [Argument] = []

    /// The first word that is a command's name; for messages about options before it.
    private let likelyCommand: Command?

    init(_ arguments: [Argument]) throws(Failure) {
        likelyCommand = arguments.lazy.compactMap { Command(rawValue: $0.text) }.first
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let word = argument.text
            if word == "--" {
                afterDashes = Array(rest)
                return
            }
            if word.hasPrefix("--") {
                try addLong(word.dropFirst(2), &rest)
            } else if word.hasPrefix("-"), word != "-" {
                try addShort(word.dropFirst(), &rest)
            } else {
                operands.append(argument)
            }
        }
    }

    private mutating func addLong(_ word: Substring, _ rest: inout ArraySlice<Argument>) throws(Failure) {
        let equals = word.firstIndex(of: "=")
        let name = word[..<(equals ?? word.endIndex)]
        let attached = equals.map { String(word[word.index(after: $0)...]) }
        guard let declaration = OptionTable.named(name) else {
            if let advice = FormerOption.advice(for: name) { throw .usage("--\(name) was removed in 0.3; \(advice)") }
            throw unknown("--\(name)", name)
        }
        guard declaration.form != .none || attached == nil else {
            throw .usage("\(declaration.dashed) takes no value")
        }
        try add(declaration, as: declaration.dashed, attached, &rest)
    }

    /// `-q`, `-qv`, `-n5`, `-n 5`.
    private mutating func addShort(_ letters: Substring, _ rest: inout ArraySlice<Argument>) throws(Failure) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let declaration = OptionTable.abbreviated(letter) else { throw unknown("-\(letter)", letters) }
            var attached: String?
            if case .required = declaration.form, !letters.isEmpty {
                attached = String(letters)
                letters = ""
            }
            try add(declaration, as: "-\(letter)", attached, &rest)
        }
    }

    private mutating func add(
        _ declaration: OptionDeclaration, as spelling: String, _ attached: String?, _ rest: inout ArraySlice<Argument>
    ) throws(Failure) {
        var value = attached
        if value == nil, case .required(let placeholder) = declaration.form {
            guard let next = rest.first?.text else {
                throw .usage("\(spelling) needs a value: \(spelling) \(placeholder)")
            }
            guard !Self.isOption(next) else {
                throw .usage(
                    "\(spelling) needs a value before \(next); to pass it as the value, write \(declaration.dashed)=\(next)"
                )
            }
            rest.removeFirst()
            value = next
        }
        options.append(ParsedOption(declaration: declaration, spelling: spelling, value: value))
    }

    /// Whether a word is a known long option, and so unlikely to be the value of another.
    private static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("--") else { return false }
        return word == "--" || OptionTable.named(word.dropFirst(2).prefix { $0 != "=" }) != nil
    }

    private func unknown(_ spelling: String, _ name: Substring) -> Failure {
        let names = OptionTable.all.lazy.filter { !$0.isHidden }.map(\.name)
        let foreign = ForeignOption.advice(for: spelling, in: likelyCommand)
        let command = likelyCommand?.rawValue ?? (foreign == nil ? "COMMAND" : Command.show.rawValue)
        let help = "spyglass help \(command) lists the options"
        let isLong = spelling.hasPrefix("--")
        let advice = foreign ?? (isLong ? EditDistance.suggestion(for: name, among: names, prefix: "--") : nil)
        return .usage("unknown option \(spelling); " + (advice.map { "\($0) (\(help))" } ?? help))
    }
}

/// One word of the command line; its bytes open files, since names need not be UTF-8.
struct Argument: Hashable, Sendable {
    /// Invalid UTF-8 is replaced with U+FFFD.
    let text: String
    /// The bytes, if they are not valid UTF-8.
    private let original: [UInt8]?

    init(_ text: String) {
        self.text = text
        self.original = nil
    }

    init(bytes: [UInt8]) {
        self.text = String(decoding: bytes, as: UTF8.self)
        self.original = text.utf8.elementsEqual(bytes) ? nil : bytes
    }

    var isUTF8: Bool { original == nil }

    var bytes: [UInt8] { original ?? Array(text.utf8) }
}

extension Argument: FilePath {
    func withCPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        original.map { $0.withCPath(body) } ?? text.withCPath(body)
    }

    var containsZero: Bool { text.containsZero }
    var shown: String { text }
}

extension Argument: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}

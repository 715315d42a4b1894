/// An option as it stood on the command line or in the environment.
struct ParsedOption: Sendable {
    let declaration: OptionDeclaration
    /// As it was written: `--limit`, `-n`, `SPYGLASS_LIMIT`.
    let written: String
    let value: String?

    /// Puts the value into the settings, or says why not, with the name as it was written.
    func store(in settings: inout Settings) throws(Failure) {
        do {
            try declaration.store(&settings, value)
        } catch {
            let shown = error.isWhole ? "" : value.map { " \(Self.shown($0))" } ?? ""
            throw .usage("\(written)\(shown): \(error.reason)")
        }
    }

    /// The value in a message: quoted where one could not see it.
    private static func shown(_ value: String) -> String {
        value.isEmpty || value.contains(" ") ? "'\(value)'" : value
    }
}

/// The command line sorted into options and operands, before anything is made of them.
struct ParsedArguments {
    private(set) var options: [ParsedOption] = []
    /// Operands before `--`; the first may be a command's name.
    private(set) var operands: [Argument] = []
    /// Operands behind `--`.
    private(set) var afterDashes: [Argument] = []

    init(_ arguments: [Argument]) throws(Failure) {
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

    // MARK: Options

    private mutating func addLong(_ word: Substring, _ rest: inout ArraySlice<Argument>) throws(Failure) {
        let equals = word.firstIndex(of: "=")
        let name = word[..<(equals ?? word.endIndex)]
        let attached = equals.map { String(word[word.index(after: $0)...]) }
        guard let declaration = OptionTable.named(name) else { throw Self.unknown("--\(name)", name) }
        guard declaration.value != .none || attached == nil else {
            throw .usage("\(declaration.dashed) takes no value")
        }
        try add(declaration, as: declaration.dashed, attached, &rest)
    }

    /// `-q`, `-qv`, `-n5`, `-n 5`.
    private mutating func addShort(_ letters: Substring, _ rest: inout ArraySlice<Argument>) throws(Failure) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let declaration = OptionTable.abbreviated(letter) else { throw Self.unknown("-\(letter)", letters) }
            var attached: String?
            if case .required = declaration.value, !letters.isEmpty {
                attached = String(letters)
                letters = ""
            }
            try add(declaration, as: "-\(letter)", attached, &rest)
        }
    }

    private mutating func add(
        _ declaration: OptionDeclaration, as written: String, _ attached: String?,
        _ rest: inout ArraySlice<Argument>
    ) throws(Failure) {
        var value = attached
        if value == nil, case .required(let placeholder) = declaration.value {
            guard let next = rest.first?.text else {
                throw .usage("\(written) needs a value: \(written) \(placeholder)")
            }
            guard !Self.isOption(next) else {
                throw .usage("\(written) needs a value before \(next); to mean it, write \(declaration.dashed)=\(next)")
            }
            rest.removeFirst()
            value = next
        }
        options.append(ParsedOption(declaration: declaration, written: written, value: value))
    }

    /// Whether a word is one of our long options: then it is hardly meant as the value of another.
    private static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("--") else { return false }
        return word == "--" || OptionTable.named(word.dropFirst(2).prefix { $0 != "=" }) != nil
    }

    private static func unknown(_ written: String, _ name: Substring) -> Failure {
        let names = OptionTable.all.lazy.filter { !$0.isHidden }.map(\.name)
        let nearest = written.hasPrefix("--") ? EditDistance.nearest(to: name, among: names) : nil
        let advice = nearest.map { "did you mean --\($0)?" } ?? "spyglass help lists them"
        return .usage("unknown option \(written); \(advice)")
    }
}

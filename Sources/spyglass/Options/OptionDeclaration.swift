/// One option, from which parsing, its environment variable, help, completions and the man page follow.
struct OptionDeclaration: Sendable {
    let name: String
    var short: Character?
    let form: Form
    /// The effect, in a few words that follow the option's name in help.
    let summary: String
    var values = OptionValues()
    /// Whether a second value adds to the first; otherwise the last one wins.
    var isList = false
    var isHidden = false
    var group = Group.other
    /// The commands that it affects; others refuse it.
    var commands: [Command] = []
    /// Whether `SPYGLASS_NAME` sets it; commands that it does not affect ignore the variable.
    var isShared = true
    /// Checks a value, `nil` where the option has none, and returns what stores it.
    let change: @Sendable (String?) throws(Failure) -> Change

    typealias Change = @Sendable (inout Options) -> Void

    enum Form: Hashable, Sendable {
        case none
        /// `--limit N`, `--limit=N`.
        case required(String)
        /// `--stats`, `--stats=json`.
        case optional(String)
    }

    enum Group: String, CaseIterable, Sendable {
        case input, output, run, search, source, cache, look, report, limits, other

        var heading: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    }

    var dashed: String { "--\(name)" }
    var variable: String { "SPYGLASS_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 }) }

    /// Whether the help of a command lists it.
    func isShown(in command: Command) -> Bool { !isHidden && commands.contains(command) }
}

extension OptionDeclaration {
    static func value<Value>(
        _ name: String, _ placeholder: String, _ summary: String, _ parser: ValueParser<Value>,
        for commands: [Command] = [], short: Character? = nil, isList: Bool = false,
        _ set: @escaping @Sendable (inout Options, Value) -> Void
    ) -> OptionDeclaration {
        OptionDeclaration(
            name: name, short: short, form: .required(placeholder), summary: summary, values: parser.values,
            isList: isList, commands: commands
        ) { text throws(Failure) in
            if parser.values.acceptsAuto, text == "auto" { return { _ in } }
            let value = try parser.parse(text ?? "")
            return { set(&$0, value) }
        }
    }

    static func value<Value>(
        _ name: String, _ placeholder: String, _ summary: String, _ parser: ValueParser<Value>,
        for commands: [Command] = [], short: Character? = nil, _ path: any WritableKeyPath<Options, Value> & Sendable
    ) -> OptionDeclaration {
        value(name, placeholder, summary, parser, for: commands, short: short) { $0[keyPath: path] = $1 }
    }

    static func value<Value>(
        _ name: String, _ placeholder: String, _ summary: String, _ parser: ValueParser<Value>,
        for commands: [Command] = [], short: Character? = nil, _ path: any WritableKeyPath<Options, Value?> & Sendable
    ) -> OptionDeclaration {
        value(name, placeholder, summary, parser, for: commands, short: short) { $0[keyPath: path] = $1 }
    }

    /// An option without a value that sets `path` to `value`; its variable is 1, or 0 for the opposite.
    static func flag(
        _ name: String, _ summary: String, for commands: [Command] = [], short: Character? = nil,
        isShared: Bool = true, _ path: any WritableKeyPath<Options, Bool> & Sendable, to value: Bool = true
    ) -> OptionDeclaration {
        OptionDeclaration(
            name: name, short: short, form: .none, summary: summary, commands: commands, isShared: isShared
        ) { text throws(Failure) in
            let isOn = try text.map(Self.isOn) ?? true
            return { $0[keyPath: path] = isOn == value }
        }
    }

    static func isOn(_ text: String) throws(Failure) -> Bool {
        switch text.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default: throw .usage("expected 1 or 0")
        }
    }
}

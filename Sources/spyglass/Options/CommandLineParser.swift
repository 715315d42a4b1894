import SpyglassCatalog

enum Invocation: Hashable, Sendable {
    case run(Command, Options, [Argument])
    /// An empty command line: the browser, or help without a terminal.
    case nothing(Options)
    /// Help for one command, or the overview.
    case help(Command?)
    case version
    case manual
}

/// Parses a command line.
///
/// Only the first operand can be a command's name: `spyglass how to show` searches. Nothing after `--` is an option, a command or
/// a file.
struct CommandLineParser {
    let environment: Environment
    let exists: (Argument) -> Bool

    func invocation(for arguments: [Argument]) throws(Failure) -> Invocation {
        let parsed = try ParsedArguments(arguments)
        let (command, operands) = Self.command(of: parsed)
        // Help and version take precedence over errors in other options.
        let names = parsed.options.map(\.declaration.name)
        if names.contains("help") { return .help(command) }
        if names.contains("version") { return .version }
        if names.contains("man") { return .manual }
        switch command {
        case .help?:
            try Options.reject(parsed.options, notFor: .help)
            guard operands.count <= 1 else { throw .usage("help explains one command at a time") }
            guard let name = operands.first?.text else { return .help(nil) }
            guard let topic = Command(rawValue: name) else { throw Self.unknownTopic(name) }
            return .help(topic)
        case .completions?:
            try Options.reject(parsed.options, notFor: .completions)
            return .run(.completions, Options(), operands)
        case .browse?, nil:
            let implied = command ?? Self.impliedCommand(by: parsed.options)
            var options = try Options(parsed.options, for: implied, environment)
            guard command != nil || !operands.isEmpty || !parsed.options.isEmpty else { return .nothing(options) }
            // `--source folder` opens all operands.
            if options.source != .folder || !parsed.options.contains(where: { $0.declaration.name == "source" }) {
                let obstacle =
                    Self.optionOfSearch(parsed.options)?.spelling ?? (parsed.afterDashes.isEmpty ? nil : "--")
                try read(operands, path: parsed.operands.first(where: \.isExplicitPath), obstacle, command, &options)
                // A mistyped command precedes its operands; after `--` there are only words.
                if command == nil, parsed.afterDashes.isEmpty, let word = operands.first, !exists(word) {
                    options.hint = Self.hint(for: word.text, in: operands) ?? options.hint
                }
            }
            return .run(implied, options, operands)
        case let command?:
            let options = try Options(parsed.options, for: command, environment)
            if command == .list, options.source != .folder, let path = parsed.operands.first(where: \.isExplicitPath) {
                throw .usage("list searches, so it cannot open \(path.text); add --source folder")
            }
            return .run(command, options, operands)
        }
    }

    /// Opens operands that all exist, and explains what may surprise about the others.
    ///
    /// Refuses operands with a path that cannot be opened: a search would send them to a server.
    private func read(
        _ operands: [Argument], path: Argument?, _ obstacle: String?, _ command: Command?, _ options: inout Options
    ) throws(Failure) {
        if let obstacle {
            guard let path else { return }
            throw .usage("\(obstacle) is for searches, so it cannot be combined with the file or folder \(path.text)")
        }
        guard !operands.isEmpty else { return }
        let missing = operands.filter { !exists($0) }
        if path != nil, let missing = missing.first { throw .usage("\(missing.text): no such file or folder") }
        let prefix = command.map { "spyglass \($0.rawValue)" } ?? "spyglass"
        if missing.isEmpty {
            options.source = .folder
            // What looks like a path is not a word to search for.
            if operands.count <= Self.maxHintWords, operands.allSatisfy(\.isWord) {
                let words = Self.line(operands)
                let what = operands.count == 1 ? "word" : "words"
                options.hint = "opened \(words); to search for the \(what): \(prefix) -- \(words)"
            }
        } else if let missing = missing.first(where: { $0.isPath || missing.count < operands.count }) {
            options.hint = "\(missing.text): no such file or folder; searching for the words"
        }
    }

    /// Names the command that the first word of a search resembles.
    private static func hint(for word: String, in operands: [Argument]) -> String? {
        guard !word.contains("/"), operands.count <= maxHintWords else { return nil }
        let meant = Command.allCases.first { EditDistance.between($0.rawValue, word) == 1 }
        return meant.map { "searching for '\(line(operands))'; the command is spyglass \($0.rawValue)" }
    }

    private static func line(_ operands: [Argument]) -> String { operands.map(\.text).joined(separator: " ") }

    /// A hint is one line.
    private static let maxHintWords = 8

    /// An option that names another source, or belongs to a search.
    private static func optionOfSearch(_ options: [ParsedOption]) -> ParsedOption? {
        options.first { option in
            let name = option.declaration.name
            return ["source", "endpoint", "archive", "record"].contains(name)
                || option.declaration.group == .search && !["limit", "sort"].contains(name)
        }
    }

    /// The command of a line without one: `browse`, unless an option belongs to `list` and not to `browse`.
    private static func impliedCommand(by options: [ParsedOption]) -> Command {
        options.contains { option in
            let commands = option.declaration.commands
            return commands.contains(.list) && !commands.contains(.browse)
        } ? .list : .browse
    }

    /// The command and its operands; no command when the operands are a query or files.
    private static func command(of parsed: ParsedArguments) -> (Command?, [Argument]) {
        let operands = parsed.operands + parsed.afterDashes
        guard let command = parsed.operands.first.flatMap({ Command(rawValue: $0.text) }) else {
            return (nil, operands)
        }
        return (command, Array(operands.dropFirst()))
    }

    private static func unknownTopic(_ name: String) -> Failure {
        let advice = EditDistance.suggestion(for: name, among: Command.names)
        return .usage("unknown command \(name); \(advice ?? "spyglass help lists them")")
    }
}

extension Options {
    /// The options of a command: the command line's override the environment's.
    ///
    /// Checks every value, overridden ones included. An option also overrides variables that contradict it. Two
    /// contradicting options, or two contradicting variables, are an error.
    init(_ parsed: [ParsedOption], for command: Command, _ environment: Environment) throws(Failure) {
        try Self.reject(parsed, notFor: command)
        let variables = Self.variables(in: environment)
        for option in parsed { _ = try option.change() }
        let given = Self.effective(parsed)
        try Self.rejectContradictions(given)
        if command == .resize { try Self.rejectSearchOptions(given) }

        for variable in variables { _ = try variable.change() }
        let names = given.map(\.declaration.name)
        let effective = variables.filter { variable in
            let name = variable.declaration.name
            return !given.contains { option in
                let other = option.declaration.name
                return other == name || (option.isOn && variable.isOn && OptionTable.contradict(other, name))
            }
        }
        try Self.rejectContradictions(effective)

        self.init()
        for option in effective + given { try option.change()(&self) }
        requestsImages = ["color", "cells", "pixels"].contains { names.contains($0) }
    }

    fileprivate static func reject(_ options: [ParsedOption], notFor command: Command) throws(Failure) {
        for option in options {
            let declaration = option.declaration
            guard !declaration.commands.contains(command) else {
                if option.isResampling, command != .resize { throw .usage("\(option.spelling): expected NAME:VALUE") }
                continue
            }
            let advice = ForeignOption.advice(for: option.spelling, in: command).map { "; \($0)" } ?? ""
            throw .usage(
                "\(option.spelling) is not an option of \(command.rawValue) but of "
                    + ValueText.alternatives(declaration.commands.map(\.rawValue)) + advice)
        }
    }

    /// The options without those that a later one replaces, and without `auto`.
    private static func effective(_ options: [ParsedOption]) -> [ParsedOption] {
        options.enumerated().filter { index, option in
            let declaration = option.declaration
            guard !declaration.isList else { return true }
            let isLast = !options[(index + 1)...].contains { $0.declaration.name == declaration.name }
            return isLast && !(declaration.values.acceptsAuto && option.value == "auto")
        }.map(\.element)
    }

    private static func rejectContradictions(_ options: [ParsedOption]) throws(Failure) {
        for (first, second, reason) in OptionTable.contradictions {
            guard let one = options.first(where: { $0.declaration.name == first && $0.isOn }),
                let other = options.first(where: { $0.declaration.name == second && $0.isOn })
            else { continue }
            throw .usage("\(one.spelling) and \(other.spelling) cannot be combined: \(reason)")
        }
    }

    /// Rejects search options without a search; a variable may serve other commands.
    private static func rejectSearchOptions(_ options: [ParsedOption]) throws(Failure) {
        guard !options.contains(where: { $0.declaration.name == "search" }),
            let unused = options.first(where: { $0.declaration.group == .search && !$0.isResampling })
        else { return }
        throw .usage("\(unused.spelling) needs a search; add --search WORDS")
    }

    private static func variables(in environment: Environment) -> [ParsedOption] {
        guard environment.hasName(withPrefix: OptionDeclaration.variablePrefix) else { return [] }
        return OptionTable.all.filter(\.isShared).compactMap { declaration in
            let variable = declaration.variable
            guard let value = environment[variable], !value.isEmpty else { return nil }
            return ParsedOption(declaration: declaration, spelling: variable, value: value)
        }
    }
}

extension ParsedOption {
    /// Whether `--filter` names a resampling filter, and none of a source.
    fileprivate var isResampling: Bool { declaration.name == "filter" && value?.contains(":") == false }

    /// Whether its value can contradict another option's: a flag that is on, no colours, more than half-blocks.
    fileprivate var isOn: Bool {
        switch declaration.name {
        case "color": return value == "none"
        case "pixels": return value != "half"
        default: break
        }
        guard declaration.form == .none, let value else { return true }
        return (try? OptionDeclaration.isOn(value)) ?? true
    }
}

extension Argument {
    fileprivate var isPath: Bool { text.contains("/") }
    /// True for a text that can only be a path, never a word of a search.
    fileprivate var isExplicitPath: Bool {
        [".", ".."].contains(text) || ["/", "./", "../", "~/"].contains { text.hasPrefix($0) }
    }
    /// True for a text that could also be a word of a search.
    fileprivate var isWord: Bool { !isPath && text.contains { $0.isLetter || $0.isNumber } && !text.contains(".") }
}

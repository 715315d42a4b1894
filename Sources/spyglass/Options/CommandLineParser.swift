import SpyglassCatalog
import SpyglassCodecs

enum Invocation: Hashable, Sendable {
    case run(Command, Options, [Argument])
    /// An empty command line: the browser, or help without a terminal.
    case nothing(Options)
    case help(Command?)
    /// The keys of the browser.
    case keys
    case version, manual
}

/// Parses a command line; only the first operand can be a command's name: `spyglass how to show` searches.
struct CommandLineParser {
    let environment: Environment
    let exists: (Argument) -> Bool

    func invocation(for arguments: [Argument]) throws(Failure) -> Invocation {
        let parsed = try ParsedArguments(arguments)
        let command = parsed.operands.first.flatMap { Command(rawValue: $0.text) }
        let operands = Array((parsed.operands + parsed.afterDashes).dropFirst(command == nil ? 0 : 1))
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
            if name == HelpPage.keys { return .keys }
            guard let topic = Command(rawValue: name) else {
                let names = Command.names + [HelpPage.keys]
                let advice = EditDistance.suggestion(for: name, among: names) ?? "spyglass help lists them"
                throw .usage("unknown command \(name); \(advice)")
            }
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
                let others = operands.filter { $0.text != "-" }
                if parsed.afterDashes.isEmpty, others.count < operands.count, others.allSatisfy(exists) {
                    throw .usage("browse reads no files from standard input; try: xargs -o spyglass < FILES")
                }
                let hasFile = operands.contains(where: exists)
                let path = parsed.operands.first {
                    $0.isExplicitPath || $0.namesImage && (operands.count == 1 || hasFile && !exists($0))
                }
                try read(operands, path: path, obstacle, command, &options)
                // A mistyped command precedes its operands; after `--` there are only words.
                if command == nil, parsed.afterDashes.isEmpty, let word = operands.first, !exists(word) {
                    options.hint = Self.hint(for: word.text, in: operands) ?? options.hint
                }
            }
            return .run(implied, options, operands)
        case let command?:
            var options = try Options(parsed.options, for: command, environment)
            if command == .list, options.source != .folder {
                if let path = parsed.operands.first(where: \.isExplicitPath) {
                    throw .usage("list searches, so it cannot open \(path.text); add --source folder")
                }
                if parsed.afterDashes.isEmpty, let name = operands.first, operands.allSatisfy(exists) {
                    options.hint = "searching for the words; to list the files of \(name.text), add --source folder"
                }
            }
            return .run(command, options, operands)
        }
    }

    /// Opens the operands if all exist; refuses a missing path, since a search would send it to a server.
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

    private static let maxHintWords = 8

    /// The first option that names another source or belongs to a search.
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
}

extension Options {
    /// Checks all values; options override their variables and those that they contradict.
    ///
    /// Two options or two variables that contradict each other are an error.
    init(_ parsed: [ParsedOption], for command: Command, _ environment: Environment) throws(Failure) {
        try Self.reject(parsed, notFor: command)
        let variables = Self.variables(in: environment)
        for option in parsed { _ = try option.change() }
        let given = Self.effective(parsed)
        try Self.rejectContradictions(given)
        if command == .resize { try Self.rejectSearchOptions(given) }

        for variable in variables { _ = try variable.change() }
        let effective = variables.filter { variable in !given.contains { $0.overrides(variable) } }
        try Self.rejectContradictions(effective)

        self.init()
        for option in effective + given { try option.change()(&self) }
        requestsImages = given.contains { ["color", "cells", "pixels"].contains($0.declaration.name) }
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
        OptionTable.all.filter(\.isShared).compactMap { declaration in
            guard let value = environment[declaration.variable], !value.isEmpty else { return nil }
            return ParsedOption(declaration: declaration, spelling: declaration.variable, value: value)
        }
    }
}

extension ParsedOption {
    /// Whether `--filter` names a resampling filter instead of a source's.
    fileprivate var isResampling: Bool { declaration.name == "filter" && value?.contains(":") == false }

    fileprivate func overrides(_ variable: ParsedOption) -> Bool {
        let (name, other) = (declaration.name, variable.declaration.name)
        let contradict = OptionTable.contradictions.contains { Set([$0.0, $0.1]) == [name, other] }
        return name == other || (contradict && isOn && variable.isOn)
    }

    /// Whether its value can contradict another option: a flag that is on, no colours, more than half-blocks.
    fileprivate var isOn: Bool {
        switch declaration.name {
        case "color": return value == "none"
        case "pixels": return value != "half"
        default: return declaration.form != .none || (try? value.map(OptionDeclaration.isOn)) ?? true
        }
    }
}

extension Argument {
    fileprivate var isPath: Bool { text.contains("/") }
    /// Whether the text can only be a path, never a word of a search.
    fileprivate var isExplicitPath: Bool {
        [".", ".."].contains(text) || ["/", "./", "../", "~/"].contains { text.hasPrefix($0) }
    }
    fileprivate var namesImage: Bool { FileKind(extensionOf: bytes) != nil && !text.contains { $0.isWhitespace } }
    /// Whether the text could also be a word of a search.
    fileprivate var isWord: Bool { !isPath && text.contains { $0.isLetter || $0.isNumber } && !text.contains(".") }
}

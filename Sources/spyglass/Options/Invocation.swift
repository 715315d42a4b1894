/// What a command line asks for.
enum Invocation: Hashable, Sendable {
    case run(Command, Settings, [Argument])
    /// Nothing was said: the browser begins, where there is a terminal for it.
    case nothing(Settings)
    /// Help of one command, or of all.
    case help(Command?)
    case version
    case manual
}

/// What the parser must know of the system.
struct ParsingContext: Sendable {
    var environment: Environment
    /// Whether a name is that of an existing file that is no folder.
    var isFile: @Sendable (Argument) -> Bool
}

/// Turns words into an invocation; the grammar is the design's section 3.1.
///
///     let invocation = try CommandLineParser(context).invocation(for: ["list", "apollo", "11", "-n", "5"])
///
/// Only the first operand can be a command's name: `spyglass how to show` searches. Nothing behind `--` is an option
/// or a command.
struct CommandLineParser {
    let context: ParsingContext

    init(_ context: ParsingContext) { self.context = context }

    /// Reads the command line and the environment.
    ///
    /// - Throws: `Failure` with the exit code 2, and a sentence that says what would be right.
    func invocation(for arguments: [Argument]) throws(Failure) -> Invocation {
        let words = try ParsedArguments(arguments)
        let (command, operands) = try command(of: words)
        var asked = Settings()
        // Help and version answer even where another option of the same line would be refused.
        let answering = [OptionName.help, OptionName.version, OptionName.man]
        for option in words.options where answering.contains(option.declaration.name) {
            try option.store(in: &asked)
        }
        if asked.wantsHelp { return .help(command) }
        if asked.wantsVersion { return .version }
        if asked.wantsManual { return .manual }

        if let command { return try invocation(of: command, operands, words.options) }
        let implied = Self.impliedCommand(by: words.options)
        let settings = try Precedence(context.environment).settings(from: words.options, for: implied)
        guard operands.isEmpty, words.options.isEmpty else { return .run(implied, settings, operands) }
        return .nothing(settings)
    }

    private func invocation(
        of command: Command, _ operands: [Argument], _ options: [ParsedOption]
    ) throws(Failure) -> Invocation {
        switch command {
        case .help:
            try Precedence.refuse(options, notFor: command)
            guard operands.count <= 1 else { throw .usage("help explains one command at a time") }
            guard let name = operands.first?.text else { return .help(nil) }
            guard let topic = Command(rawValue: name) else { throw Self.unknownTopic(name) }
            return .help(topic)
        case .completions:
            try Precedence.refuse(options, notFor: command)
            return .run(command, Settings(), operands)
        case .browse, .list, .show, .resize, .cache, .bench, .doctor:
            let settings = try Precedence(context.environment).settings(from: options, for: command)
            return .run(command, settings, operands)
        }
    }

    // MARK: Which command

    /// What words without a command mean: `browse`, unless an option is one that only `list` knows.
    private static func impliedCommand(by options: [ParsedOption]) -> Command {
        options.contains { option in
            let commands = option.declaration.commands
            return commands.contains(.list) && !commands.contains(.browse)
        } ? .list : .browse
    }

    /// The command and its operands; no command when the operands are a query.
    private func command(of words: ParsedArguments) throws(Failure) -> (Command?, [Argument]) {
        guard let first = words.operands.first else { return (nil, words.afterDashes) }
        if let command = Command(rawValue: first.text) {
            return (command, words.operands.dropFirst() + words.afterDashes)
        }
        let operands = words.operands + words.afterDashes
        guard operands.count == 1 else { return (nil, operands) }
        if context.isFile(first) {
            throw .usage("\(first.text) is a file; spyglass show \(first.text) prints it")
        }
        if let command = Command.allCases.first(where: { EditDistance.between($0.rawValue, first.text) == 1 }) {
            throw .usage(
                "no command \(first.text); did you mean spyglass \(command.rawValue)? "
                    + "(spyglass list \(first.text) searches for the word)")
        }
        return (nil, operands)
    }

    private static func unknownTopic(_ name: String) -> Failure {
        let nearest = EditDistance.nearest(to: name, among: Command.allCases.map(\.rawValue))
        return .usage("no command \(name)" + (nearest.map { "; did you mean \($0)?" } ?? "; spyglass help lists them"))
    }
}

/// Puts the settings together: an option before its variable, a variable before what the program would choose.
struct Precedence {
    let environment: Environment

    init(_ environment: Environment) { self.environment = environment }

    /// The settings of a command that takes the shared options.
    ///
    /// Every value is checked, also one that another overrides. An option overrides the variable of what contradicts
    /// it; two options, or two variables, that contradict each other are refused.
    func settings(from options: [ParsedOption], for command: Command) throws(Failure) -> Settings {
        try Self.refuse(options, notFor: command)
        var discarded = Settings()
        for option in options { try option.store(in: &discarded) }
        let effective = Self.effective(options)
        try Self.refuseContradictions(effective)
        try Self.refuseSearchOptions(effective, of: command)

        let variables = variables()
        for variable in variables { try variable.store(in: &discarded) }
        let names = effective.map(\.declaration.name)
        let counting = variables.filter { variable in
            let name = variable.declaration.name
            return !names.contains(name) && !names.contains { Self.contradicts($0, name) }
        }
        try Self.refuseContradictions(counting)

        var settings = Settings()
        for option in counting + effective { try option.store(in: &settings) }
        if command == .browse { settings.decided = Set((counting + effective).map(\.declaration.name)) }
        settings.asksForPictures = names.contains(OptionName.color) || names.contains(OptionName.cells)
        return settings
    }

    /// Refuses options that belong to other commands.
    static func refuse(_ options: [ParsedOption], notFor command: Command) throws(Failure) {
        for option in options {
            let declaration = option.declaration
            guard !declaration.isShared, !declaration.commands.contains(command) else { continue }
            throw .usage(
                "\(option.written) is not an option of \(command.rawValue) but of "
                    + Values.alternatives(declaration.commands.map(\.rawValue)))
        }
    }

    /// What is left when the last of equals wins and `auto` counts as not given.
    private static func effective(_ options: [ParsedOption]) -> [ParsedOption] {
        options.enumerated().filter { index, option in
            let declaration = option.declaration
            guard !declaration.isList else { return true }
            let isLast = !options[(index + 1)...].contains { $0.declaration.name == declaration.name }
            return isLast && (declaration.absentValue == nil || option.value != declaration.absentValue)
        }.map(\.element)
    }

    private static func refuseContradictions(_ options: [ParsedOption]) throws(Failure) {
        for (first, second, reason) in OptionTable.contradictions {
            guard let one = options.first(where: { $0.declaration.name == first && $0.isOn }),
                let other = options.first(where: { $0.declaration.name == second && $0.isOn })
            else { continue }
            throw .usage("\(one.written) and \(other.written) contradict each other: \(reason)")
        }
    }

    /// Refuses options of a search where nothing is searched for; a variable is for the commands that search.
    private static func refuseSearchOptions(_ options: [ParsedOption], of command: Command) throws(Failure) {
        guard command == .resize, !options.contains(where: { $0.declaration.name == OptionName.search }),
            let idle = options.first(where: { $0.declaration.group == .search })
        else { return }
        throw .usage("\(idle.written) is about a search; to resize what one finds, add --search WORDS")
    }

    private static func contradicts(_ one: String, _ other: String) -> Bool {
        OptionTable.contradictions.contains { first, second, _ in
            (first == one && second == other) || (first == other && second == one)
        }
    }

    /// The variables that are set and not empty.
    private func variables() -> [ParsedOption] {
        guard environment.hasName(withPrefix: OptionDeclaration.variablePrefix) else { return [] }
        return OptionTable.all.filter(\.isShared).compactMap { declaration in
            let variable = declaration.variable
            guard let value = environment[variable], !value.isEmpty else { return nil }
            return ParsedOption(declaration: declaration, written: variable, value: value)
        }
    }
}

extension ParsedOption {
    /// Whether a variable of an option that stands alone switches it on.
    fileprivate var isOn: Bool {
        guard declaration.value == .none, let value else { return true }
        return (try? Values.flag(value)) ?? true
    }
}

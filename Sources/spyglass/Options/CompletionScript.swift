enum CompletionScript {
    static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static var bash: String {
        let values = visible.filter { $0.form != .none }.map { option in
            let words = ([option.dashed] + (option.short.map { ["-\($0)"] } ?? [])).joined(separator: "|")
            let reply = bashReply(option.values.completions)
            guard case .optional = option.form else { return "        \(words)) \(reply); return ;;\n" }
            let followsEquals = "[[ ${COMP_WORDS[COMP_CWORD-1]} == = || ${COMP_WORDS[COMP_CWORD]} == = ]]"
            return "        \(words)) \(followsEquals) && { \(reply); return; } ;;\n"
        }
        let options = Command.allCases.map { command in
            "            \(command)) \(bashReply(.words(dashed(of: command)))) ;;\n"
        }
        let operands = Command.allCases.map { "        \($0)) \(bashReply($0.declaration.completions)) ;;\n" }
        return """
            # Completions of spyglass for bash.
            _spyglass() {
                local current=${COMP_WORDS[COMP_CWORD]} previous= command= word
                ((COMP_CWORD > 0)) && previous=${COMP_WORDS[COMP_CWORD-1]}
                if [[ $current == = ]]; then current=; fi
                if [[ $previous == = ]] && ((COMP_CWORD > 1)); then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case $word in \(Command.names.joined(separator: "|"))) command=$word; break ;; esac
                done
                case $previous in
            \(values.joined())    esac
                if [[ $current == -* ]]; then
                    case $command in
            \(options.joined())            *) \(bashReply(.words(dashed(of: .browse)))) ;;
                    esac
                    return
                fi
                case $command in
            \(operands.joined())        *) \(bashReply(.words(Command.names))) ;;
                esac
            }
            complete -F _spyglass spyglass

            """
    }

    /// readline completes file names: it quotes spaces, expands `~` and adds the slash of a folder.
    private static func bashReply(_ words: CompletionWords) -> String {
        switch words {
        case .nothing: "COMPREPLY=()"
        case .files: "COMPREPLY=(); compopt -o default"
        case .folders: "COMPREPLY=(); compopt -o dirnames"
        case .words(let words): "mapfile -t COMPREPLY < <(compgen -W '\(joined(words))' -- \"$current\")"
        }
    }

    private static var zsh: String {
        let summaries = Command.allCases.map { "        \(quoted("\($0):\($0.declaration.summary)"))\n" }
        let cases = Command.allCases.map { command in
            let operand = quoted("*:operand:\(zshAction(command.declaration.completions))")
            return "        \(command))\n            _arguments -s \(zshOptions(of: command)) "
                + "\(quoted("1:command:(\(command))")) \(operand)\n            ;;\n"
        }
        return """
            #compdef spyglass
            # Completions of spyglass for zsh.
            _spyglass() {
                local -a commands
                commands=(
            \(summaries.joined())    )
                local command=${words[(r)(\(Command.names.joined(separator: "|")))]}
                case $command in
            \(cases.joined())        *)
                        _arguments -s \(zshOptions(of: .browse)) '1:command:{_describe command commands}'
                        ;;
                esac
            }
            if [ "$funcstack[1]" = _spyglass ]; then _spyglass "$@"; else compdef _spyglass spyglass; fi

            """
    }

    /// One specification for each spelling (zshcompsys(1), `_arguments`).
    private static func zshOptions(of command: Command) -> String {
        joined(
            options(of: command).flatMap { option -> [String] in
                let help = option.summary.filter { $0 != "[" && $0 != "]" && $0 != ":" }
                let action = zshAction(option.values.completions)
                // The separators of a value after the long and the short spelling, and its description.
                let (long, short, value) =
                    switch option.form {
                    case .none: ("", "", "")
                    case .required(let placeholder): ("=", "+", ":\(placeholder):\(action)")
                    case .optional(let placeholder): ("=-", "-", "::\(placeholder):\(action)")
                    }
                let full = "\(option.dashed)\(long)[\(help)]\(value)"
                guard let letter = option.short else { return [quoted((option.isList ? "*" : "") + full)] }
                let others = option.isList ? "*" : "(-\(letter) \(option.dashed))"
                return [quoted("\(others)-\(letter)\(short)[\(help)]\(value)"), quoted(others + full)]
            })
    }

    private static func zshAction(_ words: CompletionWords) -> String {
        switch words {
        case .nothing: " "
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let words): "(\(joined(words)))"
        }
    }

    private static var fish: String {
        let noCommand = "not __fish_seen_subcommand_from \(joined(Command.names))"
        var script = "# Completions of spyglass for fish.\ncomplete -c spyglass -f\n"
        for command in Command.allCases {
            script += "complete -c spyglass -n \(quoted(noCommand)) -a \(command) "
            script += "-d \(quoted(command.declaration.summary))\n"
            let operand = fishAction(command.declaration.completions)
            guard !operand.isEmpty else { continue }
            script += "complete -c spyglass -n '__fish_seen_subcommand_from \(command)'\(operand)\n"
        }
        for option in visible {
            script += "complete -c spyglass"
            if option.commands.count < Command.allCases.count {
                // Words without a command are a search, so the options of browse apply.
                let anywhere = option.commands.contains(.browse) ? "\(noCommand); or " : ""
                let seen = "__fish_seen_subcommand_from \(joined(option.commands.map(\.rawValue)))"
                script += " -n \(quoted(anywhere + seen))"
            }
            script += " -l \(option.name)" + (option.short.map { " -s \($0)" } ?? "")
            if case .required = option.form { script += " -r" }
            script += "\(fishAction(option.values.completions)) -d \(quoted(option.summary))\n"
        }
        return script
    }

    private static func fishAction(_ words: CompletionWords) -> String {
        switch words {
        case .nothing: ""
        case .files: " -F"
        case .folders: " -a '(__fish_complete_directories)'"
        case .words(let words): " -a \(quoted(joined(words)))"
        }
    }

    private static var visible: [OptionDeclaration] { OptionTable.all.filter { !$0.isHidden } }

    private static func options(of command: Command) -> [OptionDeclaration] {
        OptionTable.all.filter { $0.isShown(in: command) }
    }

    private static func dashed(of command: Command) -> [String] { options(of: command).map(\.dashed) }
    private static func joined(_ words: [String]) -> String { words.joined(separator: " ") }

    /// A word for any of the three shells, in single quotes; a quote in it is escaped outside of them.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

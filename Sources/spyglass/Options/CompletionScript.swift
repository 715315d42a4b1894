enum CompletionScript {
    static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash()
        case .zsh: zsh()
        case .fish: fish()
        }
    }

    // MARK: bash

    private static func bash() -> String {
        var script = """
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

            """
        for option in visible where option.form != .none {
            let words = [option.dashed] + (option.short.map { ["-\($0)"] } ?? [])
            if case .optional = option.form {
                script +=
                    "        \(words.joined(separator: "|"))) [[ ${COMP_WORDS[COMP_CWORD-1]} == = || ${COMP_WORDS[COMP_CWORD]} == = ]] && "
                script += "{ \(bashReply(option.values.completions)); return; } ;;\n"
            } else {
                script +=
                    "        \(words.joined(separator: "|"))) \(bashReply(option.values.completions)); return ;;\n"
            }
        }
        script += "    esac\n    if [[ $current == -* ]]; then\n        case $command in\n"
        for command in Command.allCases {
            script += "            \(command)) \(bashReply(.words(dashed(of: command)))) ;;\n"
        }
        script += """
                        *) \(bashReply(.words(dashed(of: .browse)))) ;;
                    esac
                    return
                fi
                case $command in

            """
        for command in Command.allCases {
            script += "        \(command)) \(bashReply(command.declaration.completions)) ;;\n"
        }
        script += """
                    *) \(bashReply(.words(Command.names))) ;;
                esac
            }
            complete -F _spyglass spyglass

            """
        return script
    }

    /// readline completes file names: it quotes spaces, expands `~` and adds the slash of a folder.
    private static func bashReply(_ words: CompletionWords) -> String {
        switch words {
        case .nothing: return "COMPREPLY=()"
        case .files: return "COMPREPLY=(); compopt -o default"
        case .folders: return "COMPREPLY=(); compopt -o dirnames"
        case .words(let words):
            return "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$current\")"
        }
    }

    // MARK: zsh

    private static func zsh() -> String {
        var script = """
            #compdef spyglass
            # Completions of spyglass for zsh.
            _spyglass() {
                local -a commands
                commands=(

            """
        for command in Command.allCases {
            script += "        \(quoted("\(command):\(command.declaration.summary)"))\n"
        }
        script += """
                )
                local command=${words[(r)(\(Command.names.joined(separator: "|")))]}
                case $command in

            """
        for command in Command.allCases {
            script += "        \(command))\n            _arguments -s \(zshOptions(of: command))"
            script += " \(quoted("1:command:(\(command))"))"
            script += " \(quoted("*:operand:\(zshAction(command.declaration.completions))"))\n            ;;\n"
        }
        script += """
                    *)
                        _arguments -s \(zshOptions(of: .browse)) '1:command:{_describe command commands}'
                        ;;
                esac
            }
            if [ "$funcstack[1]" = _spyglass ]; then _spyglass "$@"; else compdef _spyglass spyglass; fi

            """
        return script
    }

    private static func zshOptions(of command: Command) -> String {
        options(of: command).flatMap(zshSpecifications).joined(separator: " ")
    }

    /// One specification for each spelling (zshcompsys(1), `_arguments`).
    private static func zshSpecifications(of option: OptionDeclaration) -> [String] {
        let help = option.summary.filter { $0 != "[" && $0 != "]" && $0 != ":" }
        let action = zshAction(option.values.completions)
        // The separators of a value after the long and the short spelling, and its description.
        let (long, short, value) =
            switch option.form {
            case .none: ("", "", "")
            case .required(let placeholder): ("=", "+", ":\(placeholder):\(action)")
            case .optional(let placeholder): ("=-", "-", "::\(placeholder):\(action)")
            }
        guard let letter = option.short else {
            return [quoted("\(option.isList ? "*" : "")\(option.dashed)\(long)[\(help)]\(value)")]
        }
        let others = option.isList ? "*" : "(-\(letter) \(option.dashed))"
        return [
            quoted("\(others)-\(letter)\(short)[\(help)]\(value)"),
            quoted("\(others)\(option.dashed)\(long)[\(help)]\(value)"),
        ]
    }

    private static func zshAction(_ words: CompletionWords) -> String {
        switch words {
        case .nothing: return " "
        case .files: return "_files"
        case .folders: return "_files -/"
        case .words(let words): return "(\(words.joined(separator: " ")))"
        }
    }

    // MARK: fish

    private static func fish() -> String {
        let commands = Command.names.joined(separator: " ")
        var script = "# Completions of spyglass for fish.\ncomplete -c spyglass -f\n"
        for command in Command.allCases {
            script += "complete -c spyglass -n \(quoted("not __fish_seen_subcommand_from \(commands)"))"
            script += " -a \(command) -d \(quoted(command.declaration.summary))\n"
            let operand = fishAction(command.declaration.completions)
            guard !operand.isEmpty else { continue }
            script += "complete -c spyglass -n '__fish_seen_subcommand_from \(command)' \(operand)\n"
        }
        for option in visible {
            script += "complete -c spyglass"
            if option.commands.count < Command.allCases.count {
                // Words without a command are a search, so the options of browse apply.
                let anywhere =
                    option.commands.contains(.browse) ? "not __fish_seen_subcommand_from \(commands); or " : ""
                let seen = "__fish_seen_subcommand_from \(option.commands.map(\.rawValue).joined(separator: " "))"
                script += " -n \(quoted(anywhere + seen))"
            }
            script += " -l \(option.name)" + (option.short.map { " -s \($0)" } ?? "")
            if case .required = option.form { script += " -r" }
            let action = fishAction(option.values.completions)
            script += (action.isEmpty ? "" : " \(action)") + " -d \(quoted(option.summary))\n"
        }
        return script
    }

    private static func fishAction(_ words: CompletionWords) -> String {
        switch words {
        case .nothing: return ""
        case .files: return "-F"
        case .folders: return "-a '(__fish_complete_directories)'"
        case .words(let words): return "-a \(quoted(words.joined(separator: " ")))"
        }
    }

    // MARK: Words

    private static var visible: [OptionDeclaration] { OptionTable.all.filter { !$0.isHidden } }

    private static func options(of command: Command) -> [OptionDeclaration] {
        visible.filter { $0.commands.contains(command) }
    }

    private static func dashed(of command: Command) -> [String] { options(of: command).map(\.dashed) }

    /// A word for any of the three shells, in single quotes; a quote in it is escaped outside of them.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

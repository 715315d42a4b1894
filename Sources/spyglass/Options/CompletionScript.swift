/// Completion scripts for shells, made from the declarations.
enum CompletionScript {
    static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: return bash()
        case .zsh: return zsh()
        case .fish: return fish()
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
                    case $word in \(names(Command.allCases.map(\.rawValue), "|"))) command=$word; break ;; esac
                done
                case $previous in

            """
        for option in visible where option.form != .none {
            let words = [option.dashed] + (option.short.map { ["-\($0)"] } ?? [])
            if case .optional = option.form {
                script +=
                    "        \(names(words, "|"))) [[ ${COMP_WORDS[COMP_CWORD-1]} == = || ${COMP_WORDS[COMP_CWORD]} == = ]] && "
                script += "{ \(bashReply(option.completions)); return; } ;;\n"
            } else {
                script += "        \(names(words, "|"))) \(bashReply(option.completions)); return ;;\n"
            }
        }
        script += "    esac\n    if [[ $current == -* ]]; then\n        case $command in\n"
        for command in Command.allCases {
            script +=
                "            \(command.rawValue)) \(bashReply(.words(dashed(of: command)))) ;;\n"
        }
        script += """
                        *) \(bashReply(.words(dashed(of: .browse)))) ;;
                    esac
                    return
                fi
                case $command in

            """
        for command in Command.allCases {
            script += "        \(command.rawValue)) \(bashReply(command.declaration.completes)) ;;\n"
        }
        script += """
                    *) \(bashReply(.words(Command.allCases.map(\.rawValue)))) ;;
                esac
            }
            complete -F _spyglass spyglass

            """
        return script
    }

    /// Names of files are left to readline itself: it quotes spaces, expands `~` and adds the slash of a folder.
    private static func bashReply(_ words: CompletionWords) -> String {
        switch words {
        case .nothing: return "COMPREPLY=()"
        case .files: return "COMPREPLY=(); compopt -o default"
        case .folders: return "COMPREPLY=(); compopt -o dirnames"
        case .words(let words):
            return "mapfile -t COMPREPLY < <(compgen -W '\(names(words, " "))' -- \"$current\")"
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
            script += "        \(quoted("\(command.rawValue):\(command.declaration.summary)"))\n"
        }
        script += """
                )
                local command=${words[(r)(\(names(Command.allCases.map(\.rawValue), "|")))]}
                case $command in

            """
        for command in Command.allCases {
            script += "        \(command.rawValue))\n            _arguments -s \(zshOptions(of: command))"
            script += " \(quoted("1:command:(\(command.rawValue))"))"
            script += " \(quoted("*:operand:\(zshAction(command.declaration.completes))"))\n            ;;\n"
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
        let action = zshAction(option.completions)
        // How a value follows the long and the short spelling, and what it is.
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
        case .words(let words): return "(\(names(words, " ")))"
        }
    }

    // MARK: fish

    private static func fish() -> String {
        let commands = names(Command.allCases.map(\.rawValue), " ")
        var script = "# Completions of spyglass for fish.\ncomplete -c spyglass -f\n"
        for command in Command.allCases {
            script += "complete -c spyglass -n \(quoted("not __fish_seen_subcommand_from \(commands)"))"
            script += " -a \(command.rawValue) -d \(quoted(command.declaration.summary))\n"
            let operand = fishAction(command.declaration.completes)
            guard !operand.isEmpty else { continue }
            script += "complete -c spyglass -n '__fish_seen_subcommand_from \(command.rawValue)' \(operand)\n"
        }
        for option in visible {
            script += "complete -c spyglass"
            if option.commands.count < Command.allCases.count {
                // Words without a command are browsed, so the options of browse are offered there too.
                let anywhere =
                    option.commands.contains(.browse) ? "not __fish_seen_subcommand_from \(commands); or " : ""
                let seen = "__fish_seen_subcommand_from \(names(option.commands.map(\.rawValue), " "))"
                script += " -n \(quoted(anywhere + seen))"
            }
            script += " -l \(option.name)" + (option.short.map { " -s \($0)" } ?? "")
            if case .required = option.form { script += " -r" }
            let action = fishAction(option.completions)
            script += (action.isEmpty ? "" : " \(action)") + " -d \(quoted(option.summary))\n"
        }
        return script
    }

    private static func fishAction(_ words: CompletionWords) -> String {
        switch words {
        case .nothing: return ""
        case .files: return "-F"
        case .folders: return "-a '(__fish_complete_directories)'"
        case .words(let words): return "-a \(quoted(names(words, " ")))"
        }
    }

    // MARK: UIStrings

    private static var visible: [OptionDeclaration] { OptionTable.all.filter { !$0.isHidden } }

    private static func options(of command: Command) -> [OptionDeclaration] {
        visible.filter { $0.commands.contains(command) }
    }

    private static func dashed(of command: Command) -> [String] { options(of: command).map(\.dashed) }

    private static func names(_ words: [String], _ separator: String) -> String {
        words.joined(separator: separator)
    }

    /// A word for any of the three shells: in single quotes, with the quote itself written outside of them.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

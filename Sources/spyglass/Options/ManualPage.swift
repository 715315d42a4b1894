import SpyglassFetching

/// The man page in roff (man(7) macros), made from the declarations; `make install` writes it beside the binary.
enum ManualPage {
    static func text() -> String {
        var page = ".TH SPYGLASS 1 \"\" \"Spyglass \(SpyglassVersion.current)\" \"User Commands\"\n"
        section("NAME", &page)
        page += "spyglass \\- photographs in the terminal\n"
        section("SYNOPSIS", &page)
        page += ".nf\n\\fBspyglass\\fR \\fIQUERY\\fR...\n"
        for command in Command.allCases {
            let declaration = command.declaration
            page += "\\fBspyglass \(escaped(declaration.name))\\fR \(escaped(declaration.operands))\n"
        }
        page += ".fi\n"
        section("DESCRIPTION", &page)
        paragraph(
            """
            Spyglass searches NASA's image archive and shows photographs as half-blocks beside their titles, \
            photographers and dates: in a full-screen browser, or printed. It prints picture files, too, and makes resized ones. Words without a command are a search; only the first \
            operand can be a command, and nothing behind -- is a command or an option.
            """, &page)
        section("COMMANDS", &page)
        for command in Command.allCases { add(command.declaration, &page) }
        section("OPTIONS", &page)
        for option in OptionTable.all where !option.isHidden {
            page += ".TP\n\\fB\(escaped(trimmed(HelpPage.synopsis(of: option))))\\fR\n\(line(option.summary))\n"
        }
        section("ENVIRONMENT", &page)
        for option in OptionTable.all where option.isShared {
            page += ".TP\n\\fB\(option.variable)\\fR\nthe same as \(escaped(option.dashed))\n"
        }
        page +=
            ".TP\n\\fBNO_COLOR\\fR, \\fBCOLORTERM\\fR, \\fBTERM\\fR\nwhich colours there are, unless an option says\n"
        section("EXIT STATUS", &page)
        for (code, meaning) in exitCodes { page += ".TP\n\\fB\(code)\\fR\n\(line(meaning))\n" }
        section("EXAMPLES", &page)
        for example in HelpPage.examples { add(example, &page) }
        return page
    }

    /// What the exit codes mean; the tests hold them against `ExitCode`.
    static let exitCodes: [(Int32, String)] = [
        (ExitCode.success.rawValue, "all well, nothing found, or the reader closed the pipe"),
        (ExitCode.someFailed.rawValue, "at least one item failed or was partial"),
        (ExitCode.usage.rawValue, "the command line is wrong, or an answer blames what it asked for"),
        (ExitCode.unavailable.rawValue, "the command could not go on; trying again later may help"),
        (ExitCode.fault.rawValue, "a fault of this program"),
    ]

    private static func add(_ declaration: CommandDeclaration, _ page: inout String) {
        page += ".SS \(escaped(HelpPage.synopsis(of: declaration, withProgram: false)))\n"
        paragraph(declaration.text, &page)
        for example in declaration.examples { add(example, &page) }
    }

    private static func add(_ example: CommandDeclaration.Example, _ page: inout String) {
        page += ".TP\n\\fB\(escaped(example.line))\\fR\n\(line(example.meaning))\n"
    }

    private static func section(_ name: String, _ page: inout String) { page += ".SH \(name)\n" }

    private static func paragraph(_ text: String, _ page: inout String) { page += ".PP\n\(line(text))\n" }

    /// A line of text: a leading dot or quote would be a request.
    private static func line(_ text: String) -> String {
        (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + escaped(text)
    }

    /// Backslashes and dashes have meanings of their own (groff_char(7)).
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            default: result.append(character)
            }
        }
        return result
    }

    private static func trimmed(_ text: String) -> String { String(text.drop { $0 == " " }) }
}

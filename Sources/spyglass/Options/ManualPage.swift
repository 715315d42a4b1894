import SpyglassCatalog
import SpyglassFetching

/// The man page in roff (man(7) macros).
enum ManualPage {
    static func text() -> String {
        var page = ".TH SPYGLASS 1 \"\" \"Spyglass \(SpyglassVersion.current)\" \"User Commands\"\n"
        section("NAME", &page)
        page += "spyglass \\- photographs in the terminal\n"
        section("SYNOPSIS", &page)
        page += ".nf\n\\fBspyglass\\fR \\fIQUERY\\fR...\n"
        for command in Command.allCases {
            page += "\\fBspyglass \(command)\\fR \(escaped(command.declaration.operands))\n"
        }
        page += ".fi\n"
        section("DESCRIPTION", &page)
        paragraph(
            """
            Spyglass searches NASA's image archive and other sources on the web, and shows photographs as half-blocks beside their titles, \
            photographers and dates: in a full-screen browser, or printed. It also prints and resizes image files. \
            Words without a command are a search; only the first operand can be a command, and nothing after -- is a \
            command or an option.
            """, &page)
        section("SOURCES", &page)
        for source in SourceDeclaration.all {
            page += ".TP\n\\fB\(escaped("--source \(source.name)"))\\fR \(escaped(source.operands))\n"
            page +=
                line(([HelpPage.meaning(of: source)] + [source.license].compactMap(\.self)).joined(separator: "; "))
                + "\n"
            for filter in source.filters where OptionTable.named(filter.name) == nil {
                page += ".br\n\\fB\(escaped(filter.name)):\\fR\(escaped(filter.placeholder)) \(escaped(filter.help))\n"
            }
        }
        paragraph(HelpPage.sourceNote, &page)
        section("COMMANDS", &page)
        for command in Command.allCases { add(command, &page) }
        section("OPTIONS", &page)
        for option in OptionTable.all where !option.isHidden {
            page += ".TP\n\\fB\(escaped(trimmed(HelpPage.synopsis(of: option))))\\fR\n\(line(option.summary))\n"
        }
        section("ENVIRONMENT", &page)
        for option in OptionTable.all where option.isShared {
            page += ".TP\n\\fB\(option.variable)\\fR\nthe same as \(escaped(option.dashed))\n"
        }
        for source in SourceRegistry.all {
            guard let key = source.key else { continue }
            page += ".TP\n\\fB\(key.variable)\\fR\n"
            page +=
                line("the key of \(source.title), or the file \(source.keyFile) beside the settings; \(key.help)")
                + "\n"
        }
        page += ".TP\n\\fBNO_COLOR\\fR, \\fBCOLORTERM\\fR, \\fBTERM\\fR\nthe colours, unless an option sets them\n"
        section("EXIT STATUS", &page)
        for (code, meaning) in exitCodes { page += ".TP\n\\fB\(code)\\fR\n\(line(meaning))\n" }
        section("EXAMPLES", &page)
        for example in HelpPage.examples { add(example, &page) }
        return page
    }

    static let exitCodes: [(Int32, String)] = [
        (ExitCode.success.rawValue, "all well, nothing found, or the reader closed the pipe"),
        (ExitCode.someFailed.rawValue, "at least one item failed or was partial"),
        (ExitCode.usage.rawValue, "the command line is wrong, or a service rejected a value of it"),
        (ExitCode.unavailable.rawValue, "the command failed; trying again later may help"),
        (ExitCode.internalError.rawValue, "an internal error"),
    ]

    private static func add(_ command: Command, _ page: inout String) {
        page += ".SS \(escaped(command.synopsis))\n"
        paragraph(command.declaration.text, &page)
        for example in command.declaration.examples { add(example, &page) }
    }

    private static func add(_ example: CommandDeclaration.Example, _ page: inout String) {
        page += ".TP\n\\fB\(escaped(example.line))\\fR\n\(line(example.meaning))\n"
    }

    private static func section(_ name: String, _ page: inout String) { page += ".SH \(name)\n" }

    private static func paragraph(_ text: String, _ page: inout String) { page += ".PP\n\(line(text))\n" }

    /// A line of text; roff reads a leading dot or quote as a request.
    private static func line(_ text: String) -> String {
        (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + escaped(text)
    }

    private static func escaped(_ text: String) -> String {
        text.map { $0 == "\\" ? "\\e" : $0 == "-" ? "\\-" : String($0) }.joined()
    }

    private static func trimmed(_ text: String) -> String { String(text.drop { $0 == " " }) }
}

import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching

/// Help as plain text, at most 80 columns wide.
enum HelpPage {
    static func overview() -> String {
        var page = Page()
        page.add("Spyglass shows photographs in the terminal: from NASA's image archive and other")
        page.add("sources on the web, from files and from URLs.")
        page.add("")
        for example in examples { page.add(example.line, example.meaning) }
        page.heading("Commands")
        for command in Command.allCases { page.add(command.synopsis, command.declaration.summary) }
        page.heading("Sources")
        for source in SourceDeclaration.all {
            page.add("--source \(source.name) \(source.operands)", meaning(of: source))
        }
        page.add(paragraph: sourceNote)
        page.add("")
        page.add("Words without a command are a search: spyglass QUERY is spyglass browse QUERY,")
        page.add("and spyglass -- show searches for \"show\".")
        page.add("spyglass help COMMAND explains a command and its options, spyglass help keys the")
        page.add("keys of the browser.")
        return page.text
    }

    /// The topic of help that is not a command.
    static let keys = "keys"

    /// The keys of the browser with the names of their actions, and how to change them in the file of this path.
    static func keys(_ keys: KeyMap, path: String?) -> String {
        var page = Page()
        page.add("Keys, actions, and what they do. In a text field, characters are typed.\n")
        page.add(keys.page)
        page.add("To change keys, create keys.json in the settings folder. It holds an object of")
        page.add("keys and actions: {\"x\": \"mark\", \"Ctrl-N\": \"pageDown\"}. A key gets its new action")
        page.add("wherever that action has a key. Esc, Enter and Ctrl-C cannot be changed.")
        if let path { page.add("The file: \(path)") }
        return page.text
    }

    /// Describes a source: its contents, its key and its filters.
    static func meaning(of source: SourceDeclaration) -> String {
        var parts = [source.summary]
        if let key = source.key {
            parts.append(key.isRequired ? "needs \(key.variable)" : "\(key.variable), if you have a key")
        }
        if !source.filters.isEmpty, source.filters.contains(where: { OptionTable.named($0.name) == nil }) {
            parts.append("filters: \(source.filters.map(\.name).joined(separator: ", "))")
        }
        return (parts + [source.retirement].compactMap(\.self)).joined(separator: "; ")
    }

    static let sourceNote = """
        A filter is --filter NAME:VALUE, or NAME:VALUE among the words: spyglass --source openverse lighthouse \
        license:cc0. The samples in the project's folder need no key and no network: spyglass --source tumblr \
        --archive Samples/archives/tumblr blog.
        """

    static func page(for command: Command) -> String {
        let declaration = command.declaration
        var page = Page()
        page.add("spyglass \(command.synopsis)")
        page.heading("Examples")
        for example in declaration.examples { page.add(example.line, example.meaning) }
        page.add(paragraph: declaration.text)
        for (group, options) in options(of: command) {
            page.heading(group.heading)
            for option in options { page.add(synopsis(of: option), option.summary) }
        }
        let shared = options(of: command).flatMap(\.options)
        if let example = shared.first(where: { $0.isShared && $0.form != .none }) {
            let locals = shared.filter { !$0.isShared && $0.group != .other }.map(\.dashed)
            let exception = locals.isEmpty ? "" : ", except \(locals.joined(separator: ", "))"
            page.add(
                paragraph: "Environment variables set these options, too, such as \(example.variable)\(exception).")
        }
        return page.text
    }

    /// `-n, --limit N|all`.
    static func synopsis(of option: OptionDeclaration) -> String {
        let name = option.short.map { "-\($0), \(option.dashed)" } ?? "    \(option.dashed)"
        switch option.form {
        case .none: return name
        case .required(let placeholder): return "\(name) \(placeholder)"
        case .optional(let placeholder): return "\(name)[=\(placeholder)]"
        }
    }

    static func options(of command: Command) -> [(group: OptionDeclaration.Group, options: [OptionDeclaration])] {
        OptionDeclaration.Group.allCases.compactMap { group in
            let options = OptionTable.all.filter { $0.group == group && $0.isShown(in: command) }
            return options.isEmpty ? nil : (group, options)
        }
    }

    /// Splits text at spaces into lines of at most `width` characters.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        text.split(whereSeparator: { $0 == " " || $0 == "\n" }).reduce(into: []) { lines, word in
            if let line = lines.last, line.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }

    static let examples: [CommandDeclaration.Example] = [
        ("spyglass", "browse in full screen"),
        ("spyglass apollo 11", "browse NASA's photos of it"),
        ("spyglass list nebula -n 5", "print five photos with their titles"),
        ("spyglass show photo.jpg", "print an image"),
        ("spyglass resize photos/ --out thumbs", "make thumbnails"),
        ("spyglass --source openverse lighthouse", "browse openly licensed images of it"),
        ("spyglass --source demo", "try it without a network"),
    ]

    static let width = 80
}

/// A help page with an aligned second column.
private struct Page {
    private(set) var text = ""

    mutating func add(_ line: String) { text += line + "\n" }

    /// Adds an empty line and wrapped text.
    mutating func add(paragraph: String) {
        text += "\n"
        for line in HelpPage.wrapped(paragraph, to: HelpPage.width) { add(line) }
    }

    mutating func heading(_ name: String) { text += "\n\(name)\n" }

    /// Adds two columns; a long first one takes a line of its own.
    mutating func add(_ first: String, _ second: String) {
        let lines = HelpPage.wrapped(second, to: HelpPage.width - Self.secondColumn)
        let newLine = "\n" + String(repeating: " ", count: Self.secondColumn)
        let room = Self.secondColumn - 2 - first.count
        text += "  " + first + (room > 1 ? String(repeating: " ", count: room) : newLine)
        text += lines.joined(separator: newLine) + "\n"
    }

    private static let secondColumn = 32
}

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
            Spyglass searches NASA's image archive and other sources on the web, and shows photographs beside their \
            titles, photographers and dates: in a full-screen browser, or printed. It also prints and resizes image \
            files. Words without a command are a search. Only the first operand can be a command, and nothing after \
            -- is a command or an option.
            """, &page)
        section("SOURCES", &page)
        for source in SourceDeclaration.all {
            page += ".TP\n\\fB\(escaped("--source \(source.name)"))\\fR \(escaped(source.operands))\n"
            let texts = [HelpPage.meaning(of: source), source.license].compactMap(\.self)
            page += line(texts.joined(separator: "; ")) + "\n"
            for filter in source.filters where OptionTable.named(filter.name) == nil {
                page += ".br\n\\fB\(escaped(filter.name)):\\fR\(escaped(filter.placeholder)) \(escaped(filter.help))\n"
            }
        }
        paragraph(HelpPage.sourceNote, &page)
        section("COMMANDS", &page)
        for command in Command.allCases { add(command, &page) }
        section("OPTIONS", &page)
        for option in OptionTable.all where !option.isHidden {
            page += ".TP\n\\fB\(escaped(HelpPage.synopsis(of: option).trimmed))\\fR\n\(line(option.summary))\n"
        }
        section("ENVIRONMENT", &page)
        for option in OptionTable.all where option.isShared {
            page += ".TP\n\\fB\(option.variable)\\fR\nthe same as \(escaped(option.dashed))\n"
        }
        for source in SourceRegistry.all {
            guard let key = source.key else { continue }
            let meaning =
                "the key of \(source.title), or the file \(source.keyFile) in the settings folder; \(key.help)"
            page += ".TP\n\\fB\(key.variable)\\fR\n\(line(meaning))\n"
        }
        page += ".TP\n\\fBNO_COLOR\\fR, \\fBCOLORTERM\\fR, \\fBTERM\\fR\nthe colours, unless an option sets them\n"
        section("EXIT STATUS", &page)
        for code in ExitCode.allCases { page += ".TP\n\\fB\(code.rawValue)\\fR\n\(line(code.meaning))\n" }
        section("PREVIEWERS", &page)
        paragraph(
            """
            File managers and other programs that read the output of show through a pipe may rely on this. show sends \
            the terminal no query and reads nothing from it. It stores nothing about files that it shows. It prints \
            the first frame of an animation and ends. --cells WxH is the largest size in cells: the image keeps its \
            proportions, and every row ends with the colours reset. Without --pixels it prints half-blocks. Without \
            --color it prints the colours that TERM and COLORTERM name. It exits 0 if the image was printed, 1 if it \
            could not be decoded or is damaged, and 2 if the command line is wrong. Messages go to standard error.
            """, &page)
        add(("spyglass show --color truecolor --cells 40x20 FILE", "a preview of at most 40x20 cells"), &page)
        section("EXAMPLES", &page)
        for example in HelpPage.examples { add(example, &page) }
        return page
    }

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
}

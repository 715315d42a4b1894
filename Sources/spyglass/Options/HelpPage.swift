import SpyglassCatalog

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
        page.add("")
        for line in wrapped(sourceNote, to: width) { page.add(line) }
        page.add("")
        page.add("Words without a command are a search: spyglass QUERY is spyglass browse QUERY,")
        page.add("and spyglass -- show searches for \"show\".")
        page.add("spyglass help COMMAND explains a command and its options.")
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

    static let sourceNote =
        "A filter is --filter NAME:VALUE, or NAME:VALUE among the words: spyglass --source openverse lighthouse license:cc0. "
        + "The samples in the project's folder need no key and no network: "
        + "spyglass --source tumblr --archive Samples/archives/tumblr blog."

    static func page(for command: Command) -> String {
        let declaration = command.declaration
        var page = Page()
        page.add("spyglass \(command.synopsis)")
        page.heading("Examples")
        for example in declaration.examples { page.add(example.line, example.meaning) }
        page.add("")
        for line in wrapped(declaration.text, to: width) { page.add(line) }
        for (group, options) in options(of: command) {
            page.heading(group.rawValue)
            for option in options { page.add(synopsis(of: option), option.summary) }
        }
        let shared = options(of: command).flatMap(\.options)
        if let example = shared.first(where: { $0.isShared && $0.form != .none }) {
            let locals = shared.filter { !$0.isShared && $0.group != .other }.map(\.dashed)
            let exception = locals.isEmpty ? "" : ", except \(locals.joined(separator: ", "))"
            let note = "Environment variables set these options, too, such as \(example.variable)\(exception)."
            page.add("")
            for line in wrapped(note, to: width) { page.add(line) }
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
            let options = OptionTable.all.filter {
                $0.group == group && $0.commands.contains(command) && !$0.isHidden
            }
            return options.isEmpty ? nil : (group, options)
        }
    }

    /// Splits text at spaces into lines of at most `width` characters.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
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

    mutating func heading(_ name: String) { text += "\n\(name)\n" }

    /// Adds two columns; a long first one takes a line of its own.
    mutating func add(_ first: String, _ second: String) {
        let lines = HelpPage.wrapped(second, to: HelpPage.width - Self.secondColumn)
        let padding = String(repeating: " ", count: Self.secondColumn)
        let isLong = first.count + Self.indent + 1 >= Self.secondColumn
        text += String(repeating: " ", count: Self.indent) + first
        if isLong {
            text += "\n" + padding
        } else {
            text += String(repeating: " ", count: Self.secondColumn - Self.indent - first.count)
        }
        text += lines.joined(separator: "\n" + padding) + "\n"
    }

    private static let indent = 2
    private static let secondColumn = 32
}

import SpyglassCatalog
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("CommandLineParser", .timeLimit(.minutes(10)))
struct CommandLineParserTests {
    // MARK: Which command

    @Test("The first operand that equals a command's name is the command", arguments: Command.allCases)
    func commandNames(command: Command) throws {
        guard command != .help else { return #expect(try Line("help").parsed() == .help(nil)) }
        #expect(try Line(command.rawValue).run().command == command)
    }

    @Test("Options may precede or follow the command")
    func optionsAnywhere() throws {
        let after = try Line("list", "apollo", "--limit", "5").run()
        let lines = [try Line("--limit", "5", "list", "apollo").run(), try Line("list", "--limit=5", "apollo").run()]
        #expect(lines == [after, after] && after.options.limit == 5 && after.words == ["apollo"])
    }

    @Test(
        "Only the first operand, or an option of list, selects a command; other words are a search",
        arguments: [
            (["how", "to", "show"], Command.browse, ["how", "to", "show"]), (["--", "show"], .browse, ["show"]),
            (["list", "show"], .list, ["show"]), (["moon"], .browse, ["moon"]), (["shadow"], .browse, ["shadow"]),
            (["mars", "--json"], .list, ["mars"]), (["mars", "-n", "5"], .list, ["mars"]),
            (["mars", "--media", "video"], .browse, ["mars"]), (["--center", "JSC"], .browse, []),
            (["list", "--", "--limit", "5"], .list, ["--limit", "5"]), (["show", "--", "-x.jpg"], .show, ["-x.jpg"]),
            (["show", "-"], .show, ["-"]),
        ] as [([String], Command, [String])])
    func operands(words: [String], command: Command, operands: [String]) throws {
        let run = try Line(words).run()
        #expect(run.command == command && run.words == operands)
    }

    @Test("Words are joined by one space; filters alone, and an empty word, are searches, too")
    func query() throws {
        func query(_ words: String...) throws -> PhotoQuery {
            let run = try Line(words).run()
            return try run.options.query(run.words, in: .nasa)
        }
        #expect(try query("--center", "JSC")["center"] == ["JSC"])
        #expect(try [query("apollo", "11").text, query("").text] == ["apollo 11", ""])
    }

    @Test("Operands that all exist are opened, with or without the command's name")
    func openedFiles() throws {
        for words in [["a.jpg"], ["a.jpg", "Pictures"], ["browse", "Pictures"], ["."], ["-n", "5", "a.jpg"]] {
            let run = try Line(words, files: ["a.jpg", "Pictures", "."]).run()
            #expect(run.options.source == .folder && run.command == (words[0] == "-n" ? .list : .browse), "\(words)")
        }
    }

    @Test("Operands of which one is missing, or after two dashes, are a search")
    func fileAmongWords() throws {
        for words in [["a.jpg", "moon"], ["--", "a.jpg"], ["browse", "--", "a.jpg"], ["list", "a.jpg"]] {
            #expect(try Line(words, files: ["a.jpg"]).run().options.source == nil, "\(words)")
        }
        #expect(try Line("a.jpg", "moon", files: ["a.jpg"]).run().words == ["a.jpg", "moon"])
    }

    @Test("An option of a search makes existing names words")
    func searchOptionWithFiles() throws {
        for (words, source) in [
            (["--source", "demo"], DemoSource.declaration), (["--archive", "a"], nil), (["--year", "1969"], nil),
            (["--sort", "time"], .folder),
        ] as [([String], SourceDeclaration?)] {
            #expect(try Line(words + ["moon"], files: ["moon"]).run().options.source == source)
        }
    }

    @Test("A path is never a word of a search: a missing one is an error")
    func missingPath() throws {
        for path in ["/x.jpg", "./x.jpg", "../x", "~/Pictrues", ".", ".."] {
            let failure = Failure.usage("\(path): no such file or folder")
            for words in [[path], ["browse", path], ["./a.jpg", path], [path, "./a.jpg"], ["a.jpg", path]] {
                #expect(Line(words, files: ["./a.jpg", "a.jpg"]).failure() == failure, "\(words)")
            }
        }
        #expect(Line("./a.jpg", "moon", files: ["./a.jpg"]).failure() == .usage("moon: no such file or folder"))
        #expect(try Line("--", "/x.jpg").run().words == ["/x.jpg"])
    }

    @Test("A path with an option of a search is an error that names the option")
    func pathWithSearchOption() throws {
        for words in [["--year", "1969"], ["--archive", "a"], ["--source", "nasa"]] {
            let reason = "is for searches, so it cannot be combined with the file or folder ./moon"
            #expect(Line(words + ["./moon"], files: ["./moon"]).failure() == .usage("\(words[0]) \(reason)"))
        }
        #expect(Line("./moon", "--", "x", files: ["./moon"]).failure()?.code == .usage)
        let list = Line("list", "./moon", files: ["./moon"]).failure()
        #expect(list == .usage("list searches, so it cannot open ./moon; add --source folder"))
        let named = try Line("list", "moon", files: ["moon"]).run().options
        #expect(named.hint == "searching for the words; to list the files of moon, add --source folder")
        #expect(try Line("list", "moon", "mars", files: ["moon"]).run().options.hint == nil)
        for words in [["list", "--source", "folder", "./moon"], ["browse", "--source", "folder", "./missing"]] {
            #expect(try Line(words, files: ["./moon"]).run().options.source == .folder)
        }
    }

    @Test("A hint says how to search for a word that was opened")
    func hintOfOpened() throws {
        let hint = "opened moon; to search for the word: spyglass"
        for (words, line) in [
            (["moon"], "\(hint) -- moon"), (["browse", "moon"], "\(hint) browse -- moon"),
            (["mars", "moon"], "opened mars moon; to search for the words: spyglass -- mars moon"),
            (["mars", "a.jpg"], nil), (["a.jpg"], nil), (["./moon"], nil), (["."], nil),
        ] as [([String], String?)] {
            #expect(try Line(words, files: ["mars", "moon", "a.jpg", "./moon", "."]).run().options.hint == line)
        }
    }

    @Test("A hint names what is missing where a path was meant")
    func hintOfMissing() throws {
        let end = ": no such file or folder; searching for the words"
        #expect(try Line("Pictures/mon").run().options.hint == "Pictures/mon\(end)")
        #expect(try Line("a", "b", files: ["a"]).run().options.hint == "b\(end)")
        #expect(try Line("moon", "mars").run().options.hint == nil)
        for name in ["b.jpg", "2023/b.jpg", "b.png"] {
            #expect(Line(name).failure() == .usage("\(name): no such file or folder"))
        }
        #expect(try Line("--", "b.jpg").run().options.source != .folder)
    }

    @Test(
        "A lone word one edit away from a command is a search with a hint",
        arguments: [("lst", "list"), ("snow", "show"), ("lisa", "list"), ("slow", "show"), ("hepl", "help")])
    func almostCommand(word: String, command: String) throws {
        let run = try Line(word).run()
        #expect(run.command == .browse && run.words == [word])
        #expect(run.options.hint == "searching for '\(word)'; the command is spyglass \(command)")
        #expect(try Line("browse", word).run().options.hint == nil)
    }

    @Test("A first word one edit away from a command has the hint, also with search options")
    func almostCommandOfSeveral() throws {
        func hint(_ words: String..., files: Set<String> = []) throws -> String? {
            try Line(words, files: files).run().options.hint
        }
        #expect(try hint("lst", "apollo") == "searching for 'lst apollo'; the command is spyglass list")
        #expect(try hint("shw", "a.jpg", files: ["a.jpg"]) == "searching for 'shw a.jpg'; the command is spyglass show")
        for option in [["--source", "nasa"], ["--year", "1969"]] {
            let run = try Line(option + ["lisa"]).run()
            #expect(run.options.hint == "searching for 'lisa'; the command is spyglass list")
        }
        #expect(try [hint("apollo", "lst"), hint("--", "lst")] == [nil, nil])
        #expect(try hint("lst", "apollo", files: ["lst"])?.hasPrefix("apollo: no such file") == true)
    }

    @Test("A file that is missing among others is an error, and so is a list on standard input")
    func missingAmongSeveral() throws {
        for names in [["a.jpg", "b.jpg"], ["b.jpg", "a.jpg"]] {
            #expect(Line(names, files: ["a.jpg"]).failure() == .usage("b.jpg: no such file or folder"))
        }
        let advice = "browse reads no files from standard input; try: xargs -o spyglass < FILES"
        for words in [["-"], ["browse", "-"], ["a.jpg", "-"]] {
            #expect(Line(words, files: ["a.jpg"]).failure() == .usage(advice))
        }
        for words in [["b.jpg", "c.jpg"], ["apollo", "-", "11"]] {
            #expect(try Line(words).run().options.source != .folder)
        }
    }

    @Test("An empty command line differs from one with options")
    func nothing() throws {
        guard case .nothing = try Line().parsed() else { return #expect(Bool(false), "something") }
        #expect(try Line("--source", "demo").run().command == .browse)
    }

    @Test("A filter that the source lacks is an error with those it has")
    func undeclaredFilter() throws {
        let options = try Line("list", "--source", "demo", "--album", "Apollo").run().options
        let message = "--album: the source demo has no such filter; use one of --center --year --photographer --title"
        #expect(throws: Failure.usage("\(message) --location --id")) {
            try options.query([], in: DemoSource.declaration)
        }
    }

    // MARK: How options are written

    @Test("An optional value follows an equals sign, never a space")
    func optionalValue() throws {
        #expect(try Line("list", "--stats=json", "x").run().options.stats == .json)
        let run = try Line("list", "--stats", "json").run()
        #expect(run.options.stats == .text && run.words == ["json"])
    }

    @Test("Short options may be joined, the last with its value; a value may hold equals signs")
    func shortOptions() throws {
        let joined = try Line("list", "-qn5", "x").run().options
        #expect(try joined.isQuiet && joined.limit == 5 && Line("list", "-n", "7").run().options.limit == 7)
        #expect(try Line("list", "--title=a=b").run().options.query([], in: .nasa)["title"] == ["a=b"])
    }

    @Test("A URL is not sent as words of a search")
    func addressAsWords() throws {
        let options = try Line("list").run().options
        let advice = "https://a/b.jpg?token=*** is a URL, and would be sent as words; try: spyglass show URL"
        #expect(throws: Failure.usage(advice)) { try options.query(["https://a/b.jpg?token=hush"], in: .nasa) }
    }

    @Test(
        "A wrong command line is an error with the way out",
        arguments: [
            (["list", "--title="], "--title '': expected text"),
            (["list", "--limit"], "--limit needs a value: --limit N|all"),
            (
                ["list", "--title", "--json"],
                "--title needs a value before --json; to pass it as the value, write --title=--json"
            ),
            (["list", "--json=yes"], "--json takes no value"),
            (["show", "--json", "x"], "--json is not an option of show but of list, cache, bench or doctor"),
            (
                ["show", "--size", "80x24", "x"],
                "--size is not an option of show but of resize; use --cells COLSxROWS"
            ),
            (
                ["show", "--title", "x", "y"],
                "--title is not an option of show but of browse, list or resize; use --caption=FORMAT"
            ),
            (["list", "--enlarge"], "--enlarge is not an option of list but of show or resize"),
            (["list", "--out", "x"], "--out is not an option of list but of resize"),
            (
                ["list", "--archive", "a", "--record", "b"],
                "--archive and --record cannot be combined: one replays recorded responses, the other records them"
            ),
            (["list", "-qv"], "-q and -v cannot be combined: one prints less, the other more"),
            (["help", "lits"], "unknown command lits; did you mean list?"),
            (["help", "kyes"], "unknown command kyes; did you mean keys?"),
            (["help", "me"], "unknown command me; spyglass help lists them"),
            (["help", "list", "show"], "help explains one command at a time"),
        ])
    func wrong(words: [String], message: String) {
        #expect(Line(words).failure() == .usage(message))
    }

    @Test(
        "An unknown option exits 2 with a suggestion",
        arguments: [
            ("--archve", "unknown option --archve; did you mean --archive? (spyglass help list lists the options)"),
            ("--colour", "unknown option --colour; did you mean --color? (spyglass help list lists the options)"),
            ("--limt=5", "unknown option --limt; did you mean --limit? (spyglass help list lists the options)"),
            ("--frobnicate", "unknown option --frobnicate; spyglass help list lists the options"),
            ("-x", "unknown option -x; spyglass help list lists the options"),
            ("---", "unknown option ---; spyglass help list lists the options"),
            ("--chrome", "unknown option --chrome; spyglass help list lists the options"),
        ])
    func unknownOption(word: String, message: String) {
        #expect(Line("list", word).failure() == .usage(message))
    }

    @Test(
        "An option of another program names ours",
        arguments: [
            (["show", "-s", "80x24"], "-s; use --cells COLSxROWS (spyglass help show lists the options)"),
            (["show", "-g80x24", "a"], "-g; use --cells COLSxROWS (spyglass help show lists the options)"),
            (["-w", "80", "show", "a"], "-w; use --cells COLSx (spyglass help show lists the options)"),
            (["show", "--width=80"], "--width; use --cells COLSx (spyglass help show lists the options)"),
            (["list", "-W"], "-W; use --cells COLSx (spyglass help list lists the options)"),
            (["-p", "q"], "-p; use --pixels MODE (spyglass help show lists the options)"),
            (["resize", "-s", "80x24"], "-s; spyglass help resize lists the options"),
            (["resize", "a", "-o", "b"], "-o; use --out DIR (spyglass help resize lists the options)"),
            (["help", "--foo"], "--foo; spyglass help lists commands"),
            // Without a command it is taken for one of browse.
            (["--no-mous"], "--no-mous; spyglass help browse lists the options"),
        ])
    func foreignProgram(words: [String], message: String) {
        #expect(Line(words).failure() == .usage("unknown option \(message)"))
    }

    @Test("A command accepts exactly the options that its help lists", arguments: Command.allCases)
    func listedOptions(command: Command) {
        for option in OptionTable.all where !option.isHidden {
            var word = option.dashed
            if case .required = option.form { word += "=x" }
            let message = Line(command.rawValue, word).failure()?.message ?? ""
            let isRefused = message.hasPrefix("\(option.dashed) is not an option of \(command)")
            #expect(isRefused != option.commands.contains(command), "\(option.dashed): \(message)")
        }
    }

    @Test("A former option is an error that names its replacement")
    func formerOptions() {
        #expect(
            Line("list", "--max-side", "9").failure()
                == .usage("--max-side was removed in 0.3; use --max-pixels, which also replaces the limit of a side"))
        for (name, advice) in FormerOption.table {
            #expect(OptionTable.named(name) == nil)
            for option in advice.split(whereSeparator: { " ,:;'".contains($0) }) where option.hasPrefix("--") {
                #expect(OptionTable.named(option.dropFirst(2)) != nil, "\(name): \(option)")
            }
        }
    }

    @Test("A variable is ignored by commands that it does not affect", arguments: [Command.show, .list])
    func foreignVariable(command: Command) throws {
        let variables = ["SPYGLASS_LIMIT": "5", "SPYGLASS_THEME": "dark"]
        #expect(try Line([command.rawValue, "x"], environment: variables).run().command == command)
    }

    @Test("Of a repeated option the last wins, but every value is checked; repeated lists add up")
    func repeated() throws {
        #expect(try Line("list", "--limit", "5", "--limit", "6").run().options.limit == 6)
        #expect(Line("list", "--limit", "x", "--limit", "6").failure()?.code == .usage)
        let options = try Line(
            "list", "--keywords", "moon, mars", "--keywords", "sun", "--media", "image", "--media=video,image"
        ).run().options
        let query = try options.query([], in: .nasa)
        #expect(query["keywords"] == ["moon", "mars", "sun"] && query["media"] == ["image", "video"])
    }

    // MARK: Help and version

    @Test(
        "Help, the version and the man page take precedence over other words and invalid options",
        arguments: [
            (["help", "list"], .help(.list)), (["list", "--help"], .help(.list)), (["--help", "list"], .help(.list)),
            (["-h", "list", "x"], .help(.list)), (["list", "--limit", "x", "--help"], .help(.list)),
            (["help", "keys"], .keys), (["--version"], .version), (["-V"], .version),
            (["list", "--version"], .version),
            (["help", "--man"], .manual),
        ] as [([String], Invocation)])
    func help(words: [String], invocation: Invocation) throws {
        #expect(try Line(words).parsed() == invocation)
    }

    // MARK: Hostile words

    @Test("A word of a million letters is parsed quickly")
    func longWord() throws {
        let word = String(repeating: "a", count: 1_000_000)
        #expect(try Line(word).run().words == [word])
        #expect(Line("--" + word).failure()?.code == .usage)
    }

    @Test("A file name that is not UTF-8 keeps its bytes")
    func rawBytes() {
        let argument = Argument(bytes: [0x66, 0xff, 0x67])
        #expect(argument.text == "f\u{fffd}g" && argument.bytes == [0x66, 0xff, 0x67])
    }
}

/// A command line, parsed with the given files and variables only.
struct Line {
    var words: [String]
    var environment: [String: String] = [:]
    var files: Set<String> = []

    init(_ words: String..., files: Set<String> = []) {
        self.words = words
        self.files = files
    }

    init(_ words: [String], environment: [String: String] = [:], files: Set<String> = []) {
        self.words = words
        self.environment = environment
        self.files = files
    }

    func parsed() throws -> Invocation {
        let files = files
        let parser = CommandLineParser(environment: Environment(environment)) { files.contains($0.text) }
        return try parser.invocation(for: words.map { Argument($0) })
    }

    func run() throws -> Run {
        guard case .run(let command, let options, let operands) = try parsed() else {
            throw Failure(.internalError, "no command")
        }
        return Run(command: command, options: options, words: operands.map(\.text))
    }

    /// The error of parsing, if any.
    func failure() -> Failure? {
        do {
            _ = try parsed()
            return nil
        } catch {
            return error as? Failure
        }
    }

    struct Run: Equatable {
        let command: Command
        let options: Options
        let words: [String]
    }
}

@Suite("EditDistance", .timeLimit(.minutes(10)))
struct EditDistanceTests {
    @Test(
        "Insertions, deletions, replacements and swaps each count one",
        arguments: [
            ("list", "list", 0), ("lst", "list", 1), ("lists", "list", 1), ("lost", "list", 1), ("lsit", "list", 1),
            ("", "list", 4), ("list", "", 4), ("show", "list", 4), ("ca", "abc", 3),
        ])
    func distances(first: String, second: String, distance: Int) {
        #expect(EditDistance.between(first, second) == distance)
    }

    @Test("Only a similar name is suggested")
    func nothingNear() {
        #expect(EditDistance.suggestion(for: "zzzzzz", among: ["list", "show"]) == nil)
        #expect(EditDistance.suggestion(for: "limt", among: ["limit", "timeout"]) == "did you mean limit?")
    }
}

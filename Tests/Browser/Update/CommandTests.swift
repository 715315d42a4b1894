import SpyglassCatalog
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import SpyglassBrowser

@Suite("Commands on photos")
struct CommandTests {
    private func job(_ effects: [BrowserEffect]) -> CommandJob? {
        effects.compactMap { if case .run(let job) = $0 { job } else { nil } }.first
    }

    @Test("The line runs its command at once, on the selected photo or on what is marked")
    func running() throws {
        for keys in ["", "\r"] {
            var state = AppState.browsing(ExampleFolder(folders: 0))
            state.press(keys + ":cp -t 'out dir' {}")
            #expect(state.lastRow.contains(": ") && state.lastRow.contains("cp -t 'out dir' {}"))
            let job = try #require(self.job(state.press("\r")))
            #expect(job.items.map(\.photo.title) == ["1.jpg"] && !state.top.isPanel)
            #expect(job.folder == Array("/home/ada/Pictures".utf8), "It runs in the folder on the screen")
            #expect(job.command.words(for: [[65]]) == ["cp", "-t", "out dir", "A"].map { Array($0.utf8) })
        }
        var state = AppState.browsing(ExampleFolder(folders: 0))
        state.press("  :q?/ \u{1B}:ls {}")
        #expect(state.lastRow.contains("2 marked :") && state.lastRow.contains("ls {}"))
        #expect(job(state.press("\r"))?.items.map(\.photo.title) == ["1.jpg", "2.jpg"])
        state.press(":date")
        #expect(job(state.press("\r"))?.items.isEmpty == true, "It takes no files")
    }

    @Test("Escape, Enter in an empty line and Backspace in it run nothing")
    func cancelled() {
        for code in [Key.Code.escape, .enter, .backspace] {
            var state = AppState.listing()
            state.press(":")
            #expect(job(state.press(code)) == nil && state.top == .list)
        }
    }

    @Test("An open quotation mark keeps the line, and is named above it")
    func openQuote() {
        var state = AppState.listing()
        state.press(":echo 'a")
        #expect(job(state.press("\r")) == nil && state.lastRow.contains("echo 'a"))
        #expect(state.rows[state.rows.count - 2].contains("A quotation mark is not closed"))
        var again = state
        again.press(.escape)
        again.press(":")
        again.press(.up)
        #expect(again.lastRow.contains("echo 'a"), "it can be corrected later, too")
        #expect(job(state.press("'\r"))?.text == "echo 'a'")
    }

    @Test("Up and Down walk through earlier commands, and back to what was typed")
    func history() {
        var state = AppState.listing()
        #expect(state.press(":one\r").contains(.store(.command("one"))))
        state.press(":two\r:one\r:new")
        let shown = state.values(after: [.up, .up, .up, .down, .down, .down]) { state -> String? in
            if case .command(let screen) = state.top { screen.field.text } else { nil }
        }
        #expect(shown == ["one", "two", "two", "one", "new", "new"])
        var silent = AppState.listing { $0.keepsHistory = false }
        #expect(!silent.press(":one\r").contains(.store(.command("one"))))
    }

    @Test("After a command the list is read again, and what it moved or removed is not marked")
    func ended() throws {
        var state = AppState.browsing()
        state.press("jj  ")
        let lost = state.chosenItems.map(\.photo).prefix(1)
        #expect(state.update(.commandEnded(lost: Array(lost))).searches.count == 1)
        #expect(state.markedCount == 1 && !lost.contains(where: state.marks.contains))
    }

    @Test(
        "What only a shell understands is refused, unless it is quoted",
        arguments: ["ls {} | wc", "ls {} > a", "a && b", "mkdir a; b {}", "echo $HOME", "rm *.jpg"])
    func operators(text: String) {
        var state = AppState.browsing()
        state.press("jj:\(text)\r")
        #expect(state.notice == .hint(CommandTexts.all.needsShell) && state.top.isPanel)
        #expect(TypedCommand(text, home: "")?.needsShell == true)
        #expect(TypedCommand("sh -c '\(text)' '|' \\>", home: "")?.needsShell == false)
    }

    @Test("Photos of the web are fetched first: a notice says so until the command ends, and another one stays")
    func fetched() {
        var state = AppState.listing()
        state.press(":ls {}\r")
        #expect(state.notice == .hint(CommandTexts.all.fetching))
        _ = state.update(.commandEnded(lost: []))
        #expect(state.notice == nil)
        _ = state.update(.notice(.cannotRun("x")))
        _ = state.update(.commandEnded(lost: []))
        #expect(state.notice == .cannotRun("x"))
    }

    // MARK: Picking

    @Test("Help of one photo says that Enter and q print, in a run that picks")
    func pickingHelp() {
        var state = AppState.browsing(ExampleFolder(folders: 0))
        state.options.picks = true
        state.press("\r?")
        let lines = HelpView.sections(of: state, UIStrings(.english))[0]
        for (key, start) in [("Enter", "print what is marked, or else"), ("q", "print what is marked, and")] {
            #expect(lines.contains { $0.keys == key && $0.label.hasPrefix(start) })
        }
    }

    @Test("A run that picks prints the marks, or the photo of Enter, and never stores them")
    func picking() throws {
        func picked(_ keys: String) -> [String]? {
            var state = AppState.browsing()
            state.options.picks = true
            let effects = keys.flatMap { state.press(String($0)) }
            #expect(!effects.contains { if case .store(.marks) = $0 { true } else { false } })
            return effects.compactMap { if case .quit(let photos) = $0 { photos.map(\.title) } else { nil } }.first
        }
        for (keys, photos) in [
            ("q", []), ("jj  q", ["1.jpg", "2.jpg"]), ("jj\r", ["1.jpg"]), ("jj G\r", ["1.jpg"]), ("jjl\r", ["1.jpg"]),
            ("jjlnq", []),
            // A folder is entered, and cannot be marked.
            ("\r", nil), (" q", []), ("jjVjq", ["1.jpg", "2.jpg"]),
            // A search without words goes back to the files.
            ("jj /\r", nil),
        ] as [(String, [String]?)] {
            #expect(picked(keys) == photos, "\(keys)")
        }
        var home = AppState.fresh { $0.picks = true }
        #expect(home.press(.escape).contains(.quit([])))
        var aborted = AppState.browsing()
        aborted.options.picks = true
        aborted.press("jj ")
        #expect(aborted.press(.character("c"), .control).contains(.quit([])))
    }
}

@Suite("TypedCommand")
struct TypedCommandTests {
    private func words(_ text: String, _ files: [String] = ["/a b", "/c"]) -> [String]? {
        TypedCommand(text, home: "/home/ada")?.words(for: files.map { Array($0.utf8) }).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("Spaces separate words, quotation marks and backslashes keep them together")
    func splitting() {
        let texts = ["cp  -t out {}", #"a "b\"c\\d\$\`\n""#, "a $(b) *;|&"].map { words($0) }
        // As in a shell, though there is none.
        #expect(texts == [["cp", "-t", "out", "/a b", "/c"], ["a", #"b"c\d$`\n"#], ["a", "$(b)", "*;|&"]])
        #expect(words(#"a 'b "c' "d 'e" f\ g '' h"i j"k"#, []) == ["a", #"b "c"#, "d 'e", "f g", "", "hi jk"])
        for open in ["a 'b", "a \"b", #"a \"#, "", "  "] { #expect(words(open) == nil, "\(open)") }
    }

    @Test("{} stands for every file; without it there are none")
    func places() {
        let texts = ["ls", "x {} -o {}", "x --in={}: y"].map { words($0) }
        #expect(texts == [["ls"], ["x", "/a b", "/c", "-o", "/a b", "/c"], ["x", "--in=/a b:", "--in=/c:", "y"]])
        #expect([[], ["/{}"]].map { words("x {}", $0) } == [["x"], ["x", "/{}"]])
    }

    @Test("~ at the start of a word is the home folder")
    func home() {
        #expect(words("~/bin/x ~ a~ ~b '~'", []) == ["/home/ada/bin/x", "/home/ada", "a~", "~b", "~"])
        #expect(TypedCommand("~", home: "")?.words(for: []) == [[UInt8(ascii: "~")]])
    }

    @Test("File names that are not UTF-8 stay as they are")
    func bytes() {
        #expect(TypedCommand("x {}", home: "")?.words(for: [[0xFF, 0xFE]]) == [[UInt8(ascii: "x")], [0xFF, 0xFE]])
    }
}

@Suite("ChildProgram", .timeLimit(.minutes(10)))
struct ChildProgramTests {
    private func end(_ words: [String], in folder: String? = nil) throws -> ChildProgram.End {
        try ChildProgram(words.map { Array($0.utf8) }, on: "/dev/null", in: folder.map { Array($0.utf8) }).wait()
    }

    @Test("Its exit code or its signal is reported, and its input ends")
    func ends() throws {
        let commands = [["true"], ["sh", "-c", "exit 7"], ["sh", "-c", "kill -TERM $$"], ["cat"]]
        #expect(try commands.map { try end($0) } == [.exit(0), .exit(7), .signal(15), .exit(0)])
        #expect(try end(["sh", "-c", "[ $(pwd) = /usr ]"], in: "/usr") == .exit(0), "It runs in its folder")
    }

    @Test("A program that does not exist is one line")
    func missing() {
        let error = #expect(throws: BrowserError.self) { try end(["spyglass-no-such-program"]) }
        #expect(error?.reason == "spyglass-no-such-program: command not found")
        #expect(throws: BrowserError.self) { try end([""]) }
        #expect(throws: BrowserError.self) { try end(["true"], in: "/usr/no-such-folder") }
        #expect(throws: BrowserError.self) { try end(["true", "a\0b"]) }
    }
}

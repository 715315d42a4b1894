import SpyglassCatalog
import SpyglassJSON
import SpyglassTerminalUI
import Testing

@testable import SpyglassBrowser

@Suite("KeyMap")
struct KeyMapTests {
    private func changed(_ text: String) throws -> (keys: KeyMap, mistakes: [String]) {
        KeyMap.changed(by: try JSONValue(parsing: Array(text.utf8)))
    }

    @Test("A key moves to an action wherever that action has a key")
    func moved() throws {
        let (keys, mistakes) = try changed(#"{"x": "mark", "Ctrl-N": "pageDown", "F5": "refresh", "w": "down"}"#)
        #expect(mistakes == [])
        let lists = [KeyScope.list, .grid].flatMap { scope in
            [.plain("x"), .plain(" "), Key(.function(5))].map { keys.action(for: $0, in: scope) }
        }
        #expect(lists == [.mark, .mark, .refresh, .mark, .mark, .refresh], "The usual key stays")
        let others = [
            (Key.control("n"), KeyScope.detail), (.control("n"), .home), (.plain("w"), .detail), (.plain("w"), .search),
        ]
        // pageDown has no key at home, and characters are text in fields.
        #expect(others.map { keys.action(for: $0.0, in: $0.1) } == [.pageDown, .newerSearch, .down, nil])
        #expect(!keys.bindings.contains { $0.keys.isEmpty || $0.scopes.isEmpty })
    }

    @Test(
        "Two keys can be swapped, in any order of their lines",
        arguments: [
            ("s", "export", "e", "save"), ("D", "slideshow", "d", "trash"), ("u", "restore", "U", "unmark"),
            ("f", "pageDown", "Ctrl-F", "fullScreen"), ("d", "halfPageDown", "Ctrl-D", "slideshow"),
            ("/", "filter", "&", "search"),
        ])
    func swapped(one: String, does: String, other: String, doesOther: String) throws {
        let lines = [#""\#(one)": "\#(does)""#, #""\#(other)": "\#(doesOther)""#]
        for lines in [lines, lines.reversed()] {
            let (keys, mistakes) = try changed("{\(lines.joined(separator: ","))}")
            #expect(mistakes == [])
            for (name, action) in [(one, does), (other, doesOther)] {
                let key = try #require(KeyName.key(named: name))
                #expect(keys.action(for: key, in: .list).map { "\($0)" } == action)
            }
        }
    }

    @Test("Each key has one binding per scope after changes, too")
    func oneMeaning() throws {
        let keys = try changed(#"{"j": "up", "Tab": "down", "Space": "zoomIn", "?": "quit", "q": "help"}"#).keys
        for scope in KeyScope.allCases {
            let bindings = keys.bindings.filter { $0.scopes.contains(scope) }
            for (key, same) in Dictionary(grouping: bindings.flatMap { b in b.keys.map { ($0, b.action) } }, by: \.0) {
                #expect(Set(same.map(\.1)).count == 1, "\(key) in \(scope)")
            }
        }
    }

    @Test(
        "A wrong line is named, and the others hold",
        arguments: [
            (#""hyper-q": "up""#, "no such key"), (#""": "up""#, "no such key"), (#""ab": "up""#, "no such key"),
            (#""F0": "up""#, "no such key"), (#""F99999999999999999999": "up""#, "no such key"),
            (#""\u0007": "up""#, "no such key"), (#""Ctrl-": "up""#, "no such key"),
            (#""z": "marc""#, "did you mean mark?"),
            (#""z": "frobnicate""#, "spyglass help keys"), (#""z": 7"#, "name of an action"),
            (#""z": null"#, "name of an action"), (#""z": {"z": []}"#, "name of an action"),
            (#""Esc": "up""#, "cannot be changed"), (#""Enter": "up""#, "cannot be changed"),
            (#""Ctrl-M": "up""#, "cannot be changed"), (#""ctrl-C": "up""#, "cannot be changed"),
            (#""z": "caretLeft""#, "is text"), (#""J": "up""#, "two actions"), (#""Shift-j": "up""#, "two actions"),
        ])
    func mistakes(line: String, reason: String) throws {
        let (keys, mistakes) = try changed(#"{"J": "pageDown", \#(line), "K": "pageUp"}"#)
        #expect(mistakes.count == 1 && mistakes.first?.contains(reason) == true, "\(mistakes)")
        #expect(["J", "K"].map { keys.action(for: .plain($0), in: .list) } == [.pageDown, .pageUp])
    }

    @Test("A long name is cut in its message")
    func long() throws {
        let name = String(repeating: "é", count: 10_000)
        let mistakes = try changed(#"{"\#(name)": "up", "x": "\#(name)"}"#).mistakes
        #expect(mistakes.count == 2 && mistakes.allSatisfy { $0.count < 200 })
    }

    @Test("Anything but an object changes nothing", arguments: ["[]", "7", "null", #"["x"]"#])
    func noObject(text: String) throws {
        let (keys, mistakes) = try changed(text)
        #expect(mistakes.count == 1 && keys.bindings == KeyTable.bindings)
    }

    @Test("Every key that help names is read, except Ctrl-H, which is Backspace")
    func names() {
        for key in KeyTable.bindings.flatMap(\.keys) {
            let name = KeyName.text(of: key, UIStrings(.english), .ascii)
            #expect(KeyName.key(named: name) == key || name == "Ctrl-H", "\(name)")
        }
        let keys = ["Alt-Shift-x", "Ctrl-I", "pageup", "-", "Ctrl--"].map(KeyName.key)
        #expect(keys == [Key(.character("X"), .alt), Key(.tab), Key(.pageUp), .plain("-"), .control("-")])
    }

    @Test("The page of help has every action with its keys")
    func page() throws {
        let keys = try changed(#"{"z": "mark"}"#).keys
        for action in Action.withKeys { #expect(keys.page.contains(" \(action) "), "\(action)") }
        #expect(keys.page.contains("z Space") && keys.page.hasPrefix("Everywhere\n"))
    }

    @Test("The browser, its footer and help use the changed keys")
    func used() throws {
        var state = AppState.listing()
        state.keys = try changed(#"{"z": "open", "b": "mark"}"#).keys
        state.press("b")
        #expect(state.marks.count(of: "nasa") == 1)
        let lines = HelpView.sections(of: state, UIStrings(.english)).joined()
        #expect(lines.contains { $0.action == .mark && $0.keys == "b Space" })
        state.press("z")
        #expect(state.detail != nil)
    }
}

@Suite("Numbers, half pages and Alt")
struct KeyInputTests {
    @Test("A number and G go to that photo, G alone to the end")
    func numbers() {
        var state = AppState.listing(100, of: 100)
        state.press("50")
        #expect(state.notice == .number(50))
        // Another key ends the number.
        let selections = state.selections(after: "G", "G", "7G", "5jG", "999999999999999999999999G", "0G")
        #expect(selections == [49, 99, 6, 99, 99, 99] && state.notice == nil)
        #expect(state.press("g").isEmpty == false)
    }

    @Test("A photo that is not loaded is read")
    func far() {
        var state = AppState.listing()
        #expect(state.press("812G").deliberate == [.searching(2, at: 811)])
        var filtered = AppState.listing()
        filtered.press("&9\r")
        filtered.press("2G")
        #expect(filtered.selected == 1)
    }

    @Test("Ctrl-D and Ctrl-U move by half a page, and back")
    func halfPages() {
        var state = AppState.listing()
        state.press(.character("d"), .control)
        #expect(state.selected == state.geometry.rowsWhole / 2)
        state.press(.character("u"), .control)
        #expect(state.selected == 0)
    }

    @Test("An unbound Alt+key is Escape, then the key; a bound one is itself")
    func alt() {
        var state = AppState.detailing()
        state.press(.character("j"), .alt)
        #expect(state.top == .list && state.selected == 1)
        state.press("/x")
        state.press(.character("b"), .alt)
        #expect(state.searchText == "x")
        state.press(.character("?"), .alt)
        #expect(state.top == .help(HelpScreen()))
    }

    @Test("No chord quits: the key that would is left out")
    func chordsThatQuit() {
        var home = AppState.fresh()
        #expect(home.press(.character("z"), .alt).isEmpty && home.top == .home(SearchScreen()))
        var photo = AppState.detailing()
        photo.press(.character("q"), .alt)
        #expect(photo.top == .list && !photo.isOver)
        var folder = AppState.browsing()
        folder.press(.character("q"), .alt)
        #expect(folder.top == .list && !folder.isOver)
        folder.press("q")
        #expect(folder.isOver)
    }
}

@Suite("Help and settings texts")
struct HelpTextTests {
    private func titles(_ keys: String) -> [String] {
        var state = AppState.listing()
        state.press(keys + "?")
        return HelpView.sections(of: state, UIStrings(.english)).compactMap(\.first?.label)
    }

    @Test("The keys of the screen below come first, those of editing last")
    func order() {
        let strings = UIStrings(.english)
        for (keys, first) in [
            ("", strings.list.heading), ("v", strings.list.heading), ("\r", strings.detail.heading),
            (",", strings.settings.title),
        ] {
            #expect(titles(keys).first == first && titles(keys)[1] == strings.help.everywhere, "\(keys)")
            #expect(titles(keys).last == strings.help.everyField)
        }
    }

    @Test("Settings explain the chosen row in one line", arguments: Language.allCases)
    func explanations(language: Language) {
        for setting in Setting.all {
            let text = setting.explanation[language]
            #expect(!text.isEmpty && TerminalText(cleaning: text).width <= 76, "\(text)")
        }
        var state = AppState.listing()
        state.preferences.language = language
        state.press(",")
        state.press(.down)
        let row = state.grid.description
        #expect(language.isRightToLeft || row.contains(Setting.all[1].explanation[language]))
    }
}

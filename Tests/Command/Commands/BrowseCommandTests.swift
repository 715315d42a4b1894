import SpyglassBrowser
import SpyglassCatalog
import SpyglassFetching
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("spyglass browse", .timeLimit(.minutes(10)))
struct BrowseCommandTests {
    private let home: TemporaryFolder
    private static let quit = TerminalSession.Event.input(.key(Key(.character("c"), .control)))

    private var stateStore: StateStore {
        StateStore(folder: UserFolder(path: home.path(".local/state/spyglass"), evidence: "test"))
    }

    init() throws { home = try TemporaryFolder() }

    private func system(_ screen: FakeScreen) -> FakeSystem {
        var system = FakeSystem()
        system.screen = CellSize(clamping: 80, 24)
        system.taken = screen
        system.environment["HOME"] = home.path
        return system
    }

    @Test("The terminal is opened and restored, and nothing else is written")
    func whole() async {
        let screen = FakeScreen([("10,000", Self.quit)])
        let outcome = await system(screen).run("browse", "--source", "demo", "made-up")
        #expect(outcome == .init() && screen.log == ["start with mouse", "end"])
    }

    @Test("Without words it opens the home screen, in the language of the locale")
    func homeScreen() async {
        let screen = FakeScreen([("Fotos suchen", Self.quit)])
        var system = system(screen)
        system.environment["LANG"] = "de_DE.UTF-8"
        #expect(await system.run().code == .success)
    }

    @Test("A first start shows pictures without a network, and stores none of them")
    func firstStart() async {
        let screen = FakeScreen([("\u{2580}", Self.quit)])
        var system = system(screen)
        system.transport = StubTransport { request in
            Issue.record("\(request.address) was requested")
            throw FetchError(.unreachable, "no network in tests")
        }
        #expect(await system.run("browse").code == .success)
        #expect(screen.shown.contains("\u{2580}") && !home.files.contains { $0.contains(".cache") })
    }

    @Test("The photos of the last run are on the home screen without a network, and open their list")
    func seenPhotos() async throws {
        let listed = FakeScreen([("\u{2580}", Self.quit)])
        _ = await system(listed).run("browse", "--source", "demo", "made-up")
        let file = SeenFile(store: stateStore)
        let seen = try file.read()
        #expect(!seen.isEmpty && seen.allSatisfy { $0.place.search == "made-up" })
        let title = try #require(seen.first?.photo.title.prefix(8))
        let screen = FakeScreen([
            (String(title), .input(.key(Key(.up)))), ("Enter", .input(.key(Key(.enter)))), ("of 10,000", Self.quit),
        ])
        _ = await system(screen).run("browse")
        #expect(try screen.shown.contains("made-up") && file.read().first == seen.first)
    }

    @Test("A terminal that cannot be opened is one line and exit code 3")
    func refused() async {
        let screen = FakeScreen([], failure: .noTerminal)
        let outcome = await system(screen).run("browse")
        #expect(outcome.code == .unavailable && outcome.lines.count == 1)
        #expect(outcome.errors.hasPrefix("spyglass: cannot open the terminal: standard input or output is not "))
    }

    @Test("A folder without an archive exits 3 before the terminal is opened")
    func noArchive() async {
        let screen = FakeScreen([("Search for photos", Self.quit)])
        let outcome = await system(screen).run("browse", "--archive", "/nonexistent")
        #expect(outcome.code == .unavailable && outcome.errors.contains("/nonexistent"))
        #expect(outcome.lines.count == 1 && screen.log.isEmpty)
    }

    @Test("A failed write is reported with what was not saved")
    func unwritable() throws {
        try home.write("file", "")
        var fake = FakeSystem()
        fake.environment = ["XDG_STATE_HOME": home.path("file"), "XDG_CONFIG_HOME": home.path("file")]
        let memory = BrowserFiles(try Settings(Options(), for: .browse, on: fake.services))
        let path = home.path("file/spyglass")
        var changed = Preferences()
        changed.usesMouse = false
        for (line, change) in [
            ("cannot save the search: \(path)/history.json: Not a directory", .search(RecentSearch("a"))),
            (
                "cannot save the position: \(path)/place.json: Not a directory",
                .place(SavedPlace(search: "a", position: 0, source: "nasa"))
            ),
            ("cannot save the last photos: \(path)/seen.json: Not a directory", .seen([])),
            ("cannot save settings: \(path)/settings.json: Not a directory", .preferences(changed)),
        ] as [(String, StateChange)] {
            #expect(throws: Failure(.unavailable, line)) { try memory.store(change) }
        }
    }

    @Test("Marks that could not be stored are stored with the next change")
    func unstoredMarks() throws {
        var fake = FakeSystem()
        fake.environment = ["XDG_STATE_HOME": home.path("state")]
        try home.link("state", to: home.path("missing"))
        let files = BrowserFiles(try Settings(Options(), for: .browse, on: fake.services))
        func mark(_ ids: [String], removing removed: [String] = []) throws {
            var changes = MarkChanges()
            changes.added = ids.map { PhotoMark(source: "nasa", id: $0) }
            changes.removed = removed.map { PhotoMark(source: "nasa", id: $0) }
            try files.store(.marks(changes))
        }
        #expect(throws: Failure.self) { try mark(["a", "b"]) }
        #expect(throws: Failure.self) { try mark(["c"], removing: ["a"]) }
        try home.write("missing/file", "")
        try files.store(.place(nil))
        #expect(BrowserFiles(try Settings(Options(), for: .browse, on: fake.services)).marks.map(\.id) == ["c", "b"])
    }

    @Test("Settings and marks that could not be stored are stored at the end, or a line says why not")
    func finish() throws {
        var fake = FakeSystem()
        fake.environment = ["XDG_STATE_HOME": home.path("state"), "XDG_CONFIG_HOME": home.path("state")]
        try home.link("state", to: home.path("later"))
        let settings = try Settings(Options(), for: .browse, on: fake.services)
        let files = BrowserFiles(settings)
        var (changed, marks) = (settings.preferences, MarkChanges())
        changed.usesMouse.toggle()
        marks.added = [PhotoMark(source: "nasa", id: "a")]
        #expect(throws: Failure.self) { try files.store(.preferences(changed)) }
        #expect(throws: Failure.self) { try files.store(.marks(marks)) }
        let problem = #expect(throws: Failure.self) { try files.finish() }
        let message = problem?.message ?? ""
        #expect(message.hasPrefix("cannot save settings: ") && message.contains("; cannot save marks: "))
        try home.write("later/file", "")
        try files.finish()
        let next = try Settings(Options(), for: .browse, on: fake.services)
        #expect(next.preferences.usesMouse == changed.usesMouse && BrowserFiles(next).marks.map(\.id) == ["a"])
    }

    @Test("After a typo in the settings a changed setting is stored, the old file is kept, and lines say so")
    func typo() async throws {
        let text = #"{"density": 2, "theme": "light",}"#
        try home.write(".config/spyglass/settings.json", text)
        let keys: [(String, TerminalSession.Event)] = [
            ("; ignored", .input(.key(Key(.function(2))))), ("Settings", .input(.key(Key(.right)))),
            ("settings.json.damaged", Self.quit),
        ]
        let screen = FakeScreen(keys, answers: true)
        var system = system(screen)
        system.screen = CellSize(clamping: 200, 50)
        #expect(await system.run("browse").code == .success)
        #expect(try home.text(".config/spyglass/settings.json.damaged") == text)
        #expect(try home.text(".config/spyglass/settings.json").hasPrefix(#"{"source":""#))
    }

    @Test("A damaged file that is set aside at the end is told on standard error")
    func damageAtEnd() async throws {
        try home.write(".local/state/spyglass/place.json", "{")
        let screen = FakeScreen([("10,000", Self.quit)])
        let outcome = await system(screen).run("browse", "--source", "demo", "made-up")
        let path = home.path(".local/state/spyglass/place.json")
        let line = "spyglass: kept the damaged file as \(path).damaged: unexpected end in line 1\n"
        #expect(outcome == .init(errors: line))
        #expect(try home.text(".local/state/spyglass/place.json.damaged") == "{")
    }

    @Test("A signal ends the process after the place is stored")
    func signal() async throws {
        let screen = FakeScreen([("10,000", .ended(signal: 15))])
        _ = await system(screen).run("browse", "--source", "demo", "made-up")
        #expect(screen.log == ["start with mouse", "terminate by 15", "end"])
        #expect(try PlaceFile(store: stateStore).read()?.search == "made-up")
    }

    @Test("A folder is opened; its names are stored nowhere, and nothing is written into it")
    func folder() async throws {
        let folder = try TemporaryFolder()
        for name in ["first.png", "second.png"] { try folder.write(name, TinyPNG.solid(1, 2, 3)) }
        let screen = FakeScreen([("1 of 2", Self.quit)])
        let outcome = await system(screen).run(folder.path)
        #expect(outcome == .init() && screen.shown.contains("first.png"))
        #expect(folder.files == ["first.png", "second.png"])
        for file in home.files {
            let text = String(decoding: try home.read(file), as: UTF8.self)
            #expect(!file.contains(".png") && !text.contains("first.png"), "\(file)")
        }
    }

    // MARK: Picking

    private func pick(_ keys: [String], _ words: String...) async throws -> FakeSystem.Outcome {
        let folder = try TemporaryFolder()
        for name in ["a.png", "b\nc.png", "d.png"] { try folder.write(name, TinyPNG.solid(1, 2, 3)) }
        try MarksFile(store: stateStore).put([PhotoMark(source: "folder", id: folder.path("d.png"))])
        let events = keys.map { key in
            ("1 of 3", TerminalSession.Event.input(.key(key == "\r" ? Key(.enter) : Key(.character(Character(key))))))
        }
        let screen = FakeScreen([("1 of 3", .input(.key(Key(.end))))] + events, answers: true)
        var system = system(screen)
        system.screen = nil
        let outcome = await system.run(["--pick"] + words + [folder.path])
        let output = outcome.output.split(separator: "\(folder.path)/", omittingEmptySubsequences: false)
        return .init(code: outcome.code, output: output.joined(separator: "|"), errors: outcome.errors)
    }

    @Test("--pick prints the paths of what is marked, or of the photo of Enter, and stores no marks; else it exits 1")
    func picking() async throws {
        #expect(try await pick(["\r"]) == .init(output: "|d.png\n"))
        #expect(try await pick(["g", " ", " ", "q"]) == .init(output: "|a.png\n|b\nc.png\n"))
        #expect(try await pick(["g", " ", "\r"], "-0").output == "|a.png\0")
        #expect(try await pick(["q"]) == .init(code: .someFailed))
        #expect(try MarksFile(store: stateStore).read().allSatisfy { $0.id.hasSuffix("d.png") })
        #expect(try await pick(["g", " ", "q"], "--json").code == .usage)
        let outcome = await system(FakeScreen([])).run("--null", "moon")
        #expect(outcome == .failed("--null needs --pick", .usage))
    }

    @Test("--no-cache and --no-history leave no trace")
    func noTrace() async throws {
        let folder = try TemporaryFolder()
        try folder.write("first.png", TinyPNG.solid(1, 2, 3))
        for (shown, words) in [
            ("1 of 1", ["--no-cache", "--no-history", folder.path]),
            ("10,000", ["browse", "--source", "demo", "--no-history", "made-up"]),
        ] {
            _ = await system(FakeScreen([(shown, Self.quit)])).run(words)
            #expect(home.files == [])
        }
    }

    @Test("A word that looks like a command is a search, and a note names the command")
    func almostCommand() async {
        let screen = FakeScreen([("the command is spyglass show", Self.quit)])
        let outcome = await system(screen).run("snow")
        #expect(outcome.code == .success && screen.shown.contains("searching for 'snow'"))
    }

    @Test("--stats is printed after the browser, with the time of the first image")
    func statistics() async {
        let screen = FakeScreen([("\u{2580}", Self.quit)])
        let outcome = await system(screen).run("browse", "--source", "demo", "--stats=json", "made-up")
        #expect(outcome.errors.contains(#""wall_ms":"#))
        #expect(!outcome.errors.contains(#""time_to_first_image_ms":null"#))
    }

    @Test("--verbose is written to a file, never to the browser's screen")
    func verbose() async {
        for errorsAreTerminal in [false, true] {
            let screen = FakeScreen([("tests", Self.quit)])
            var system = system(screen)
            system.errorsAreTerminal = errorsAreTerminal
            let outcome = await system.run("browse", "--verbose", "--no-cache", "moon")
            #expect(outcome.errors.contains("requesting https://images-api.nasa.gov/") == !errorsAreTerminal)
            #expect(!screen.shown.contains("requesting https://"))
        }
    }

    @Test("A network error is an alert with the reason, and Enter retries")
    func retry() async {
        let screen = FakeScreen([("No connection", .input(.key(Key(.enter)))), ("Nothing", Self.quit)], answers: true)
        var system = system(screen)
        let attempts = CallRecorder<WebAddress>()
        system.transport = StubTransport { request in
            attempts.record(request.address)
            if attempts.values.count == 1 { throw FetchError(.unreachable, "no network in tests") }
            return FetchResponse(request, text: #"{"collection":{"items":[],"metadata":{"total_hits":0}}}"#)
        }
        #expect(await system.run("browse", "--no-cache", "moon").code == .success)
        #expect(attempts.values.count == 2)
    }

    @Test("The settings file overrides NO_COLOR, and options override both")
    func colors() async throws {
        try home.write(".config/spyglass/settings.json", #"{"color":"truecolor"}"#)
        // Images are coloured on every background.
        for (words, sign, isColoured) in [([], "38;2;", true), (["--color", "none"], "10,000", false)] {
            let screen = FakeScreen([(sign, Self.quit)])
            var system = system(screen)
            system.environment["NO_COLOR"] = "1"
            _ = await system.run(["browse", "--source", "demo", "made-up"] + words)
            #expect(screen.shown.contains("38;2;") == isColoured)
        }
    }
}

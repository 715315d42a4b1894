import Glibc
import SpyglassBrowser
import SpyglassCaching
import SpyglassCatalog
import SpyglassFetching
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("Settings: how images are drawn", .timeLimit(.minutes(10)))
struct PixelSettingsTests {
    private let home: TemporaryFolder
    private static let ssh = ["SSH_CONNECTION": "10.0.0.7 4711 10.0.0.1 22"]

    init() throws { home = try TemporaryFolder() }

    private func system(_ variables: [String: String] = [:], replies: TerminalQuery.Outcome = .notAsked) -> FakeSystem {
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 80, 24)
        fake.environment["HOME"] = home.path
        fake.environment.merge(variables) { $1 }
        fake.reply = replies
        return fake
    }

    private func settings(_ words: String..., on fake: FakeSystem) throws -> Settings { try settings(words, on: fake) }

    private func settings(_ words: [String], on fake: FakeSystem) throws -> Settings {
        let run = try Line(words, environment: fake.environment).run()
        return try Settings(run.options, for: run.command, on: fake.services)
    }

    private func answers(_ replies: TerminalReply...) -> TerminalAnswers {
        var answers = TerminalAnswers()
        for reply in replies { answers.add(reply) }
        return answers
    }

    private var file: TerminalsFile {
        TerminalsFile(store: StateStore(folder: UserFolder(path: home.path(".local/state/spyglass"), evidence: "HOME")))
    }

    // MARK: Options

    @Test("An option is obeyed everywhere, also in a pipe and in lists", arguments: PixelMode.allCases)
    func explicit(mode: PixelMode) throws {
        var pipe = system(["TERM": "xterm-kitty"])
        pipe.screen = nil
        for fake in [system(), pipe] {
            for command in ["show", "list", "browse"] {
                let settings = try settings(command, "--pixels", mode.rawValue, on: fake)
                #expect(settings.pixels == .init(mode, evidence: "--pixels \(mode)"))
            }
            #expect(fake.asked.value == 0)
        }
        #expect(try settings("show", on: system(["SPYGLASS_PIXELS": mode.rawValue])).pixels.value == mode)
    }

    @Test("Without an option a pipe gets half-blocks, and a terminal the best that it draws")
    func automatic() throws {
        var fake = system(["TERM": "xterm-kitty"])
        for words in [["show"], ["browse", "--pixels", "auto"], ["list"], ["browse"]] {
            #expect(try settings(words, on: fake).pixels.value == .kitty, "\(words)")
        }
        fake.screen = nil
        #expect(try settings("show", on: fake).pixels == .init(.half, evidence: "not a terminal"))
        #expect(try settings("show", "--color", "none", on: system(["TERM": "xterm-kitty"])).pixels.value == .half)
    }

    @Test("A stored protocol is not forced on other terminals, stored symbols are, and an option overrides both")
    func preferences() throws {
        let kitty = ["TERM": "xterm-kitty"]
        for (stored, mode) in [
            ("kitty", PixelMode.kitty), ("sixel", .kitty), ("symbols", .sextant), ("half", .sextant),
        ] {
            try home.write(".config/spyglass/settings.json", #"{"pixels":"\#(stored)"}"#)
            let found = try settings("browse", on: system(kitty)).pixels
            #expect(found.value == mode, "\(stored): \(found)")
            #expect(try settings("browse", on: system()).pixels.value == .half, "\(stored)")
        }
        #expect(try settings("browse", "--pixels", "octant", on: system()).pixels.value == .octant)
        #expect(try settings("show", on: system()).pixels.value == .half)
    }

    @Test("The size of a cell is an option's, which also gives its shape")
    func cellSize() throws {
        let terminal = try settings("show", "--cell-size", "9x18", on: system()).terminal
        #expect(terminal.cellPixels == .init(PixelSize(width: 9, height: 18), evidence: "--cell-size 9x18"))
        let isDefault = try settings("show", on: system()).terminal.cellPixels == nil
        #expect(terminal.aspect.value == CellAspect(cellWidth: 9, cellHeight: 18) && isDefault)
    }

    @Test("Implausible cells are refused", arguments: ["", "10", "20x10", "0x0", "10x50", "1x2", "401x402", "10x20px"])
    func badCell(text: String) async {
        let outcome = await system().run("show", "--cell-size", text, "x.png")
        #expect(outcome.code == .usage && outcome.errors.contains("expected WxH, such as 10x20"))
    }

    @Test("Contradictions are one line")
    func contradictions() async throws {
        let outcome = await system().run("show", "--color", "none", "--pixels", "kitty", "x.png")
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains("--color and --pixels cannot be combined: without colours"))
        for (color, depth) in [("none", ColorDepth.truecolor), ("256", .palette256)] {
            let fake = system(["SPYGLASS_COLOR": color])
            #expect(try settings("show", "--pixels", "kitty", on: fake).terminal.color.value == depth)
        }
        #expect(try settings("show", "--color", "none", "--pixels", "half", on: system()).pixels.value == .half)
    }

    @Test("Symbols that may not show are printed with a note")
    func notes() throws {
        let plain = try settings("show", "--pixels", "octant", on: system(["LANG": "C"]))
        #expect(plain.imageGlyphs == .utf8 && plain.pixelsNote?.contains("LANG=C") == true)
        let silent = try settings("show", "--pixels", "octant", on: system(["NO_COLOR": "1"]))
        #expect(silent.pixelsNote?.contains("NO_COLOR=1") == true)
        #expect(try settings("show", "--pixels", "octant", on: system()).pixelsNote == nil)
        #expect(try settings("show", "--pixels", "kitty", on: system(["LANG": "C"])).pixelsNote == nil)
        #expect(try settings("show", on: system(["LANG": "C"])).imageGlyphs == .ascii)
    }

    @Test("A way to draw that the terminal is known not to support is used with a note")
    func unsupported() throws {
        let tmux = ["TMUX": "/tmp/tmux-1000/default,1,0", "TERM": "tmux-256color"]
        for mode in ["kitty", "iterm2", "sixel", "octant", "sextant"] {
            let note = try settings("show", "--pixels", mode, on: system(tmux)).pixelsNote ?? ""
            let isKnown = mode == "iterm2" || mode == "sixel"
            let state = isKnown ? "not supported" : "not known to be supported"
            #expect(
                note.hasPrefix("--pixels \(mode): \(state) by this terminal (")
                    && note.hasSuffix("images may be missing"))
        }
        let vte = system(["VTE_VERSION": "7800"])
        #expect(try settings("list", "--pixels", "kitty", on: vte).pixelsNote != nil)
        var pipe = system(tmux)
        pipe.screen = nil
        for (words, fake) in [
            (["show", "--pixels", "octant"], vte), (["show", "--pixels", "half"], system(tmux)),
            (["show", "--pixels", "kitty"], system(["TERM": "xterm-kitty"])), (["show"], system(tmux)),
            (["show", "--pixels", "sixel"], pipe),
        ] {
            #expect(try settings(words, on: fake).pixelsNote == nil, "\(words)")
        }
    }

    // MARK: Asking

    @Test("A local terminal is asked where its name leaves something open")
    func asked() throws {
        let fake = system(replies: .answered(answers(.cellPixels(width: 8, height: 16), .attributes([62, 4]))))
        let shown = try settings("show", on: fake)
        #expect(shown.pixels.value == .sixel && shown.terminal.cellPixels?.value == PixelSize(width: 8, height: 16))
        #expect(try settings("doctor", on: fake).pixels.value == .sixel)
        #expect(fake.asked.value == 2)
        #expect(try settings("show", "--cell-size", "9x18", on: fake).terminal.cellPixels?.value.width == 9)
    }

    @Test(
        "No query over ssh, to a known terminal, or by a command without images",
        arguments: [
            (["SSH_CONNECTION": "10.0.0.7 4711 10.0.0.1 22"], "show"), (["SSH_TTY": "/dev/pts/0"], "show"),
            (["TERM": "xterm-kitty"], "show"), (["VTE_VERSION": "7800"], "show"), (["TMUX": "x"], "show"),
            ([:], "list"), ([:], "browse"), (["NO_COLOR": "1"], "show"),
        ] as [([String: String], String)])
    func notAsked(_ variables: [String: String], command: String) throws {
        let fake = system(variables)
        _ = try settings(command, on: fake)
        #expect(fake.asked.value == 0)
    }

    @Test("A terminal that was silent is asked again after five minutes, another device at once")
    func silent() throws {
        let fake = system(replies: .silent)
        #expect(try settings("show", on: fake).pixels.value == .half)
        #expect(try settings("show", on: fake).pixels.value == .half)
        #expect(fake.asked.value == 1)
        #expect(try settings("doctor", on: fake).pixels.evidence == "no reply in 100 ms")
        var other = fake
        other.device = "/dev/pts/2"
        other.reply = .answered(answers(.graphics(true)))
        #expect(try settings("show", on: other).pixels.value == .kitty)
        fake.now.advance(by: .seconds(5 * 60))
        _ = try settings("show", on: fake)
        #expect(fake.asked.value == 3)
    }

    @Test("show draws in the sixteen colours that the terminal tells")
    func palette() throws {
        var all = answers(.attributes([62]))
        for index in 0..<16 { all.add(.color(index: index, RGB(UInt8(index), 0, 0))) }
        let fake = system(["VTE_VERSION": "7800"], replies: .answered(all))
        for words in [["show", "--color", "16"], ["show", "--color", "16", "--pixels", "half"]] {
            let settings = try settings(words, on: fake)
            #expect(ImageRenderer.Options(settings, settings.pixels.value).palette == all.palette)
        }
        #expect(fake.asked.value == 2 && fake.askedPalette.value == 2)
        _ = try settings("show", on: fake)
        _ = try settings("doctor", "--color", "16", on: fake)
        _ = try settings("show", "--color", "16", "--pixels", "kitty", on: fake)
        _ = try settings("show", "--color", "16", on: system(Self.ssh, replies: .answered(all)))
        #expect(fake.asked.value == 2)
    }

    // MARK: Remembering

    @Test("Over ssh a terminal is drawn on as it replied to the browser")
    func remembered() throws {
        let fake = system(Self.ssh)
        #expect(try settings("show", on: fake).pixels.value == .half)
        let key = try settings("show", on: fake).terminal.support.key
        let known = answers(.cellPixels(width: 9, height: 18), .graphics(true), .attributes([62]))
        try file.remember(known, of: key)
        #expect(try settings("show", on: fake).pixels.value == .kitty)
        #expect(try settings("show", on: fake).terminal.cellPixels?.value == PixelSize(width: 9, height: 18))
        #expect(try settings("doctor", on: fake).pixels.evidence == "it answered kitty's query (earlier)")
        #expect(try settings("browse", on: fake).pixels.value == .kitty)

        let other = system(["SSH_CONNECTION": "10.0.0.8 4711 10.0.0.1 22"])
        #expect(try settings("show", on: other).pixels.value == .half)
        #expect(try settings("show", on: system(Self.ssh.merging(["TERM": "xterm"]) { $1 })).pixels.value == .half)
        #expect(try settings("show", on: system()).pixels.value == .half, "no ssh")
    }

    @Test("A run of the browser over ssh remembers the replies")
    func browser() async throws {
        let quit = TerminalSession.Event.input(.key(Key(.character("c"), .control)))
        let replies: [TerminalReply] = [.version("kitty(0.40.0)"), .graphics(true), .attributes([62])]
        var fake = system(Self.ssh)
        fake.taken = FakeScreen(
            replies.map { ("Search for photos", .input(.reply($0))) } + [("Search for photos", quit)])
        #expect(await fake.run("browse", "--source", "demo").code == .success)
        #expect(try settings("show", on: fake).pixels.value == .kitty)
    }

    @Test("With --no-history nothing is remembered")
    func noHistory() async throws {
        let quit = TerminalSession.Event.input(.key(Key(.character("c"), .control)))
        var fake = system(Self.ssh)
        fake.taken = FakeScreen([
            ("Search for photos", .input(.reply(.attributes([62, 4])))), ("Search for photos", quit),
        ])
        #expect(await fake.run("browse", "--source", "demo", "--no-history").code == .success)
        #expect(try settings("show", on: fake).pixels.value == .half)
    }

    @Test("The file is bounded: the newest terminals stay")
    func bounded() throws {
        let known = answers(.attributes([62, 4]))
        for number in 0..<100 { try file.remember(known, of: "terminal \(number)") }
        try file.remember(known, of: String(repeating: "k", count: KnownTerminal.keyLimit + 1))
        let now = WallTime.now()
        #expect((0..<100).filter { file.answers(of: "terminal \($0)", now: now) != nil } == Array(68..<100))
        try file.remember(known, of: "terminal 70")
        #expect(try home.text(".local/state/spyglass/terminals.json").contains("terminal 68"))
    }

    @Test(
        "Hostile contents are ignored",
        arguments: [
            "", "[]", "{", #"{"terminals":7}"#, #"{"terminals":[7,{}]}"#,
            #"{"terminals":[{"terminal":"KEY","replies":"kitty 1;1;1;9x18"}]}"#,
            #"{"terminals":[{"terminal":"KEY","replies":"\u001b]0;title\u0007","time":1}]}"#,
            #"{"terminals":[{"terminal":"KEY","replies":"kitty;yes;yes;","time":1}]}"#,
            #"{"terminals":[{"terminal":{"KEY":"KEY"},"replies":"kitty;1;1;","time":1}]}"#,
        ])
    func hostile(text: String) throws {
        let fake = system(Self.ssh)
        let key = try settings("show", on: fake).terminal.support.key
        try home.write(".local/state/spyglass/terminals.json", text.replacing("KEY", with: key))
        #expect(try settings("show", on: fake).pixels.value == .half)
        try file.remember(answers(.attributes([62, 4])), of: key)
        #expect(try settings("show", on: fake).pixels.value == .sixel)
    }

    // MARK: doctor

    @Test("doctor prints the choice, every way to draw, and the evidence")
    func doctor() async {
        let fake = system(["VTE_VERSION": "7800"])
        let outcome = await fake.run("doctor", "--source", "demo", "--cells", "200x50")
        let lines = [
            ["drawn by", "octant", "VTE_VERSION"], ["kitty", "no", "not supported by vte"],
            ["cell size", "10x20", "--cell-size"],
        ]
        #expect(lines.allSatisfy { outcome.hasLine(with: $0) }, "\(outcome.output)")
        let json = await fake.run("doctor", "--source", "demo", "--json").output
        let members = [
            #""images":{"drawn by":{"value":"octant","evidence":"vte 0.78.0 (VTE_VERSION=7800)"#,
            #""sixel":{"value":"no","#,
            #""half":{"value":"yes","#,
        ]
        #expect(members.allSatisfy { json.contains($0) }, "\(json)")
    }
}

@Suite("Settings", .timeLimit(.minutes(10)))
struct SettingsTests {
    private let root: TemporaryFolder
    private let fake: FakeSystem

    init() throws {
        root = try TemporaryFolder()
        var fake = FakeSystem()
        fake.environment["XDG_CONFIG_HOME"] = root.path
        self.fake = fake
        try root.write(
            "spyglass/settings.json",
            #"{"source":"demo","color":"16","language":"de","memoryLimit":1048576,"diskLimit":2097152,"mouse":false}"#)
    }

    private func settings(_ words: String..., environment: [String: String] = [:]) throws -> Settings {
        let run = try Line(words, environment: environment).run()
        return try Settings(run.options, for: run.command, on: fake.services)
    }

    @Test("browse uses the settings file, and names it as evidence")
    func file() throws {
        let settings = try settings("browse")
        #expect(settings.source == DemoSource.declaration)
        #expect(settings.terminal.color == .init(.palette16, evidence: "the settings file"))
        #expect(settings.language == .init(.german, evidence: "the settings file"))
        #expect([settings.memoryLimit?.value, settings.diskLimit?.value] == [1 << 20, 2 << 20])
        #expect(settings.automatic.color == .truecolor && !settings.preferences.usesMouse)
    }

    @Test("doctor has the browser's memory limit: the file's, or the same default")
    func memoryLimit() throws {
        #expect(try settings("doctor").memoryLimit == settings("browse").memoryLimit)
        try root.write("spyglass/settings.json", "{}")
        #expect(try settings("doctor").memoryLimit == settings("browse").memoryLimit)
    }

    @Test("A key file that others may read is the reason why a source cannot be searched")
    func openKeyFile() throws {
        let tumblr = try #require(SourceRegistry.named("tumblr"))
        #expect(try settings("browse").obstacle(to: tumblr)?.hasPrefix("Tumblr needs a key: set") == true)
        try root.write("spyglass/tumblr.key", Array("s3cret".utf8))
        let path = root.path("spyglass/tumblr.key")
        for (mode, obstacle) in [(0o600, nil), (0o644, "\(path): others may read it; run chmod 600 on it")] {
            #expect(chmod(path, mode_t(mode)) == 0)
            #expect(try settings("browse").obstacle(to: tumblr) == obstacle)
        }
    }

    @Test("Options and variables override the settings file")
    func options() throws {
        let settings = try settings(
            "browse", "--source", "nasa", "--color", "256", environment: ["SPYGLASS_DISK_LIMIT": "8MiB"])
        #expect(settings.source == .nasa && settings.preferences.source == "nasa")
        #expect(settings.terminal.color == .init(.palette256, evidence: "--color 256"))
        #expect(settings.diskLimit == .init(8 << 20, evidence: "--disk-limit"))
    }

    @Test("Other commands ignore the settings file", arguments: ["list", "doctor", "resize"])
    func otherCommands(command: String) throws {
        let settings = try settings(command)
        #expect(settings.source == .nasa && settings.diskLimit == nil)
        #expect(settings.terminal.color.value == .truecolor && settings.language.value == .english)
    }
}

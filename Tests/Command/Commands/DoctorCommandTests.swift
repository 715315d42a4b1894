import SpyglassFetching
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import SpyglassSandbox
@testable import spyglass

@Suite("doctor", .timeLimit(.minutes(10)))
struct DoctorCommandTests {
    @Test("doctor reports the disk cache with evidence and problems")
    func diskCache() async throws {
        let folder = try TemporaryFolder()
        var fake = FakeSystem()
        #expect(await fake.run("doctor", "--source", "demo").output.contains("neither HOME nor XDG_CACHE_HOME"))
        fake.environment["XDG_CACHE_HOME"] = folder.path
        let outcome = await fake.run("doctor", "--source", "demo", "--disk-limit", "1GiB")
        #expect(outcome.code == .success && outcome.output.contains("0 entries"))
        #expect(outcome.output.contains("0 B of 1.0 GiB (--disk-limit)"))
        try folder.write("spyglass", "a file")
        #expect(await fake.run("doctor", "--source", "demo").code == .someFailed)
    }

    @Test("doctor reports terminal, libraries and source with evidence")
    func report() async {
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 100, 30)
        let outcome = await fake.run("doctor", "--source", "demo")
        #expect(outcome.code == .success && outcome.errors == "")
        let found = [
            ["size", "100x30", "TIOCGWINSZ"], ["truecolor", "COLORTERM=truecolor"], ["utf8", "LANG=en_US.UTF-8"],
            ["libpng"],
        ]
        #expect(found.allSatisfy { outcome.hasLine(with: $0) }, "\(outcome.output)")
    }

    @Test("doctor reports every optional library, and the lock of show")
    func formats() async {
        var fake = FakeSystem()
        fake.locked = Sandbox.Report(landlock: .success(6), seccomp: .success(0))
        let outcome = await fake.run("doctor", "--source", "demo")
        for name in ["libwebp", "libwebpdemux", "libheif", "libavif", "libtiff", "libjxl"] {
            let line = outcome.lines.first { $0.hasPrefix("    \(name) ") } ?? ""
            #expect(line.contains("dlopen") || line.contains("missing"), "\(name): \(line)")
        }
        #expect(outcome.hasLine(with: ["show ", "landlock ABI 6, seccomp yes"]))
        let off = await fake.run("doctor", "--source", "demo", "--sandbox", "off")
        #expect(off.hasLine(with: ["show ", "--sandbox off"]))
    }

    @Test("doctor asks the source, for two seconds at most")
    func source() async {
        var fake = FakeSystem()
        fake.transport = StubTransport { request in
            FetchResponse(
                request, text: #"{"collection":{"items":[{"data":[{"nasa_id":"a"}]}],"metadata":{"total_hits":1}}}"#)
        }
        let outcome = await fake.run("doctor")
        #expect(outcome.code == .success && outcome.hasLine(with: ["search", "answers", "photos in"]))
        let none = await FakeSystem().run("doctor")
        #expect(none.code == .someFailed && none.hasLine(with: ["  ! search", "no network in tests"]))
        let clock = ManualClock()
        var silent = FakeSystem()
        silent.clock = clock
        silent.transport = StubTransport { _ in
            clock.advance(by: .seconds(2))
            try await clock.sleep(for: .seconds(100))
            throw FetchError(.timedOut, "no data")
        }
        #expect(await silent.run("doctor").hasLine(with: ["no answer", "within 2 s"]))
        for words in [["--source", "demo"], ["--archive", "/nonexistent"]] {
            #expect(await !FakeSystem().run(["doctor"] + words).output.contains("no answer"))
        }
    }

    @Test("doctor reports tmux and the background with evidence")
    func around() async {
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 120, 30)
        var answers = TerminalAnswers()
        answers.add(.background(RGB(16, 0, 255)))
        fake.reply = .answered(answers)
        let outcome = await fake.run("doctor", "--source", "demo")
        #expect(outcome.hasLine(with: ["background", "#1000ff", "OSC 11"]))
        #expect(outcome.hasLine(with: ["tmux", " no ", "TERM=xterm"]))
        fake.reply = .silent
        fake.environment["TMUX"] = "/tmp/tmux"
        let inside = await fake.run("doctor", "--source", "demo")
        #expect(
            inside.hasLine(with: ["background", "unknown"]) && inside.hasLine(with: ["    tmux ", " yes ", "TMUX"]))
        #expect(await FakeSystem().run("doctor", "--source", "demo").output.contains("not a terminal"))
    }

    @Test("An option is evidence too; words are refused")
    func options() async {
        let outcome = await FakeSystem().run("doctor", "--color", "16", "--cells", "40x10", "--source", "demo")
        #expect(outcome.output.contains("--color 16") && outcome.output.contains("--cells 40x10"))
        #expect(await FakeSystem().run("doctor", "me").code == .usage)
    }

    @Test("A terminal of few colours gets a hint", arguments: [true, false])
    func colorHint(isTruecolor: Bool) async {
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 200, 30)
        if !isTruecolor { fake.environment["COLORTERM"] = nil }
        let output = await fake.run("doctor", "--source", "demo").output
        #expect(output.contains("SPYGLASS_COLOR=truecolor") == !isTruecolor)
    }

    @Test("An archive that cannot be read is marked, and the exit code is 1")
    func brokenArchive() async {
        let outcome = await FakeSystem().run("doctor", "--archive", "/nonexistent")
        #expect(outcome.code == .someFailed && outcome.hasLine(with: ["  ! archive"]))
    }

    @Test("Columns line up, and lines are no wider than the screen")
    func aligned() {
        let areas: [DoctorCommand.Area] = [
            ("one", [.init("a", "x", "because"), .init("longer", "宇宙", "of this", isProblem: true)]),
            ("two", [.init("b", "yyyyy", String(repeating: "word ", count: 20))]),
        ]
        #expect(
            DoctorCommand.text(areas, columns: 60) == """
                one
                    a       x      because
                  ! longer  宇宙   of this

                two
                    b       yyyyy  word word word word word word word word
                                   word word word word word word word word
                                   word word word word

                """)
    }

    @Test("On a narrow screen evidence is below its value")
    func narrow() {
        let areas: [DoctorCommand.Area] = [
            ("one", [.init("a", "x", "because of this"), .init("long", "two words", "of", isProblem: true)])
        ]
        #expect(
            DoctorCommand.text(areas, columns: 16) == """
                one
                    a     x
                      because of
                      this
                  ! long  two
                          words
                      of

                """)
    }

    @Test("The report fits the screen", arguments: [40, 60, 79, 132])
    func width(columns: Int) async {
        let outcome = await FakeSystem().run("doctor", "--source", "demo", "--cells", "\(columns)x24")
        #expect(outcome.lines.count > 8)
        // The last line has a command to copy, so it is not wrapped.
        for line in outcome.lines.prefix(while: { !$0.hasPrefix("works: ") }) {
            #expect(TerminalText(cleaning: String(line)).width < columns, "\(line)")
        }
    }

    @Test("The last line names what works, what fails, and how to install what is missing")
    func summary() async {
        let works: DoctorCommand.Part = ("JPEG", [])
        let parts = [works, ("AVIF", ["libheif1"]), ("HEIC", ["libheif1"]), ("downloads", ["libcurl4"])]
        let areas: [DoctorCommand.Area] = [
            ("libraries", [.init("libcurl", "missing", "", isProblem: true)]),
            ("source", [.init("search", "no answer", "", isProblem: true)]),
        ]
        let summaries = [
            DoctorCommand.summary([works], []), DoctorCommand.summary([works], areas), DoctorCommand.summary(parts, []),
        ]
        #expect(
            summaries == [
                "works: JPEG", "works: JPEG; failed: search",
                "works: JPEG; missing: AVIF, HEIC, downloads; to add: apt install libheif1 libcurl4",
            ])
        let outcome = await FakeSystem().run("doctor", "--source", "demo")
        #expect(outcome.output.split(separator: "\n").last?.hasPrefix("works: JPEG, PNG, GIF, BMP") == true)
    }

    @Test("JSON is one object whose strings are escaped")
    func json() {
        let areas: [DoctorCommand.Area] = [
            ("one", [.init("a", "x\"\\\u{1B}", "é"), .init("b", "", "", isProblem: true)])
        ]
        #expect(
            DoctorCommand.json(areas)
                == #"{"version":"\#(SpyglassVersion.current)","one":{"a":{"value":"x\"\\\u001b","evidence":"é","ok":true},"#
                + #""b":{"value":"","evidence":"","ok":false}}}"# + "\n")
    }
}

import Glibc
import SpyglassFetching
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("list", .timeLimit(.minutes(10)))
struct ListCommandTests {
    /// A response of NASA with some items, and plain images for their thumbnails.
    private static func nasa(_ items: [String], total: Int, hasNext: Bool = false) -> StubTransport {
        let next = #"[{"rel":"next","prompt":"Next","href":"http://images-api.nasa.gov/search?page=2"}]"#
        let body = """
            {"collection":{"version":"1.0","href":"http://images-api.nasa.gov/search","items":[\(items.joined(separator: ","))],\
            "metadata":{"total_hits":\(total)}\(hasNext ? ",\"links\":\(next)" : "")}}
            """
        return StubTransport { request in
            request.address.host == "images-api.nasa.gov"
                ? FetchResponse(request, text: body)
                : FetchResponse(request, body: TinyPNG.solid(255, 0, 0, width: 24, height: 16))
        }
    }

    private static func item(_ id: String, _ fields: String = "", hasPicture: Bool = true) -> String {
        let links = #"[{"href":"https://images-assets.nasa.gov/\#(id)~thumb.jpg","rel":"preview","render":"image"}]"#
        return """
            {"data":[{"nasa_id":"\(id)","title":"Title of \(id)","media_type":"image","center":"JSC",\
            "date_created":"1969-07-20T00:00:00Z"\(fields.isEmpty ? "" : ",\(fields)")}]\
            \(hasPicture ? ",\"links\":\(links)" : "")}
            """
    }

    private static let fields = #""photographer":"Neil Armstrong","location":"Moon","description":"A first step.""#

    private func fake(_ items: [String], total: Int? = nil) -> FakeSystem {
        var fake = FakeSystem()
        fake.transport = Self.nasa(items, total: total ?? items.count)
        return fake
    }

    // MARK: Text

    @Test("--source folder lists files with their paths, in the order of --sort")
    func folder() async throws {
        let folder = try TemporaryFolder()
        try folder.write("2.png", TinyPNG.solid(1, 2, 3))
        try folder.write("10.png", TinyPNG.noise(width: 9, height: 9))
        let lines = await FakeSystem().run("list", "--source", "folder", "--json", folder.path).lines
        let first = #""file":"\#(folder.path)/2.png","camera":null}"#
        #expect(lines.count == 3 && lines[0].contains(first))
        #expect(lines[1].contains(#""title":"10.png""#) && lines[1].contains(#""media_type":"image""#))
        let bySize = await FakeSystem().run("--sort", "size", "--json", folder.path).lines
        #expect(bySize.first?.contains(#""title":"10.png""#) == true)
        let images = await FakeSystem().run("list", "--source", "folder", "--color", "truecolor", folder.path)
        #expect(images.code == .success && images.output.contains("\u{2580}"))
        try folder.write("empty.png", [])
        let failed = await FakeSystem().run("list", "--source", "folder", "--cells", "60x8", folder.path)
        #expect(failed.errors == "spyglass: \(folder.path("empty.png")): empty\n")
        let missing = await FakeSystem().run("list", "--source", "folder", folder.path("x"))
        #expect(missing == .failed("cannot list \(folder.path)/x: No such file or directory", .unavailable))
        let empty = try TemporaryFolder()
        let nothing = await FakeSystem().run("list", "--source", "folder", empty.path)
        #expect(nothing == .failed("no images in the folder", .success))
    }

    @Test("To a pipe it prints only text")
    func plainText() async {
        let outcome = await fake([Self.item("a", Self.fields), Self.item("b")]).run("list", "moon")
        let output = """
            Title of a
            Neil Armstrong · 20 July 1969
            NASA Johnson (JSC) · Moon
            A first step.

            Title of b
            NASA Johnson (JSC) · 20 July 1969


            """
        #expect(outcome == .init(output: output))
    }

    @Test("The locale chooses the language of dates, and ASCII where it is not UTF-8")
    func locale() async {
        for (language, fields, line) in [
            ("C", Self.fields, "Neil Armstrong - 20 July 1969"),
            ("de_DE.UTF-8", "", "NASA Johnson (JSC) · 20. Juli 1969"),
        ] {
            var fake = fake([Self.item("a", fields)])
            fake.environment["LANG"] = language
            #expect(await fake.run("list").lines[1] == line)
        }
    }

    // MARK: Images

    @Test("On a terminal the text is to the right of the image")
    func pictures() async {
        var fake = fake([Self.item("a", Self.fields)])
        fake.screen = CellSize(clamping: 80, 24)
        let outcome = await fake.run("list")
        let image = "\u{1B}[48;2;255;0;0m" + String(repeating: " ", count: 24) + "\u{1B}[0m"
        let texts = [
            "      \u{1B}[1mTitle of a\u{1B}[0m", "      Neil Armstrong · 20 July 1969\u{1B}[0m",
            "      \u{1B}[2mNASA Johnson (JSC) · Moon\u{1B}[0m",
            "      A first step.\u{1B}[0m", "", "", "", "",
        ]
        #expect(outcome == .init(output: texts.map { image + $0 + "\n" }.joined() + "\n"))
    }

    @Test("--color and --cells print images to a pipe")
    func askedPictures() async {
        #expect(await fake([Self.item("a")]).run("list", "--color", "256").output.contains("48;5;"))
        #expect(await fake([Self.item("a")]).run("list", "--cells", "80x24").output.contains("48;2;"))
        #expect(!(await fake([Self.item("a")]).run("list", "--color", "auto").output.contains("\u{1B}")))
    }

    @Test("A pixel protocol draws after the text beside it, only if it is named")
    func protocols() async {
        var fake = fake([Self.item("a", Self.fields)])
        fake.screen = CellSize(clamping: 80, 24)
        let outcome = await fake.run("list", "--pixels", "kitty", "--cell-size", "2x4")
        let gap = String(repeating: " ", count: 30)
        let texts = [
            "\u{1B}[1mTitle of a\u{1B}[0m", "Neil Armstrong · 20 July 1969",
            "\u{1B}[2mNASA Johnson (JSC) · Moon\u{1B}[0m", "A first step.",
        ]
        #expect(outcome.code == .success && outcome.output.hasSuffix("\u{1B}8\u{1B}[3B\n\n"))
        #expect(outcome.output.hasPrefix(texts.map { gap + $0 + "\n" }.joined() + "\u{1B}[4A\u{1B}7\u{1B}_Ga=T,"))
        #expect(!(await self.fake([Self.item("a")]).run("list", "--cells", "80x24").output.contains("\u{1B}_G")))
    }

    @Test("--no-images fetches no image and gives the text the full width")
    func noImages() async {
        var fake = fake([Self.item("a", Self.fields)])
        fake.screen = CellSize(clamping: 80, 24)
        let outcome = await fake.run("list", "--no-images", "--stats")
        #expect(outcome.lines.first == "\u{1B}[1mTitle of a\u{1B}[0m")
        #expect(outcome.errors.hasPrefix("requests=1 "))
    }

    @Test("A photo without an image has a placeholder and does not fail")
    func placeholder() async {
        let outcome = await fake([Self.item("a", hasPicture: false)]).run("list", "--cells", "80x24", "--color", "none")
        #expect(outcome.code == .success && outcome.lines.first == "┌──────────────────────────┐  Title of a")
        #expect(outcome.output.contains("│         no image         │"))
    }

    @Test("A failed image has a placeholder, an error line and exit code 1")
    func failedPicture() async {
        var fake = FakeSystem()
        let search = Self.nasa([Self.item("a"), Self.item("b")], total: 2)
        fake.transport = StubTransport { request in
            request.address.path == "/a~thumb.jpg"
                ? FetchResponse(request, status: 503) : try await search.fetch(request)
        }
        let outcome = await fake.run("list", "--cells", "80x24", "--color", "none")
        let line = "a: https://images-assets.nasa.gov/a~thumb.jpg: HTTP 503: server error; try again later"
        #expect(outcome.code == .someFailed && outcome.errors == "spyglass: \(line)\n")
        #expect(outcome.output.contains("image failed") && outcome.output.contains("Title of b"))
    }

    @Test("Nothing is wider than the screen", arguments: [2, 8, 20, 21, 49, 50, 51, 60, 80, 120, 300])
    func width(columns: Int) async {
        let long = String(repeating: "wide 宇宙 words and Donaudampfschifffahrtsgesellschaftskapitän ", count: 20)
        let fields = #""photographer":"\#(long)","location":"\#(long)","description":"\#(long)""#
        let items = [Self.item("a", fields), Self.item("b", fields, hasPicture: false)]
        let outcome = await fake(items).run("list", "--cells", "\(columns)x24", "--color", "none")
        #expect(outcome.lines.count > 10)
        for line in outcome.lines { #expect(TerminalText(cleaning: String(line)).width < columns, "\(line)") }
    }

    @Test("Text from outside is cleaned")
    func hostileText() async {
        let fields = #""photographer":"\u001b]0;x\u0007Eve\u202e","description":"a\u009b31mb""#
        let outcome = await fake([Self.item("a", fields)]).run("list")
        let bad = outcome.output.unicodeScalars.filter {
            $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
        }
        #expect(bad.isEmpty)
    }

    // MARK: The line of maker and date

    @Test(
        "A long maker is truncated, the date never",
        arguments: [
            (80, "Illingworth, Magee, Oesch, Bouwens, Labbé, Stiavelli, van… · 25 September 2012"),
            (50, "Illingworth, Magee, Oesch, B… · 25 September 2012"),
            (30, "Illingwo… · 25 September 2012"), (28, "Illingworth, Magee, Oesch,…"), (12, "Illingwort…"),
        ])
    func longMaker(columns: Int, line: String) async {
        let names = "Illingworth, Magee, Oesch, Bouwens, Labbé, Stiavelli, van Dokkum, Trenti and many others"
        let fields = #""photographer":"\#(names)","date_created":"2012-09-25""#
        let outcome = await fake([Self.item("a", fields)]).run(
            "list", "--no-images", "--cells", "\(columns)x24", "--color", "none")
        let found = outcome.lines.dropFirst().first { $0.hasPrefix("Illing") }
        #expect(found.map(String.init) == line && outcome.output.contains("25 Septemb"))
    }

    @Test("A centre that is also the maker or the location is printed once")
    func centerOnce() async {
        let alone = #"{"data":[{"nasa_id":"a","title":"A","media_type":"image","center":" JSC"}]}"#
        #expect(await fake([alone]).run("list").output == "A\nNASA Johnson (JSC)\n\n")
        let both = Self.item("a", #""photographer":"Eve","location":"JSC""#)
        #expect(await fake([both]).run("list").lines[2] == "NASA Johnson (JSC)")
    }

    // MARK: JSON

    @Test("--json prints one object a line and fetches no image")
    func json() async {
        let outcome = await fake([Self.item("a", Self.fields), Self.item("b")]).run(
            "list", "--json", "--cells", "80x24", "--stats")
        #expect(outcome.lines.count == 3 && outcome.errors.hasPrefix("requests=1 "))
        let start = #"{"id":"a","title":"Title of a","photographer":"Neil Armstrong","#
        #expect(outcome.lines.first?.hasPrefix(start) == true)
    }

    // MARK: Messages

    @Test("Standard error has the number of results and the total; repeated photos do not count as further results")
    func count() async {
        let items = (0..<100).map { Self.item("n\($0)") }
        let outcome = await fake(items, total: 34_684).run("list")
        #expect(outcome.code == .success && outcome.errors == "spyglass: 50 of 34,684\n")
        let repeated = items.prefix(20) + [items[0]]
        for (items, total, words, line) in [
            (items, 34_684, ["--quiet"], ""), ([items[0]], 1, [], ""), (Array(repeated), 21, [], ""),
            (Array(repeated), 21, ["--limit", "19"], "spyglass: 19 of 21\n"),
            // More is missing than repeated photos explain.
            (Array(repeated), 34_684, [], "spyglass: 20 of 34,684\n"),
        ] {
            #expect(await fake(items, total: total).run(["list"] + words).errors == line)
        }
    }

    @Test("An empty result prints a note and succeeds")
    func nothing() async {
        #expect(await fake([]).run("list", "xyzzy") == .failed("nothing found for 'xyzzy'", .success))
        #expect(await fake([]).run("list").errors == "spyglass: nothing found\n")
    }

    @Test("An unreachable source exits 3 with a sentence; the address comes with --verbose")
    func unreachable() async {
        var fake = FakeSystem()
        fake.transport = StubTransport { request in
            throw FetchError(.unreachable, "\(request.address): Could not resolve host: images-api.nasa.gov")
        }
        let sentence = "spyglass: no connection to NASA; check your network, or try spyglass --source demo\n"
        #expect(await fake.run("list", "mars") == .init(code: .unavailable, errors: sentence))
        let verbose = await fake.run("list", "mars", "--verbose").errors
        let reason = "Could not resolve host: images-api.nasa.gov"
        #expect(verbose.contains("https://images-api.nasa.gov/search?q=mars"))
        #expect(verbose.hasSuffix(": \(reason); check your network, or try spyglass --source demo\n"))
        var slow = FakeSystem()
        slow.transport = StubTransport { throw FetchError(.timedOut, "\($0.address): no data within 20 s") }
        let slowness = "NASA does not answer: no data within 20 s; wait longer with --timeout, or try again later"
        #expect(await slow.run("list", "mars") == .failed(slowness, .unavailable))
    }

    @Test("A response that rejects an option exits 2, an unusable one 3")
    func blamed() async {
        for (word, status, text, code) in [
            ("--year=0000", 400, #"{"reason":"Invalid value year_start=\"0000\"."}"#, ExitCode.usage),
            ("mars", 200, "<html>maintenance</html>", .unavailable),
        ] {
            var fake = FakeSystem()
            fake.transport = StubTransport { FetchResponse($0, status: status, text: text) }
            #expect(await fake.run("list", word).code == code)
        }
    }

    @Test(
        "Every recorded response of NASA prints a list or one error",
        .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"))
    func recordings() async throws {
        let folder = "\(TestData.shared ?? "")/api/nasa"
        for name in TestData.names(in: folder) where name.hasSuffix(".json") {
            let body = TestData.bytes(of: "\(folder)/\(name)")
            for status in [200, 400, 404] {
                var fake = FakeSystem()
                // NASA's edge caches a 400 for some seconds, which the source waits for.
                fake.clock = TickingClock()
                fake.transport = StubTransport { FetchResponse($0, status: status, body: body) }
                let outcome = await fake.run("list", "mars", "--no-images", "--cells", "60x20", "--quiet")
                #expect([.success, .usage, .unavailable].contains(outcome.code), "\(name)")
                #expect(outcome.errors.split(separator: "\n").count <= 1, "\(name): \(outcome.errors)")
                #expect(outcome.code == .success || !outcome.errors.isEmpty, "\(name)")
            }
        }
    }

    @Test("Progress is shown on standard error and cleared at the end, unless --quiet")
    func progress() async {
        var fake = fake([Self.item("a")])
        fake.errorsAreTerminal = true
        fake.screen = CellSize(clamping: 80, 24)
        let outcome = await fake.run("list", "moon")
        #expect(
            outcome.errors.hasPrefix("\r\u{1B}[Ksearching nasa for 'moon'") && outcome.errors.hasSuffix("\r\u{1B}[K"))
        var quiet = self.fake([Self.item("a")])
        quiet.errorsAreTerminal = true
        #expect(await quiet.run("list", "--quiet").errors == "")
    }

    // MARK: Archives

    @Test("A recording replays without a network")
    func recordAndReplay() async throws {
        let folder = try TemporaryFolder()
        let words = ["list", "moon", "--cells", "80x24"]
        let recorded = await fake([Self.item("a", Self.fields)]).run(words + ["--record", folder.path("archive")])
        #expect(recorded.code == .success)
        #expect(await FakeSystem().run(words + ["--archive", folder.path("archive")]) == recorded)
    }

    @Test("A search missing in an archive finds nothing, exits 0 and lists what it holds")
    func notHeld() async throws {
        let folder = try TemporaryFolder()
        let archive = folder.path("archive")
        _ = await fake([Self.item("a")]).run("list", "apollo", "--record", archive)
        let outcome = await FakeSystem().run("list", "mars", "--archive", archive)
        #expect(outcome == .failed("nothing recorded for 'mars'; this archive has: 'apollo'", .success))
        #expect(await FakeSystem().run("list", "mars", "--quiet", "--archive", archive).errors == "")
        let filtered = await FakeSystem().run("list", "apollo", "--center", "JPL", "--archive", archive)
        #expect(
            filtered.errors
                == "spyglass: nothing recorded for 'apollo' with these options; this archive has: 'apollo'\n")
    }

    @Test("An archive with only the first page lists it and notes the end")
    func archiveEnds() async throws {
        let folder = try TemporaryFolder()
        let archive = folder.path("archive")
        var recording = FakeSystem()
        recording.transport = Self.nasa((0..<100).map { Self.item("n\($0)") }, total: 150, hasNext: true)
        _ = await recording.run("list", "apollo", "--limit", "5", "--record", archive)
        let outcome = await FakeSystem().run("list", "apollo", "--limit", "all", "--archive", archive)
        let notes = "spyglass: the archive has no further pages of this search\nspyglass: 100 of 150\n"
        #expect(outcome.code == .success && outcome.errors == notes)
        let missing = await FakeSystem().run("list", "mars", "--archive", "/nonexistent")
        #expect(missing.code == .unavailable && missing.errors.split(separator: "\n").count == 1)
    }
}

import Glibc
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("show", .timeLimit(.minutes(10)))
struct ShowCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try folder.write(name, bytes)
        return folder.path(name)
    }

    private static let red = "\u{1B}[48;2;255;0;0m  \u{1B}[0m\n"
    private static let blue = "\u{1B}[48;2;0;0;255m  \u{1B}[0m\n"

    @Test("A file is printed as half-blocks; without colour as a luminance ramp without escapes")
    func file() async throws {
        let path = try file("red.png", TinyPNG.solid(255, 0, 0))
        #expect(await FakeSystem().run("show", path) == .init(output: Self.red))
        var fake = FakeSystem()
        fake.environment["NO_COLOR"] = "1"
        let outcome = await fake.run("show", path)
        #expect(!outcome.output.contains("\u{1B}") && outcome.output.count == 3)
        let explicit = FakeSystem(environment: fake.environment)
        #expect(await explicit.run("show", "--color", "truecolor", path).output == Self.red)
    }

    @Test("On a terminal, the preview of a RAW file is called that, unless --quiet")
    func rawFile() async throws {
        let jpeg = TestData.bytes(of: TestData.fixture("encoded/baseline.jpg"))
        let header = Array("FUJIFILMCCD-RAW 0201".utf8) + [UInt8](repeating: 0, count: 67) + [92]
        let size = [0, 0, UInt8(jpeg.count >> 8), UInt8(jpeg.count & 255)]
        let path = try file("x.raf", header + size + jpeg)
        #expect(await FakeSystem().run("show", path).errors == "")
        for (screen, words, line) in [
            (nil, [], ""), (CellSize(clamping: 80, 24), [], "\(path): preview of a RAW file\n"),
            (CellSize(clamping: 80, 24), ["--quiet"], ""),
        ] {
            var fake = FakeSystem()
            fake.screen = screen
            #expect(await fake.run(["show", path] + words).errors == line)
        }
    }

    @Test("Standard input is read if it is named, or connected without operands; its errors are one line")
    func standardInput() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0))
        let blue = TinyPNG.solid(0, 0, 255)
        let inputs: [([String], MemorySource, FakeSystem.Outcome)] = [
            (["-"], MemorySource(bytes: blue), .init(output: Self.blue)),
            ([], MemorySource(bytes: blue, isConnected: true), .init(output: Self.blue)),
            // Beside operands it is not read.
            ([red], MemorySource(bytes: [], isConnected: true, isIdle: true), .init(output: Self.red)),
            (
                [], MemorySource(bytes: [], isConnected: true, isIdle: true),
                .failed("standard input: no data within 20 s; raise --timeout")
            ),
            (
                ["-"], MemorySource(bytes: [], isTerminal: true, isIdle: true),
                .failed("standard input: a terminal; pipe an image into it")
            ),
            (
                ["-", "--max-bytes", "10"], MemorySource(bytes: blue),
                .failed("standard input: more than 10 bytes (raise the limit with --max-bytes)")
            ),
            ([], MemorySource(bytes: blue), .failed("show needs an image: spyglass show FILE|URL|-...", .usage)),
        ]
        for (words, input, outcome) in inputs {
            var fake = FakeSystem()
            fake.input = input
            fake.errorsAreTerminal = input.isTerminal
            #expect(await fake.run(["show"] + words) == outcome)
        }
        var idle = FakeSystem()
        idle.input = MemorySource(bytes: [], isConnected: true, isIdle: true)
        idle.errorsAreTerminal = true
        #expect(await idle.run("show").errors.contains("waiting for an image on standard input"))
    }

    @Test("A file above the limit names the option, which raises it")
    func largeFile() async throws {
        try folder.write("large.png", TinyPNG.solid(255, 0, 0), byteCount: 200 << 30)
        let path = folder.path("large.png")
        let size = "a file of 214748364800 bytes, above the limit of 4294967296 bytes"
        #expect(await FakeSystem().run("show", path) == .failed("\(path): \(size) (raise it with --max-bytes)"))
        #expect(await FakeSystem().run("show", path, "--max-bytes", "200GiB").output == Self.red)
    }

    @Test("A failed item does not affect the others; the exit code is 1")
    func oneFails() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0))
        let text = try file("notes.txt", Array("hello".utf8))
        let missing = folder.path("missing.png")
        let outcome = await FakeSystem().run("show", missing, text, red)
        #expect(outcome.code == .someFailed && outcome.output == Self.red)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 2 && lines.first?.hasPrefix("spyglass: \(missing): ") == true)
        #expect(lines.last == "spyglass: \(text): text, not an image")
    }

    @Test("A truncated image prints its rows and counts as failed")
    func truncatedImage() async throws {
        let whole = TinyPNG.solid(255, 0, 0, width: 8, height: 40)
        let path = try file("cut.png", Array(whole.dropLast(whole.count / 2)))
        let outcome = await FakeSystem().run("show", path)
        #expect(outcome.code == .someFailed && outcome.output.contains("48;2;255;0;0"))
        #expect(outcome.errors.hasPrefix("spyglass: \(path): truncated: ") && outcome.errors.contains(" of 40 rows"))
    }

    @Test("A folder, a device and an empty file fail with one line each")
    func noFiles() async throws {
        let empty = try file("empty.jpg", [])
        let outcome = await FakeSystem().run("show", folder.path, "/dev/null", empty)
        #expect(outcome.code == .someFailed && outcome.output == "")
        #expect(outcome.errors.split(separator: "\n").count == 3)
        #expect(outcome.errors.contains("spyglass: \(folder.path) is a folder; try: spyglass \(folder.path)\n"))
    }

    @Test("In a previewer an image fits its window: fzf's, then that of COLUMNS and LINES, then the terminal")
    func previewer() async throws {
        let path = try file("tall.png", TinyPNG.solid(0, 0, 0, width: 60, height: 90))
        func shown(_ preview: (columns: String, lines: String)? = nil, on screen: CellSize? = nil) async
            -> FakeSystem.Outcome
        {
            var fake = FakeSystem()
            fake.environment["LINES"] = "7"
            fake.environment["FZF_PREVIEW_COLUMNS"] = preview?.columns
            fake.environment["FZF_PREVIEW_LINES"] = preview?.lines
            fake.screen = screen
            return await fake.run("show", path)
        }
        #expect(await shown().lines.count == 6 + 1)
        let fitted = await shown(("30", "5"))
        #expect(fitted.lines.count == 4 + 1 && fitted.output.contains("\u{1B}["))
        for hostile in ["0", "-1", "99999999999999999999", "x", ""] {
            #expect(await shown((hostile, hostile)).lines.count == 6 + 1)
        }
        #expect(
            await shown(("30", "5"), on: CellSize(clamping: 80, 11)).lines.count == 10 + 1,
            "A terminal has its own size")
    }

    @Test("A name that is not UTF-8 opens the file it names")
    func rawName() async throws {
        let bytes = Array("\(folder.path)/".utf8) + [0x72, 0xFF, 0x2E, 0x70, 0x6E, 0x67]
        let argument = Argument(bytes: bytes)
        let image = TinyPNG.solid(255, 0, 0)
        let descriptor = argument.withCPath { open($0, O_WRONLY | O_CREAT, 0o600) }
        try #require(write(descriptor, image, image.count) == image.count)
        close(descriptor)
        let fake = FakeSystem()
        let code = await Program(fake.services).start(["show", argument]).code()
        #expect(code == .success && fake.output.text == Self.red)
    }

    @Test("A file name in a message is cleaned")
    func hostileName() async {
        let outcome = await FakeSystem().run("show", "/nonexistent/\u{1B}]52;c;aGk=\u{7}.jpg")
        #expect(!outcome.errors.contains("\u{1B}") && !outcome.errors.contains("\u{7}"))
    }

    // MARK: Size

    @Test("--cells is the largest box; a free side is the terminal's, less a row below, and unlimited in a pipe")
    func cells() async throws {
        let path = try file("square.png", TinyPNG.solid(0, 0, 0, width: 90, height: 90))
        let tall = try file("tall.png", TinyPNG.solid(0, 0, 0, width: 20, height: 200))
        for (cells, image, rows) in [("20x10", path, 10), ("20x50", path, 10), ("20x", tall, 100)] {
            #expect(await FakeSystem().run("show", "--cells", cells, image).lines.count == rows + 1)
        }
        let wide = try file("wide.png", TinyPNG.solid(0, 0, 0, width: 200, height: 20))
        for (screen, columns) in [(nil, 200), (CellSize(clamping: 40, 24), 40)] {
            var fake = FakeSystem()
            fake.screen = screen
            #expect(await fake.run("show", "--cells", "x10", wide).lines[0].count { $0 == " " } == columns)
        }
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 80, 11)
        #expect(await fake.run("show", tall).lines.count == 10 + 1)
    }

    @Test("Images are enlarged only with --enlarge")
    func enlarge() async throws {
        let path = try file("red.png", TinyPNG.solid(255, 0, 0))
        #expect(await FakeSystem().run("show", "--cells", "8x4", path).output == Self.red)
        let row = "\u{1B}[48;2;255;0;0m        \u{1B}[0m\n"
        let enlarged = await FakeSystem().run("show", "--cells", "8x4", "--enlarge", path)
        #expect(enlarged.output == String(repeating: row, count: 4))
    }

    // MARK: Captions and grids

    @Test("A caption has the name, the size and the format")
    func caption() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0))
        #expect(await FakeSystem().run("show", "--caption", red).output == Self.red + "red.png 2x2 PNG\n")
        let format = "--caption={format}: {name} {{{size}}}"
        #expect(await FakeSystem().run("show", format, red).output == Self.red + "PNG: red.png {2x2}\n")
    }

    @Test(
        "A caption with an unknown field is an error with those known",
        arguments: [
            ("{title}", "unknown field {title}; use {name} {size} {format}"),
            ("{name", "'{' without '}'; write '{{' for a literal one"),
            ("name}", "'}' without '{'; write '}}' for a literal one"),
        ])
    func unknownField(format: String, reason: String) async {
        let outcome = await FakeSystem().run("show", "--caption=\(format)", "x.png")
        #expect(outcome == .failed("--caption \(format): \(reason)", .usage))
    }

    @Test("A hostile name is cleaned in its caption")
    func hostileCaption() async throws {
        let path = try file("a\u{1B}[31m\u{7}.png", TinyPNG.solid(255, 0, 0))
        let outcome = await FakeSystem().run("show", "--caption={name}", "--color", "none", path)
        let isClean = !outcome.output.contains("\u{1B}") && !outcome.output.contains("\u{7}")
        #expect(outcome.code == .success && isClean && outcome.lines.count == 3)
    }

    @Test("A caption fits the screen, and takes a row of the image's box")
    func longCaption() async throws {
        let tall = try file(String(repeating: "n", count: 90) + ".png", TinyPNG.solid(0, 0, 0, width: 60, height: 90))
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 80, 11)
        let outcome = await fake.run("show", "--caption", tall)
        #expect(outcome.lines.count == 10 + 1 && outcome.lines[9] == String(repeating: "n", count: 79) + "…")
    }

    @Test("A caption of a URL is its last part")
    func addressCaption() async {
        func caption(_ address: String) async -> Substring {
            var fake = FakeSystem()
            fake.transport = StubTransport { FetchResponse($0, body: TinyPNG.solid(0, 0, 255)) }
            return await fake.run("show", "--caption={name}", address).lines[1]
        }
        #expect(await caption("https://example.org/a/blue.png?size=1") == "blue.png")
        #expect(await caption("https://example.org/") == "example.org")
    }

    @Test("Empty lines separate images on a terminal, not in a pipe")
    func emptyLines() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0))
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 80, 24)
        #expect(await fake.run("show", red, "/nonexistent", red).output == Self.red + "\n" + Self.red)
        #expect(await FakeSystem().run("show", red, red).output == Self.red + Self.red)
    }

    @Test("A grid has images beside each other, with their captions below")
    func grid() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0))
        let blue = try file("blue.png", TinyPNG.solid(0, 0, 255))
        let outcome = await FakeSystem().run(
            "show", "--grid", "2", "--cells", "8x4", "--caption={name}", red, blue, blue)
        let first = Self.red.dropLast() + "        " + Self.blue
        #expect(outcome == .init(output: "\(first)red.png   blue.png\n\(Self.blue)blue.png\n"))
    }

    @Test("A failed image has its message in its place in a grid")
    func failureInGrid() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0))
        let outcome = await FakeSystem().run("show", "--grid", "2", "--cells", "60x1", "/nonexistent", red, red)
        let message = String(outcome.errors.dropFirst("spyglass: ".count).dropLast())
        #expect(message.hasPrefix("/nonexistent: ") && message.count < 60)
        let gap = String(repeating: " ", count: 62 - message.count)
        #expect(outcome.code == .someFailed && outcome.output == "\(message)\(gap)\(Self.red)\(Self.red)")
        let narrow = await FakeSystem().run("show", "--grid", "2", "--cells", "2x1", red, "/nonexistent")
        #expect(narrow.output.hasPrefix("\(Self.red.dropLast())  /") && narrow.output.split(separator: "\n").count == 1)
        let lost = await FakeSystem().run("show", "--grid", "2", "/nonexistent", "/nonexistent")
        #expect(lost.output.isEmpty)
    }

    @Test("Images of a grid share the screen's columns")
    func gridColumns() async throws {
        let wide = try file("wide.png", TinyPNG.solid(0, 0, 0, width: 200, height: 20))
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 62, 24)
        for cells in [[], ["--cells", "60x9"]] {
            let line = await fake.run(["show", "--grid", "3", wide, wide, wide] + cells).lines[0]
            #expect(line.count { $0 == " " } == 3 * 19 + 2 * 2, "\(cells)")
        }
    }

    @Test("A grid has no more columns than the screen can hold")
    func wideGrid() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0, width: 1, height: 2))
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 8, 24)
        let line = await fake.run("show", "--grid", "100", red, red, red, red).lines[0]
        // Three images of one column, and two gaps.
        #expect(line.count { $0 == " " } == 3 + 2 * 2)
    }

    // MARK: Pixels

    @Test("A pixel protocol draws to a pipe if it is named", arguments: ["kitty", "iterm2", "sixel"])
    func protocols(mode: String) async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0, width: 30, height: 60))
        let outcome = await FakeSystem().run("show", "--pixels", mode, "--cell-size", "10x20", red)
        let start = ["kitty": "\u{1B}_Ga=T,", "iterm2": "\u{1B}]1337;File=", "sixel": "\u{1B}P"][mode] ?? ""
        #expect(outcome.code == .success && outcome.errors == "" && outcome.output.hasSuffix("\u{1B}8\u{1B}[2B\n"))
        #expect(outcome.output.hasPrefix("\n\n\n\u{1B}[3A\u{1B}7\(start)"))
    }

    @Test("An image of a pixel protocol is at most as high as the terminal")
    func protocolRows() async throws {
        let tall = try file("tall.png", TinyPNG.solid(0, 0, 0, width: 10, height: 900))
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 80, 11)
        let outcome = await fake.run("show", "--pixels", "kitty", "--cells", "80x", tall)
        #expect(outcome.output.hasPrefix(String(repeating: "\n", count: 10) + "\u{1B}[10A"))
    }

    @Test("Finer characters have more sub-pixels in the same cells", arguments: ["quadrant", "sextant", "octant"])
    func symbols(mode: String) async throws {
        let square = try file("square.png", TinyPNG.solid(255, 0, 0, width: 90, height: 90))
        let outcome = await FakeSystem().run("show", "--pixels", mode, "--cells", "20x10", square)
        let row = "\u{1B}[48;2;255;0;0m" + String(repeating: " ", count: 20) + "\u{1B}[0m\n"
        #expect(outcome == .init(output: String(repeating: row, count: 10)))
    }

    @Test(
        "Translucent pixels show the terminal's background if known, else black",
        arguments: [(nil, 188), (RGB(0, 0, 0), 188), (RGB(255, 255, 255), 255)])
    func background(color: RGB?, value: Int) async throws {
        let size = PixelSize(width: 2, height: 2)
        let half = PixelBuffer(size: size, bytes: Array(repeatElement([255, 255, 255, 128], count: 4).joined()))
        let path = try file("half.png", try ImageEncoder(.png).encode(half))
        var fake = FakeSystem()
        fake.screen = CellSize(clamping: 80, 24)
        // Known by its version, so that only the background is left to ask.
        fake.environment["VTE_VERSION"] = "5200"
        var answers = TerminalAnswers()
        if let color { answers.add(.background(color)) }
        fake.reply = .answered(answers)
        #expect(await fake.run("show", path).output == "\u{1B}[48;2;\(value);\(value);\(value)m  \u{1B}[0m\n")
        let red = await fake.run("show", "--background", "#000000", path).output
        #expect(red.hasSuffix("\u{1B}[48;2;188;188;188m  \u{1B}[0m\n"))
    }

    @Test("A named background is drawn under transparent pixels; else they keep the terminal's")
    func transparent() async throws {
        let size = PixelSize(width: 2, height: 2)
        let path = try file("clear.png", try ImageEncoder(.png).encode(PixelBuffer(size: size)))
        #expect(await FakeSystem().run("show", path).output == "\u{1B}[49m  \u{1B}[0m\n")
        let white = await FakeSystem().run("show", "--background", "white", path).output
        #expect(white == "\u{1B}[48;2;255;255;255m  \u{1B}[0m\n")
    }

    // MARK: Addresses

    @Test("A URL is fetched and printed in order")
    func address() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0))
        var fake = FakeSystem()
        fake.transport = StubTransport { request in FetchResponse(request, body: TinyPNG.solid(0, 0, 255)) }
        let outcome = await fake.run("show", red, "https://example.org/blue.png", red)
        #expect(outcome == .init(output: Self.red + Self.blue + Self.red))
    }

    @Test("An HTTP error is reported with its status")
    func notFound() async {
        var fake = FakeSystem()
        fake.transport = StubTransport { request in FetchResponse(request, status: 404) }
        let outcome = await fake.run("show", "https://example.org/x.png")
        #expect(outcome == .failed("https://example.org/x.png: HTTP 404: not found; check the URL"))
    }

    @Test(
        "An operand that is not a file or valid URL fails with the reason",
        arguments: [
            ("https://exa mple/x.jpg", "'https://exa mple/x.jpg': invalid host name"),
            ("ftp://example.org/x.jpg", "'ftp://example.org/x.jpg': not an http or https address"),
            ("HTTPS://", "'HTTPS://': no host name"),
            ("://x", "://x: cannot open: No such file or directory"), ("", "'': not a file name"),
            ("https://me:hush@example.org/x.jpg", "addresses with a user name or password are not allowed"),
        ])
    func invalidAddress(operand: String, reason: String) async {
        let outcome = await FakeSystem().run("show", operand)
        #expect(outcome.code == .someFailed && outcome.output == "")
        #expect(outcome.errors.hasPrefix("spyglass: \(reason)") && !outcome.errors.contains("hush"))
    }

    @Test("An interrupted download prints its rows, or the interruption")
    func brokenDownload() async {
        let whole = TinyPNG.solid(255, 0, 0, width: 64, height: 64)
        let broken = StubTransport { request in
            var error = FetchError(.unreachable, "\(request.address): interrupted")
            let kept = request.address.path == "/cut.png" ? whole.count * 2 / 3 : 20
            error.partialResponse = FetchResponse(request, body: Array(whole.prefix(kept)))
            throw error
        }
        func show(_ address: String) async -> FakeSystem.Outcome {
            var fake = FakeSystem()
            fake.transport = broken
            return await fake.run("show", address)
        }
        let cut = await show("https://example.org/cut.png")
        #expect(cut.code == .someFailed && !cut.output.isEmpty && cut.errors.contains(" of 64 rows"))
        let nothing = await show("https://example.org/nothing.png")
        #expect(nothing.code == .someFailed && nothing.output.isEmpty)
        #expect(nothing.errors.hasPrefix("spyglass: https://example.org/nothing.png: interrupted"))
    }

    @Test("--stats reports after a closed pipe")
    func statsAfterClosedPipe() async throws {
        let fake = FakeSystem()
        fake.output.fail(.outputClosed)
        let outcome = await fake.run("show", "--stats", try file("red.png", TinyPNG.solid(255, 0, 0)))
        #expect(outcome.code == .success && outcome.errors.hasPrefix("requests=0 "))
    }

    @Test("Progress is shown on a terminal and cleared before the image")
    func progress() async {
        var fake = FakeSystem()
        fake.errorsAreTerminal = true
        fake.transport = StubTransport { request in FetchResponse(request, body: TinyPNG.solid(0, 0, 255)) }
        let outcome = await fake.run("show", "https://example.org/blue.png")
        let errors = outcome.errors
        #expect(errors.contains("fetching https://example.org/blue.png") && errors.hasSuffix("\r\u{1B}[K"))
    }

    // MARK: Reports

    @Test("--stats=json prints one object on standard error")
    func stats() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0))
        let outcome = await FakeSystem().run("show", "--stats=json", red, "/nonexistent")
        #expect(
            outcome.errors.hasSuffix(
                """
                {"requests":0,"bytes_downloaded":0,"memory_hits":0,"disk_hits":0,"revalidated":0,"coalesced":0,\
                "retries":0,"decoded":1,"failed":1,"cancelled":0,"time_to_first_image_ms":0,"wall_ms":0,\
                "peak_rss_bytes":1048576}\n
                """))
    }

    @Test("--verbose describes the terminal and each image")
    func verbose() async throws {
        let red = try file("red.png", TinyPNG.solid(255, 0, 0))
        let outcome = await FakeSystem().run("show", "--verbose", "--color", "256", red)
        #expect(
            outcome.errors.split(separator: "\n") == [
                "spyglass: colours: 256 (--color 256)",
                "spyglass: screen: 80x24 (no window size and no COLUMNS: 80; no window size and no LINES: 24)",
                "spyglass: pixels: half (not a terminal)",
                "spyglass: \(red): 2x2 PNG, RGB, 8 bits",
            ])
    }
}

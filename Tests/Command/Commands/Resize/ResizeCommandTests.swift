import Glibc
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassPixels
import SpyglassTerminalUI
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

@Suite("resize", .timeLimit(.minutes(10)))
struct ResizeCommandTests {
    private let folder: TemporaryFolder
    private var fake = FakeSystem()

    init() throws { folder = try TemporaryFolder() }

    /// Runs `resize` into the folder `out`.
    private func resize(_ words: String...) async -> FakeSystem.Outcome {
        await fake.run(["resize", "--out", folder.path("out"), "--jobs", "2"] + words)
    }

    private func file(_ name: String, _ bytes: [UInt8] = TinyPNG.solid(9, 99, 199, width: 8, height: 6)) throws
        -> String
    {
        try folder.write(name, bytes)
        return folder.path(name)
    }

    private func size(of name: String) throws -> PixelSize {
        try ImageDecoder().decode(.file(folder.path(name)), to: .original).pixels.size
    }

    // MARK: Results

    @Test("An image is resized, with a summary")
    func one() async throws {
        let outcome = await resize(try file("red.png"), "--size", "4")
        #expect(outcome == .init(errors: "spyglass: 1 made, in 0.0 s\n"))
        #expect(try size(of: "out/red.png") == PixelSize(width: 4, height: 3))
        #expect(folder.files == ["out/red.png", "red.png"])
    }

    @Test("An image of standard input is called stdin; a terminal is refused")
    func standardInput() async throws {
        var fake = self.fake
        fake.input.bytes = TinyPNG.solid(9, 99, 199, width: 8, height: 6)
        let words = ["resize", "--out", folder.path("out"), "--size", "4", "-"]
        #expect(await fake.run(words) == .init(errors: "spyglass: 1 made, in 0.0 s\n"))
        #expect(try size(of: "out/stdin.png") == PixelSize(width: 4, height: 3) && folder.files == ["out/stdin.png"])
        fake.input.isTerminal = true
        #expect(await fake.run(words).code == .usage)
        fake.input = MemorySource(bytes: [])
        #expect(await fake.run(words).code == .someFailed)
    }

    @Test("Standard input above the limit is a failed item; others are made")
    func largeStandardInput() async throws {
        var fake = self.fake
        fake.input.bytes = [UInt8](repeating: 1, count: 2 << 20)
        let outcome = await fake.run([
            "resize", "-", try file("red.png"), "--out", folder.path("out"), "--max-bytes", "1MiB",
        ])
        let isLimited = outcome.errors.hasPrefix("spyglass: standard input: more than ")
        #expect(outcome.code == .someFailed && isLimited, "\(outcome.errors)")
        #expect(folder.files == ["out/red.png", "red.png"])
    }

    @Test("A file above the limit is a failed item with its size, the limit and the option; others are made")
    func largeFile() async throws {
        try folder.write("large.png", [], byteCount: 200 << 30)
        let outcome = await resize(folder.path("large.png"), try file("red.png"))
        let limits = "a file of 214748364800 bytes, above the limit of 4294967296 bytes (raise it with --max-bytes)\n"
        let isLimited = outcome.errors.hasPrefix("spyglass: \(folder.path("large.png")): \(limits)")
        #expect(outcome.code == .someFailed && isLimited, "\(outcome.errors)")
        #expect(folder.files == ["large.png", "out/red.png", "red.png"])
        // The option is read: what is refused now is the content.
        try folder.write("large.png", [], byteCount: 5 << 30)
        let allowed = await resize(folder.path("large.png"), "--max-bytes", "5GiB", "--dry-run", "--report", "-")
        #expect(allowed.output.contains(#""kind":"not_an_image""#), "\(allowed)")
    }

    @Test("The default size is 320 pixels, without enlarging")
    func defaultSize() async throws {
        _ = await resize(try file("wide.png", TinyPNG.solid(1, 2, 3, width: 400, height: 10)), try file("small.png"))
        let sizes = try ["wide", "small"].map { try size(of: "out/\($0).png") }
        #expect(sizes == [PixelSize(width: 320, height: 8), PixelSize(width: 8, height: 6)])
    }

    @Test("Several sizes, a cover and a template; a focus needs a crop")
    func severalSizes() async throws {
        let path = try file("red.png")
        let whole = await FakeSystem().run("resize", path, "--out", folder.path("out"), "--focus", "attention")
        #expect(whole.code == .usage)
        let outcome = await resize(
            path, "--size", "4x4", "--size", "2x", "--fit", "cover", "--focus", "attention", "--name",
            "{stem}/{w}.{ext}", "-q")
        #expect(outcome == .init())
        let sizes = try [4, 2].map { try size(of: "out/red/\($0).png") }
        #expect(sizes == [PixelSize(width: 4, height: 4), PixelSize(width: 2, height: 2)])
    }

    @Test("A background is behind the pixels of a JPEG and around padded images; other formats keep transparency")
    func background() async throws {
        let clear = try file(
            "clear.png", try ImageEncoder(.png).encode(PixelBuffer(size: PixelSize(width: 4, height: 2))))
        let words = [clear, "--size", "4", "--fit", "pad", "--background", "#102030"]
        #expect(await fake.run(["resize", "--out", folder.path("out")] + words).code == .success)
        let padded = try ImageDecoder().decode(.file(folder.path("out/clear.png")), to: .original).pixels
        #expect(padded[0, 0] == RGBA(0x10, 0x20, 0x30) && padded[0, 1].alpha == 0)
        let flat = await fake.run(["resize", "--out", folder.path("out"), "--format", "jpeg"] + words)
        #expect(flat.code == .success, "\(flat.errors)")
        let pixels = try ImageDecoder().decode(.file(folder.path("out/clear.jpg")), to: .original).pixels
        #expect(pixels[0, 0] == pixels[0, 1] && abs(Int(pixels[0, 1].red) - 0x10) < 4, "\(pixels[0, 1])")
    }

    @Test("A quality is refused for PNG, and an effort where neither WebP nor AVIF is written")
    func quality() async throws {
        let path = try file("red.png")
        let (png, names) = (["--format", "png"], ["--name", "{stem}.png"])
        for (words, reason) in [
            (["--quality", "90"] + png, "lossless"), (["--quality", "90"] + names, "lossless"),
            (["--effort", "6"], "--effort is for WebP and AVIF"),
            (["--effort", "6", "--format", "jpeg"], "--effort is for WebP and AVIF"),
            (["--effort", "6"] + names, "--effort is for WebP and AVIF"),
        ] {
            let outcome = await FakeSystem().run(["resize", path, "--out", folder.path("out")] + words)
            let isOneLine = outcome.errors.split(separator: "\n").count == 1
            #expect(outcome.code == .usage && isOneLine && outcome.errors.contains(reason), "\(outcome.errors)")
        }
        #expect(await resize(path, "--quality", "90").code == .success)
        #expect(folder.files == ["out/red.png", "red.png"])
    }

    @Test("A second run skips up-to-date results; other options make them again")
    func again() async throws {
        let path = try file("red.png")
        for (words, line) in [
            (["--size", "4"], "1 made"), (["--size", "4"], "1 up to date"), (["--size", "3"], "1 made"),
            (["--size", "3", "--force"], "1 made"),
        ] {
            let outcome = await FakeSystem().run(["resize", path, "--out", folder.path("out")] + words)
            #expect(outcome.errors == "spyglass: \(line), in 0.0 s\n")
        }
    }

    @Test("A folder keeps its tree, and a search names its results by their ids")
    func folderAndSearch() async throws {
        _ = try file("in/a/red.png")
        _ = try file("in/.hidden.png")
        _ = await resize(folder.path("in"))
        #expect(folder.files.filter { $0.hasPrefix("out") } == ["out/a/red.png"])
        let archive = "\(TestData.root)/Samples/archive"
        let outcome = await resize("--search", "earth", "--archive", archive, "-n", "2", "--size", "32")
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(folder.files.filter { $0.hasPrefix("out") && $0.hasSuffix(".jpg") }.count == 2)
    }

    @Test("A URL is fetched")
    func address() async throws {
        var fake = fake
        fake.transport = StubTransport { FetchResponse($0, body: TinyPNG.solid(1, 2, 3)) }
        let outcome = await fake.run("resize", "http://pictures.example/a/moon.png", "--out", folder.path("out"))
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(folder.files == ["out/moon.png"])
    }

    // MARK: Messages

    @Test("A failed item is one line and exit 1; the others succeed")
    func failed() async throws {
        let outcome = await resize(try file("cut.png", [1, 2, 3]), folder.path("none.jpg"), try file("red.png"))
        let lines = outcome.errors.split(separator: "\n")
        #expect(outcome.code == .someFailed && lines.count == 3)
        let names = ["cut.png", "none.jpg"].map { "spyglass: \(folder.path($0)): " }
        #expect(names.allSatisfy { name in lines.contains { $0.hasPrefix(name) } })
        #expect(lines.last == "spyglass: 1 made, 2 failed (1 not an image, 1 not readable), in 0.0 s")
    }

    @Test("The only item that failed is one line, and an invalid URL is named once")
    func invalidAddress() async throws {
        let outcome = await resize("ftp://pictures.example/a.jpg")
        #expect(outcome == .failed("'ftp://pictures.example/a.jpg': not an http or https address"))
    }

    @Test("An error that ends the run is one line, with what was made")
    func endedRun() async throws {
        let image = try file("red.png")
        try folder.write("cut.gz", [0x1F, 0x8B, 8, 0])
        let nothing = await resize("--manifest", folder.path("cut.gz"))
        #expect(nothing.code == .unavailable && nothing.errors.split(separator: "\n").count == 1, "\(nothing.errors)")
        // A list that ends the run in its second record.
        let blank = String(repeating: " ", count: 1023) + "\n"
        try folder.write("list", "\(image)\n\(String(repeating: blank, count: 5 << 10))")
        let outcome = await FakeSystem().run("resize", "--manifest", folder.path("list"), "--out", folder.path("out"))
        #expect(outcome.code == .unavailable && outcome.errors.split(separator: "\n").count == 1)
        #expect(outcome.errors.hasSuffix("bytes of blank lines; 1 made, in 0.0 s\n"), "\(outcome.errors)")
        let quiet = await resize("--manifest", folder.path("list"), "-q")
        #expect(quiet.errors.hasSuffix("bytes of blank lines\n"), "\(quiet.errors)")
    }

    @Test("An image as a list, and tar files of another list, are one line and exit 2")
    func otherLists() async throws {
        let (a, b) = (try file("a.png"), try file("b.png"))
        let advice = "is an image, not a list of images; leave out --manifest"
        #expect(await resize("--manifest", a) == .failed("the manifest '\(a)' \(advice)", .usage))
        func pack(_ words: String...) async -> FakeSystem.Outcome {
            await FakeSystem().run(["resize", "--size", "4", "--pack", "tar", "--out", folder.path("out")] + words)
        }
        #expect(await pack(a).code == .success)
        let reason = "has none of these images: it was made from another list; choose another --out, or use --force"
        #expect(await pack(b) == .failed("'\(folder.path("out"))/00000.tar' \(reason)", .usage))
        #expect(await pack(b, "--force").code == .success)
    }

    @Test("Failures within --max-failures are success", arguments: [("1", 1), ("2", 0), ("50%", 1), ("67%", 0)])
    func maxFailures(limit: String, code: Int) async throws {
        let outcome = await resize(
            try file("cut.png", [1, 2, 3]), try file("empty.png", []), try file("red.png"), "--max-failures", limit)
        #expect(outcome.code.rawValue == Int32(code), "\(outcome.errors)")
    }

    @Test("Only the first of many failures are printed")
    func manyFailures() async throws {
        for number in 1...30 { _ = try file("in/\(number).png", [0]) }
        let lines = await resize(folder.path("in")).errors.split(separator: "\n")
        #expect(lines.count == 22)
        #expect(lines.count { $0.contains("more failures: see --report FILE or --verbose") } == 1)
    }

    @Test("A report on standard output has a line for each item and a summary")
    func report() async throws {
        let outcome = await resize(try file("red.png"), try file("cut.png", [1]), "--report", "-", "--size", "4")
        let lines = outcome.lines
        #expect(lines.count == 4 && lines.last == "")
        #expect(lines.contains { $0.hasPrefix(#"{"id":"red.png","src":"#) && $0.contains(#""status":"ok""#) })
        #expect(lines.contains { $0.hasPrefix(#"{"id":"cut.png""#) && $0.contains(#""kind":"not_an_image""#) })
        #expect(lines[2].hasPrefix(#"{"summary":{"ok":1,"skipped":0,"failed":1,"failures":{"not_an_image":1},"#))
    }

    @Test("A list is a CSV, and tar files hold its samples; standard output takes a tar file or one image")
    func packed() async throws {
        let image = try file("red.png")
        try folder.write("list.csv", "image,id,caption,label\n\(image),one,\"Red, \"\"all\"\"\",7\n\(image),one,,8\n")
        let list = ["--manifest", folder.path("list.csv"), "--columns", "url=image", "--size", "4", "--pack", "tar"]
        let outcome = await fake.run(["resize", "--out", folder.path("out"), "--report", "-"] + list)
        #expect(outcome.code == .success, "\(outcome.errors)")
        let member = #""tar":"00000.tar","member":"one.png","columns":{"label":"7"}"#
        #expect(outcome.hasLine(with: [member]) && folder.files.filter { $0.hasPrefix("out") } == ["out/00000.tar"])
        #expect(try folder.text("out/00000.tar").contains("Red, \"all\""))
        let stream = await fake.run(["resize", "--out", "-"] + list)
        #expect(stream.output.contains("one.json") && stream.errors.contains("cannot be resumed"), "\(stream.errors)")
        let plain = await fake.run(["resize", image, "--out", "-", "--size", "4"])
        #expect(plain.code == .success && plain.output.contains("IHDR"), "\(plain.errors)")
        for words in [[image], ["--report", "-"]] {
            #expect(await fake.run(["resize", image, "--out", "-"] + words).code == .usage)
        }
    }

    @Test("Files of one name in two folders are two samples of a tar file")
    func packedNames() async throws {
        let outcome = await resize(try file("a/red.png"), try file("b/red.png"), "--size", "4", "--pack", "tar:5")
        #expect(outcome.errors == "spyglass: 2 made, in 0.0 s\n")
        // Two images, two JSON members.
        #expect(try folder.text("out/00000.tar").split(separator: "ustar").count == 5)
    }

    @Test("Tar files of an earlier, longer list are named")
    func leftBehind() async throws {
        let files = [try file("a.png"), try file("b.png"), try file("c.png")]
        func pack(_ count: Int) async -> String {
            let words = ["resize", "--out", folder.path("out"), "--size", "4", "--pack", "tar:1"]
            return await fake.run(words + files.prefix(count)).errors
        }
        #expect(await pack(3) == "spyglass: 3 made, in 0.0 s\n")
        #expect(await pack(1).contains("00001.tar to 00002.tar: left over from a longer list"))
        #expect(await pack(3).hasSuffix("spyglass: 3 up to date, in 0.0 s\n"))
    }

    @Test("A report whose lines are long is recognised by the next run")
    func longReport() async throws {
        let image = try file("red.png")
        try folder.write("list.csv", "url,notes\n\(image),\(String(repeating: "n", count: 600_000))\n")
        for _ in 0..<2 {
            let outcome = await fake.run([
                "resize", "--manifest", folder.path("list.csv"), "--out", folder.path("out"), "--report",
                folder.path("report.jsonl"),
            ])
            #expect(outcome.code == .success, "\(outcome.errors)")
        }
    }

    @Test("An image whose SHA-256 is not that of the list fails")
    func verified() async throws {
        let image = try file("red.png")
        try folder.write("list.tsv", "url\tsum\n\(image)\t\(String(repeating: "0", count: 64))\n")
        let outcome = await resize("--manifest", folder.path("list.tsv"), "--verify", "sum")
        #expect(outcome.code == .someFailed && outcome.errors.contains("the SHA-256 is "), "\(outcome.errors)")
        #expect(await resize("--manifest", folder.path("list.tsv")).code == .success)
        #expect(await resize(image, "--verify", "sum").code == .usage)
    }

    @Test("A report replaces only an older report")
    func reportFile() async throws {
        let image = try file("red.png")
        for _ in 1...2 { _ = await resize(image, "--report", folder.path("report.jsonl"), "-q") }
        #expect(try folder.text("report.jsonl").split(separator: "\n").count == 2)
    }

    @Test("A report stays if the list cannot be opened, or another run is writing it")
    func keptReport() async throws {
        let report = folder.path("report.jsonl")
        _ = await resize(try file("red.png"), "--report", report, "-q")
        let text = try folder.text("report.jsonl")
        #expect(await resize("--manifest", folder.path("missing"), "--report", report).code == .unavailable)
        let writing = try Folder.working.open(report, [.readAndWrite])
        guard case .locked = writing.lock() else { return }
        let refused = await resize(folder.path("red.png"), "--report", report)
        #expect(refused.code == .unavailable && refused.errors.contains("another run is writing report"))
        #expect(try folder.text("report.jsonl") == text)
    }

    @Test(
        "A file that is not a report is kept",
        arguments: [#"{"a":1}"#, "{", #"{"id":"a","src":"b","size":4}"#, #"{"src":"red.png"}"#, "\u{89}PNG"])
    func foreignReport(text: String) async throws {
        let other = try file("other.json", Array(text.utf8))
        let outcome = await resize(try file("red.png"), "--report", other)
        #expect(outcome.code == .usage && outcome.errors.contains("file exists and is not a report"))
        #expect(try folder.text("other.json") == text)
    }

    @Test("A report is not written through a link, also one that leads nowhere", arguments: ["empty", "gone"])
    func linkedReport(target: String) async throws {
        try folder.write("empty", "")
        try folder.link("link", to: folder.path(target))
        let outcome = await resize(try file("red.png"), "--report", folder.path("link"))
        #expect(outcome.code == .usage && outcome.errors.contains("links are not followed"))
        #expect(try folder.files == ["empty", "link", "red.png"] && folder.text("empty").isEmpty)
    }

    @Test("A closed report ends the run without an error, and one that fails with exit 3")
    func closedReport() async throws {
        let closed = FakeSystem()
        closed.output.fail(.outputClosed)
        let words = ["resize", try file("red.png"), "--out", folder.path("out"), "-q", "--report"]
        #expect(await closed.run(words + ["-"]) == .init())
        let full = await fake.run(words + ["/dev/full"])
        #expect(full == .failed("cannot write report /dev/full: No space left on device", .unavailable))
    }

    @Test("With --verbose, progress without a terminal is in lines, and ends before the summary")
    func lastLine() async throws {
        let outcome = await resize(try file("red.png"), "--verbose", "--no-cache")
        #expect(outcome.errors == "spyglass: 1 of 1\nspyglass: 1 made, in 0.0 s\n")
    }

    @Test("A dry run prints the plan and makes nothing")
    func dryRun() async throws {
        let path = try file("red.png")
        let outcome = await resize(path, "--dry-run", "--size", "4", "--size", "2")
        let plan = "\(path) -> red-4x4.png\n\(path) -> red-2x2.png\n"
        #expect(outcome == .init(output: plan, errors: "spyglass: 1 would be made, in 0.0 s\n"))
        #expect(folder.files == ["red.png"] && !TestData.exists(folder.path("out")))
    }

    @Test("A contact sheet in a missing folder exits 3 before fetching")
    func sheetPlace() async throws {
        var fake = fake
        let fetches = Mutex(0)
        fake.transport = StubTransport { request in
            fetches.withLock { $0 += 1 }
            return FetchResponse(request, body: TinyPNG.solid(1, 2, 3))
        }
        let words = ["resize", "http://pictures.example/moon.png", "--out", folder.path("out"), "--contact-sheet"]
        let outcome = await fake.run(words + [folder.path("none/all.png")])
        #expect(outcome.code == .unavailable && outcome.errors.contains("none/all.png': No such file or directory"))
        #expect(fetches.withLock { $0 } == 0 && folder.files.isEmpty)
        #expect(await fake.run(words + [folder.path("out/all.png")]).code == .success)
        #expect(folder.files == ["out/all.png", "out/moon.png"])
    }

    // MARK: Errors

    @Test(
        "A wrong command line is one line and exit 2",
        arguments: [
            ([], "resize needs images"),
            (["a.jpg", "--manifest", "x"], "a.jpg and --manifest cannot be combined"),
            (["a.jpg", "--search", "x"], "a.jpg and --search cannot be combined"),
            (["a.jpg", "--size", "1", "--size", "2", "--name", "{stem}.{ext}"], "gives the sizes"),
            (["a.jpg", "--name", "{stem}.gif"], "use .{ext}, .jpg, .jpeg, .png, .webp or .avif"),
            (["a.jpg", "--name", "{stem}.png", "--format", "jpeg"], "--format jpeg cannot be combined"),
            (["a.jpg", "--shard", "4/4"], "no shard 4 of 4"),
            (["a.jpg", "--shard", "auto"], "--shard auto"),
            (["a.jpg", "--contact-sheet", "a.gif"], "invalid contact sheet name"),
        ])
    func refused(words: [String], message: String) async {
        let outcome = await fake.run(["resize", "--out", folder.path("out")] + words)
        #expect(outcome.code == .usage && outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1 && folder.files.isEmpty)
    }

    @Test("A missing --out exits 2, an unusable one 3")
    func output() async throws {
        let path = try file("red.png")
        let taken = try file("taken")
        #expect(await fake.run("resize", path).code == .usage)
        let outcome = await fake.run("resize", path, "--out", taken)
        #expect(outcome.code == .unavailable && outcome.errors.split(separator: "\n").count == 2)
    }

    @Test(
        "An output folder named like an image exits 2 with the right form, unless it is there or ends in a slash",
        arguments: [
            ("t.jpg", "use --out . --name t.jpg"), ("a/T.PNG", "use --out a/ --name T.PNG"),
            ("t.webp", "use --out . --name t.webp"),
            (
                "t.gif",
                "results (.jpg, .png, .webp or .avif) go into a folder; use --out ., or --out t.gif/ for a folder"
            ),
        ])
    func imageAsOutput(output: String, remedy: String) async throws {
        let path = try file("red.png")
        let outcome = await fake.run("resize", path, "--out", output)
        #expect(outcome.code == .usage && outcome.errors.contains(remedy), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(await fake.run("resize", folder.path("."), "--out", output).errors.contains("; use --out DIR, or"))
        _ = try file("there.jpg/red.png")
        for name in ["there.jpg", "new.jpg/"] {
            #expect(
                await fake.run("resize", path, "--out", folder.path(name), "--size", "4", "--force").code == .success)
        }
        #expect(folder.files == ["new.jpg/red.png", "red.png", "there.jpg/red.png"])
    }

    @Test("Percentages and boxes have their own names, and are skipped when they are up to date")
    func percentages() async throws {
        let words = [try file("red.png"), "--size", "50%", "--size", "25%", "--size", "2"]
        let outcome = await fake.run(["resize", "--out", folder.path("out")] + words)
        #expect(outcome == .init(errors: "spyglass: 1 made, in 0.0 s\n"))
        #expect(folder.files == ["out/red-25pct.png", "out/red-2x2.png", "out/red-50pct.png", "red.png"])
        let sizes = try [50, 25].map { try size(of: "out/red-\($0)pct.png") }
        #expect(sizes == [PixelSize(width: 4, height: 3), PixelSize(width: 2, height: 2)])
        let again = await fake.run(["resize", "--out", folder.path("out")] + words)
        #expect(again.errors.hasSuffix("spyglass: 1 up to date, in 0.0 s\n"))
    }

    @Test("What a walk left out is in the summary, by kind")
    func leftOut() async throws {
        for name in ["red.png", "a.psd", "b.psd"] { _ = try file("in/\(name)") }
        let outcome = await resize(folder.path("in"), "--report", "-")
        #expect(outcome.code == .success && outcome.output.contains(#""left_out":{"Photoshop":2},"#))
        #expect(outcome.errors == "spyglass: 1 made, in 0.0 s; 2 left out: Photoshop\n")
        _ = try file("in/c.svg")
        #expect(await resize(folder.path("in")).errors.hasSuffix("in 0.0 s; 3 left out: 2 Photoshop, 1 SVG\n"))
    }

    @Test("A missing manifest exits 3; a search missing in the archive finds nothing, as in a list")
    func missing() async throws {
        #expect(await resize("--manifest", folder.path("none.jsonl")).code == .unavailable)
        let search = await resize("--search", "zebra", "--archive", "\(TestData.root)/Samples/archive")
        let isMissing = search.errors.contains("spyglass: nothing recorded for 'zebra'; this archive has: ")
        #expect(search.code == .success && isMissing, "\(search.errors)")
    }

    @Test("A run without images says where there are none")
    func nothing() async throws {
        _ = try file("list.jsonl", [])
        _ = try file("empty/notes.txt")
        let (list, empty) = (folder.path("list.jsonl"), folder.path("empty"))
        #expect(await resize("--manifest", list) == .failed("no images in \(list)", .success))
        #expect(await resize(empty).errors.hasSuffix("\nspyglass: no images in \(empty)\n"))
        #expect(await resize(empty, empty).errors.hasSuffix("\nspyglass: no images in these folders\n"))
        var fake = FakeSystem()
        fake.transport = StubTransport { FetchResponse($0, body: #"{"collection": {"items": []}}"#.utf8.map(\.self)) }
        let search = await fake.run("resize", "--search", "xyzzy", "--out", folder.path("out"))
        #expect(search == .failed("nothing found for 'xyzzy'", .success))
    }

    @Test("A damaged image names the option that makes what there is")
    func damaged() async throws {
        let outcome = await resize(try file("cut.png", TinyPNG.solid(9, 99, 199, width: 64, height: 64).dropLast(40)))
        #expect(outcome.errors.hasSuffix("; use --damaged make for what is there\n"), "\(outcome.errors)")
    }

    // MARK: Signals

    @Test("A signal ends the run with a summary, then the process")
    func signal() async throws {
        let signals = FakeInterruption()
        let never = AsyncGate()
        var fake = fake
        fake.transport = StubTransport { request in
            signals.send(SIGTERM)
            try await never.wait()
            return FetchResponse(request, status: 200)
        }
        let words = ["resize", "http://pictures.example/moon.png", "--out", folder.path("out"), "--report", "-"]
        await fake.run(words, signals)
        #expect(signals.terminations == [SIGTERM] && folder.files.isEmpty)
        let members = [
            #""kind":"cancelled""#, #""interrupted":true"#, #""status":"cancelled""#,
            #""failed":0,"cancelled":1,"left":1,"#,
        ]
        #expect(members.allSatisfy(fake.output.text.contains), "\(fake.output.text)")
        #expect(fake.errors.text == "spyglass: interrupted: 0 made, 1 left, in 0.0 s\n")
    }

    @Test("A signal with a closed report still prints the summary", arguments: [false, true])
    func signalAndClosedReport(isDelivered: Bool) async throws {
        let signals = FakeInterruption(received: SIGINT)
        // The closed pipe may be noticed before the signal.
        if isDelivered { signals.send(SIGINT) }
        fake.output.fail(.outputClosed)
        await fake.run(["resize", try file("red.png"), "--out", folder.path("out"), "--report", "-"], signals)
        let lines = fake.errors.text.split(separator: "\n")
        #expect(signals.terminations == [SIGINT] && lines.count == 1)
        #expect(lines.allSatisfy { $0.hasSuffix(", in 0.0 s") }, "\(lines)")
    }

    @Test("A signal does not hide an error of the report")
    func signalAndFullReport() async throws {
        let signals = FakeInterruption(received: SIGTERM)
        await fake.run(["resize", try file("red.png"), "--out", folder.path("out"), "--report", "/dev/full"], signals)
        let lines = fake.errors.text.split(separator: "\n")
        #expect(signals.terminations == [SIGTERM] && lines.count == 2)
        #expect(lines.first == "spyglass: cannot write report /dev/full: No space left on device")
    }

    @Test("A signal ends the wait for a pipe without a writer")
    func signalBeforeWriter() async throws {
        try folder.pipe("manifest")
        let signals = FakeInterruption()
        signals.send(SIGINT)
        await fake.run(["resize", "--manifest", folder.path("manifest"), "--out", folder.path("out")], signals)
        #expect(signals.terminations == [SIGINT])
        #expect(fake.errors.text == "spyglass: interrupted: 0 made, in 0.0 s\n")
    }
}

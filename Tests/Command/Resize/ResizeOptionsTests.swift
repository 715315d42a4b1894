import SpyglassBatch
import SpyglassCatalog
import SpyglassPixels
import Testing

@testable import spyglass

@Suite("The options of resize", .timeLimit(.minutes(10)))
struct ResizeOptionsTests {
    private func settings(_ words: String...) throws -> ResizeSettings {
        try Line(["resize", "a.jpg"] + words).run().settings.resize
    }

    @Test("Without options, one size and the usual ways")
    func usual() throws {
        let settings = try settings()
        #expect(settings == ResizeSettings())
        #expect(settings.sizes.isEmpty && ResizeSettings.defaultSize == "320")
        #expect(settings.quality == 82 && settings.filter == .lanczos && settings.fit == .contain)
    }

    @Test("Every option reaches its setting")
    func all() throws {
        let settings = try Line(
            "resize", "--out", "thumbs", "--size", "320x240", "--size", "64x", "--fit", "cover", "--enlarge",
            "--filter", "area", "--format", "png", "--quality", "90", "--progressive", "--keep-metadata", "--name",
            "{id}-{w}.{ext}", "--jobs", "3", "--shard", "1/4", "--force", "--dry-run", "--report", "-",
            "--keep-originals", "--rate", "0.5", "--tolerate", "2%", "--progress", "lines", "--manifest", "-"
        ).run().settings
        var expected = ResizeSettings()
        expected.output = "thumbs"
        expected.sizes = ["320x240", "64x"].compactMap { OutputSize($0) }
        expected.fit = .cover
        expected.filter = .area
        expected.format = .png
        expected.quality = 90
        expected.isProgressive = true
        expected.keepsMetadata = true
        expected.template = try NameTemplate(parsing: "{id}-{w}.{ext}")
        expected.shard = "1/4"
        expected.isForced = true
        expected.isDryRun = true
        expected.report = "-"
        expected.keepsOriginals = true
        expected.rate = 0.5
        expected.tolerance = try #require(FailureLimit(parsing: "2%"))
        expected.progress = .lines
        expected.manifest = "-"
        #expect(settings.resize == expected)
        #expect(settings.enlarges && settings.jobs == 3)
    }

    @Test("A size that is asked for twice is made once")
    func sizes() throws {
        #expect(
            try settings("--size", "320", "--size=x40", "--size", "320x320").sizes.map(\.description) == [
                "320x320", "x40",
            ])
    }

    @Test(
        "A value that is none says what would be right",
        arguments: [
            ("--size", "0"), ("--size", "320x0"), ("--size", "x"), ("--size", "65536"), ("--size", "3e2"),
            ("--size", "320x240x1"), ("--size", "٣٢٠"), ("--fit", "crop"), ("--filter", "cubic"), ("--format", "webp"),
            ("--quality", "0"), ("--quality", "101"), ("--rate", "0"), ("--rate", "-1"), ("--rate", "1e3"),
            ("--rate", "inf"), ("--rate", ".5"), ("--progress", "some"), ("--out", ""), ("--jobs", "0"),
            ("--tolerate", "-1"), ("--tolerate", "101%"),
        ])
    func badValue(option: String, value: String) throws {
        let failure = try #require(Line("resize", "a.jpg", "\(option)=\(value)").failure())
        #expect(failure.code == .usage)
        #expect(failure.message.hasPrefix(option) && failure.message.contains("it must"), "\(failure.message)")
    }

    @Test("A name template that is none says what is wrong with it")
    func badTemplate() throws {
        let failure = try #require(Line("resize", "a.jpg", "--name", "{steam}.{ext}").failure())
        #expect(failure.code == .usage)
        #expect(failure.message.contains("unknown field {steam}"), "\(failure.message)")
    }

    @Test(
        "What contradicts itself is refused by name",
        arguments: [
            (["--manifest", "m", "--search", "x"], "--manifest and --search contradict each other"),
            (["--dry-run", "--contact-sheet", "c.jpg"], "--dry-run and --contact-sheet contradict each other"),
            (["--keep-originals", "--no-cache"], "--keep-originals and --no-cache contradict each other"),
            (["-n", "5"], "-n is about a search; to resize what one finds, add --search WORDS"),
            (["--center", "JSC"], "--center is about a search"),
        ])
    func contradictions(words: [String], message: String) throws {
        let failure = try #require(Line(["resize"] + words).failure())
        #expect(failure.code == .usage)
        #expect(failure.message.hasPrefix(message), "\(failure.message)")
    }

    @Test("A search takes what narrows one, and empty words find everything")
    func search() throws {
        let run = try Line("resize", "--search", "", "--center", "jsc", "-n", "all").run()
        #expect(run.settings.resize.search == "")
        #expect(run.settings.limit == .all)
        #expect(try run.settings.query([])["center"] == ["JSC"])
    }

    @Test("A variable of a search disturbs no other run")
    func variable() throws {
        #expect(try Line(["resize", "a.jpg"], environment: ["SPYGLASS_LIMIT": "5"]).run().words == ["a.jpg"])
    }

    @Test("Its own options are no options of other commands, and no variables")
    func local() throws {
        #expect(
            Line("list", "--out", "x").failure() == .usage("--out is not an option of list but of resize"))
        #expect(OptionTable.resizing.allSatisfy { !$0.isShared })
    }
}

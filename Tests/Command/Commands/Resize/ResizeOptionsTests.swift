import SpyglassBatch
import SpyglassCatalog
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("ResizeOptions", .timeLimit(.minutes(10)))
struct ResizeOptionsTests {
    private func options(_ words: String...) throws -> ResizeOptions {
        try Line(["resize", "a.jpg"] + words).run().options.resize
    }

    @Test("Defaults")
    func defaults() throws {
        #expect(try options() == ResizeOptions() && ResizeOptions.defaultSize == "320")
        let job = try options().job
        #expect(job.sizes.isEmpty && job.quality == nil && job.keep == .none)
        #expect(job.filter == .lanczos && job.fit == .contain)
    }

    @Test("Every option reaches its setting")
    func all() throws {
        let options = try Line(
            "resize", "--out", "thumbs", "--size", "320x240", "--size", "64x", "--fit", "cover", "--focus", "0.3,1",
            "--enlarge", "--resample", "area", "--format", "png", "--quality", "90", "--progressive", "--keep", "exif",
            "--name",
            "{id}-{w}.{ext}", "--jobs", "3", "--shard", "1/4", "--force", "--dry-run", "--report", "-",
            "--rate", "0.5", "--max-failures", "2%", "--manifest", "-"
        ).run().options
        var expected = ResizeOptions()
        expected.output = "thumbs"
        expected.job.sizes = ["320x240", "64x"].compactMap { OutputSize($0) }
        expected.job.fit = .cover
        expected.job.focus = .point(x: 0.3, y: 1)
        expected.job.filter = .area
        expected.job.format = .png
        expected.job.quality = .level(90)
        expected.job.isProgressive = true
        expected.job.keep = .exif
        expected.job.template = try NameTemplate(parsing: "{id}-{w}.{ext}")
        expected.shard = "1/4"
        expected.job.isForced = true
        expected.job.isDryRun = true
        expected.report = "-"
        expected.rate = 0.5
        expected.maxFailures = try #require(FailureLimit(parsing: "2%"))
        expected.manifest = "-"
        #expect(options.resize == expected)
        #expect(options.enlarges && options.jobs == 3)
    }

    @Test("A repeated size is made once")
    func sizes() throws {
        let sizes = try options("--size", "320", "--size=x40", "--size", "320x320").job.sizes
        #expect(sizes.map(\.description) == ["320x320", "x40"])
    }

    @Test(
        "An invalid value is an error with the valid ones",
        arguments: [
            ("--size", "0"), ("--size", "320x0"), ("--size", "x"), ("--size", "65536"), ("--size", "3e2"),
            ("--size", "320x240x1"), ("--size", "0%"), ("--size", "1001%"), ("--size", "٣٢٠"), ("--fit", "crop"),
            ("--focus", "left"), ("--focus", "1.5,0"), ("--filter", "cubic"), ("--format", "tiff"),
            ("--effort", "7"), ("--effort", "-1"), ("--quality", "0"), ("--quality", "101"), ("--quality", "best"),
            ("--rate", "0"), ("--rate", "-1"), ("--rate", "1e3"),
            ("--rate", "inf"), ("--rate", ".5"), ("--resample", "cubic"), ("--out", ""), ("--jobs", "0"),
            ("--max-failures", "-1"), ("--max-failures", "101%"),
        ])
    func badValue(option: String, value: String) throws {
        let failure = try #require(Line("resize", "a.jpg", "\(option)=\(value)").failure())
        let isNamed = failure.message.hasPrefix(option) && failure.message.contains(": expected ")
        #expect(failure.code == .usage && isNamed, "\(failure.message)")
    }

    @Test("--filter names a filter of the source, and for this version also a resampling filter, with a hint")
    func filters() throws {
        let words = ["resize", "--search", "moon", "--filter", "area", "--filter", "center:JSC"]
        let options = try Line(words).run().options
        #expect(options.resize.job.filter == .area && options.filters == ["center": ["JSC"]])
        #expect(options.hint == "--filter area is now --resample area")
        #expect(try Line("resize", "a.jpg", "--filter", "area").run().options.resize.job.filter == .area)
        for (words, message) in [
            (["list", "moon", "--filter", "area"], "--filter: expected NAME:VALUE"),
            (["resize", "a.jpg", "--filter", "center:JSC"], "--filter needs a search; add --search WORDS"),
        ] {
            #expect(Line(words).failure()?.message == message)
        }
    }

    @Test(
        "Contradicting options, and an invalid template, are errors",
        arguments: [
            (["--manifest", "m", "--search", "x"], "--manifest and --search cannot be combined"),
            (["--dry-run", "--contact-sheet", "c.jpg"], "--dry-run and --contact-sheet cannot be combined"),
            (["-n", "5"], "-n needs a search; add --search WORDS"),
            (["--center", "JSC"], "--center needs a search"),
            (["a.jpg", "--name", "{steam}.{ext}"], "has the unknown field {steam}"),
        ])
    func contradictions(words: [String], message: String) throws {
        let failure = try #require(Line(["resize"] + words).failure())
        #expect(failure.code == .usage && failure.message.contains(message), "\(failure.message)")
    }

    @Test("--search takes filters, and empty words find everything")
    func search() throws {
        let run = try Line("resize", "--search", "", "--center", "jsc", "-n", "all").run()
        #expect(run.options.resize.search == "" && run.options.limit == .max)
        #expect(try run.options.query([], in: .nasa)["center"] == ["JSC"])
    }

    @Test("A search variable does not affect other runs")
    func variable() throws {
        #expect(try Line(["resize", "a.jpg"], environment: ["SPYGLASS_LIMIT": "5"]).run().words == ["a.jpg"])
    }

    @Test("Options of resize have no variables")
    func local() { #expect(OptionTable.all.allSatisfy { $0.commands != [.resize] || !$0.isShared }) }
}

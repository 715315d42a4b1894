import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import Testing

@testable import SpyglassBench

@Suite("Comparing with a saved run", .timeLimit(.minutes(10)))
struct BaselineTests {
    private let machine = Machine.ofTests
    private let conditions = RunConditions(isQuick: false, isDebug: false, files: nil, scale: 1)

    private func figure(
        _ name: String, _ value: Double, _ unit: Unit = .imagesPerSecond, spread: Double = 0,
        instructions: Double? = nil
    ) -> Measurement {
        var figure = Measurement(name, value, unit)
        figure.spread = spread
        figure.instructions = instructions
        return figure
    }

    private func saved(
        _ figures: [Measurement], on machine: Machine? = nil, _ conditions: RunConditions? = nil
    ) throws -> SavedReport {
        let report = BenchReport(machine ?? self.machine, conditions ?? self.conditions, figures)
        return try SavedReport(parsing: Array(report.json().utf8))
    }

    private func baseline(_ figures: Measurement...) throws -> Baseline {
        try Baseline(try saved(figures), for: machine, conditions)
    }

    // MARK: What is worse

    @Test("A figure is worse when it takes more than a tenth more instructions")
    func instructions() throws {
        let baseline = try baseline(figure("a", 100, instructions: 1000), figure("b", 100, instructions: 1000))
        let comparison = Comparison(
            [figure("a", 100, instructions: 1100), figure("b", 100, instructions: 1101)], against: baseline)
        #expect(comparison.lines.map(\.instructionRatio) == [1.1, 1.101])
        #expect(
            comparison.regressions.map(\.message)
                == ["b: 1.10 times the instructions of the saved run (1.10 would pass)"])
    }

    @Test("With the same instructions and three times the time it is worse as well")
    func waiting() throws {
        let baseline = try baseline(figure("a", 300, instructions: 1000))
        let line = try #require(baseline.line(for: figure("a", 100, instructions: 1000)))
        #expect(line.isRegression)
        #expect(line.ratio == 3 && line.instructionRatio == 1)
        #expect(line.message == "a: 3.00 times the time of the saved run (1.25 would pass)")
    }

    @Test("A quarter more time is too much where one of the two did not count instructions")
    func times() throws {
        let baseline = try baseline(figure("a", 100), figure("b", 100, instructions: 1000), figure("c", 100))
        let comparison = Comparison([figure("a", 80), figure("b", 79), figure("c", 300)], against: baseline)
        #expect(comparison.regressions.map(\.name) == ["b"])
        #expect(comparison.lines.map(\.instructionRatio) == [nil, nil, nil])
    }

    @Test("What the spreads of both runs explain is not worse")
    func spreads() throws {
        let baseline = try baseline(figure("a", 100, spread: 0.1))
        // 1.25 x (1 + 0.1 + 0.3) = 1.75
        #expect(baseline.line(for: figure("a", 100 / 1.74, spread: 0.3))?.isRegression == false)
        #expect(baseline.line(for: figure("a", 100 / 1.76, spread: 0.3))?.isRegression == true)
        #expect(baseline.line(for: figure("a", 100 / 1.74, spread: 0.2))?.isRegression == true)
        // No spread explains more than twice the time.
        #expect(baseline.line(for: figure("a", 100 / 1.99, spread: 3))?.isRegression == false)
        #expect(baseline.line(for: figure("a", 100 / 2.01, spread: 3))?.isRegression == true)
    }

    @Test("Counts may grow by one percent, and more bytes are worse where more hits are better")
    func counts() throws {
        let baseline = try baseline(
            figure("a", 100, .bytesPerCell), figure("b", 100, .bytesPerCell), figure("c", 50, .hitPercent),
            figure("d", 0, .bytesPerFrame), figure("e", 0, .bytesPerFrame), figure("f", 10, .hitPercent))
        let now = [
            figure("a", 101, .bytesPerCell), figure("b", 102, .bytesPerCell), figure("c", 49, .hitPercent),
            figure("d", 0, .bytesPerFrame), figure("e", 1, .bytesPerFrame), figure("f", 0, .hitPercent),
        ]
        #expect(Comparison(now, against: baseline).regressions.map(\.name) == ["b", "c", "e", "f"])
    }

    @Test("What only one run has, or has in another unit, is listed and not compared")
    func strangers() throws {
        let baseline = try baseline(
            figure("decode.a", 1), figure("decode.b", 1), figure("decode.c", 1), figure("render.a", 1))
        let comparison = Comparison(
            [figure("decode.a", 1), figure("decode.b", 1, .megabytesPerSecond), figure("decode.d", 1)],
            against: baseline)
        #expect(comparison.lines.map(\.name) == ["decode.a"])
        #expect(comparison.onlyHere == ["decode.b", "decode.d"])
        // Nothing of `render` was measured, so that nobody misses it.
        #expect(comparison.onlySaved == ["decode.b", "decode.c"])
    }

    // MARK: What can be compared

    @Test("A run of an older program is refused, since it does not say how it was taken")
    func older() throws {
        let text = #"{"machine":{"cpu":"AMD","cores":2},"results":[{"name":"a","value":1,"unit":"ops/s"}]}"#
        let old = try SavedReport(parsing: Array(text.utf8))
        let error = #expect(throws: BenchError.self) { try Baseline(old, for: machine, conditions) }
        #expect(error?.description.hasPrefix("it is of an older program") == true)
    }

    @Test("A run of another build or of other pictures is refused, and what differs is said")
    func otherRuns() throws {
        let debug = RunConditions(isQuick: false, isDebug: true, files: nil, scale: 1)
        let build = #expect(throws: BenchError.self) {
            try Baseline(try saved([], debug), for: machine, conditions)
        }
        #expect(build?.description == "it is of a debug build, and this is a release build")
        let small = RunConditions(isQuick: false, isDebug: false, files: nil, scale: 0.1)
        let pictures = #expect(throws: BenchError.self) {
            try Baseline(try saved([], small), for: machine, conditions)
        }
        #expect(
            pictures?.description
                == "it is of other pictures: samples 1 at scale 0.1; here they are samples 1 at scale 1")
    }

    @Test("Pictures are the same by their bytes, whatever their order")
    func pictures() throws {
        let size = PixelSize(width: 16, height: 16)
        let files = try SampleFile.made(.png8, size, count: 2)
        func pictures(_ files: [SampleFile]) -> String {
            RunConditions(isQuick: true, isDebug: true, files: files, scale: 1).pictures ?? ""
        }
        #expect(pictures(files) == pictures(files.reversed()))
        #expect(pictures(files).hasPrefix("2 files, hash "))
        #expect(pictures([files[0]]) != pictures([files[1]]))
        #expect(pictures([files[0]]).hasPrefix("1 file, hash "))
    }

    @Test("Pictures need not be the same where one of the two runs measured none")
    func noPictures() throws {
        let none = RunConditions(isQuick: false, isDebug: false, hasImages: false, files: nil, scale: 0.1)
        #expect(none.pictures == nil)
        #expect(throws: Never.self) { try Baseline(try saved([], none), for: machine, conditions) }
        #expect(throws: Never.self) { try Baseline(try saved([]), for: machine, none) }
    }

    @Test("Addresses must be the same where both runs have some")
    func addresses() throws {
        func conditions(_ addresses: String..., connections: Int = 4) throws -> RunConditions {
            RunConditions(
                isQuick: false, isDebug: false, files: nil, scale: 1,
                addresses: try addresses.map { try WebAddress(validating: $0) }, connections: connections)
        }
        let saved = try saved([], try conditions("https://a.example/1", "https://a.example/2"))
        for same in [try conditions("https://a.example/2", "https://a.example/1"), self.conditions] {
            #expect(throws: Never.self) { try Baseline(saved, for: machine, same) }
        }
        for other in [
            try conditions("https://a.example/1"),
            try conditions("https://a.example/1", "https://a.example/2", connections: 5),
        ] {
            let error = #expect(throws: BenchError.self) { try Baseline(saved, for: machine, other) }
            #expect(error?.description.hasPrefix("it is of other addresses: 2 addresses, 4 at once, hash ") == true)
        }
    }

    @Test("With another effort, times do not decide")
    func effort() throws {
        let quick = RunConditions(isQuick: true, isDebug: false, files: nil, scale: 1)
        let old = [figure("a", 100, instructions: 10), figure("b", 100), figure("c", 100, .bytesPerCell)]
        let baseline = try Baseline(try saved(old, quick), for: machine, conditions)
        #expect(
            baseline.warnings == [
                "it was taken with the quick effort, and this is the usual one: only instructions and counts decide"
            ])
        let slow = [figure("a", 1, instructions: 10), figure("b", 1), figure("c", 100, .bytesPerCell)]
        #expect(Comparison(slow, against: baseline).regressions.isEmpty)
        #expect(Comparison(slow, against: baseline).lines.map(\.ratio) == [100, 100, 1])
        let more = [figure("a", 100, instructions: 12), figure("b", 100), figure("c", 120, .bytesPerCell)]
        #expect(Comparison(more, against: baseline).regressions.map(\.name) == ["a", "c"])
    }

    @Test(
        "On another machine times do not decide, and on another architecture instructions neither",
        arguments: [("x86_64", true), ("arm64", false)])
    func hardware(architecture: String, compares: Bool) throws {
        var other = machine
        other.hardware = .init(architecture: architecture, processor: "Other", cores: 1)
        let baseline = try Baseline(
            try saved([figure("a", 100, instructions: 10), figure("b", 1, .bytesPerCell)], on: other, conditions),
            for: machine, conditions)
        let rest = compares ? "instructions and counts" : "counts"
        #expect(
            baseline.warnings == [
                "it was taken on Other, 1 processor, and this is AMD, 2 processors: only \(rest) decide"
            ])
        let now = [figure("a", 1, instructions: 20), figure("b", 2, .bytesPerCell)]
        #expect(Comparison(now, against: baseline).regressions.map(\.name) == (compares ? ["a", "b"] : ["b"]))
    }

    // MARK: A second time

    @Test("The better of two takes counts")
    func better() throws {
        let baseline = try baseline(figure("a", 100, instructions: 10))
        let (slow, fast) = (figure("a", 50, instructions: 10), figure("a", 90, instructions: 10))
        #expect(baseline.needsRemeasuring(slow) && !baseline.needsRemeasuring(fast))
        #expect(baseline.better(of: slow, fast) == fast)
        #expect(baseline.better(of: fast, slow) == fast)
    }

    @Test("What is counted comes out the same every time and is no suspect")
    func counted() throws {
        let baseline = try baseline(figure("a", 100, .bytesPerCell))
        #expect(!baseline.needsRemeasuring(figure("a", 200, .bytesPerCell)))
    }
}

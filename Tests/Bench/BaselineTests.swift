import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import Testing

@testable import SpyglassBench

@Suite("Baseline", .timeLimit(.minutes(10)))
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

    // MARK: Regressions

    @Test("More than 10 % more instructions are a regression")
    func instructions() throws {
        let baseline = try baseline(figure("a", 100, instructions: 1000), figure("b", 100, instructions: 1000))
        let comparison = Comparison(
            [figure("a", 100, instructions: 1100), figure("b", 100, instructions: 1101)], against: baseline)
        #expect(comparison.lines.map(\.instructionRatio) == [1.1, 1.101])
        #expect(comparison.regressions.map(\.message) == ["b: 1.10x the baseline instructions (limit 1.10x)"])
    }

    @Test("Three times the time is a regression despite equal instructions")
    func waiting() throws {
        let baseline = try baseline(figure("a", 300, instructions: 1000))
        let line = baseline.line(for: figure("a", 100, instructions: 1000))
        #expect(line?.message == "a: 3.00x the baseline time (limit 1.25x)")
    }

    @Test("Time is compared where one run did not count instructions")
    func times() throws {
        let baseline = try baseline(figure("a", 100), figure("b", 100, instructions: 1000), figure("c", 100))
        let comparison = Comparison([figure("a", 80), figure("b", 79), figure("c", 300)], against: baseline)
        #expect(comparison.regressions.map(\.name) == ["b"])
        #expect(comparison.lines.map(\.instructionRatio) == [nil, nil, nil])
    }

    @Test("The spreads of both runs raise the limit of time")
    func spreads() throws {
        let baseline = try baseline(figure("a", 100, spread: 0.1))
        // 1.25 x (1 + 0.1 + 0.3) = 1.75; at most 2, for any spread.
        let slower = [(1.74, 0.3), (1.76, 0.3), (1.74, 0.2), (1.99, 3), (2.01, 3)]
        let found = slower.map { baseline.line(for: figure("a", 100 / $0, spread: $1))?.isRegression }
        #expect(found == [false, true, true, false, true])
    }

    @Test("Counts may get 1 % worse")
    func counts() throws {
        let baseline = try baseline(
            figure("a", 100, .bytesPerCell), figure("b", 100, .bytesPerCell),
            figure("d", 0, .bytesPerFrame), figure("e", 0, .bytesPerFrame))
        let now = [
            figure("a", 101, .bytesPerCell), figure("b", 102, .bytesPerCell),
            figure("d", 0, .bytesPerFrame), figure("e", 1, .bytesPerFrame),
        ]
        #expect(Comparison(now, against: baseline).regressions.map(\.name) == ["b", "e"])
    }

    @Test("Benchmarks of one run or another unit are listed, not compared")
    func onlyOne() throws {
        let baseline = try baseline(
            figure("decode.a", 1), figure("decode.b", 1), figure("decode.c", 1), figure("render.a", 1))
        let comparison = Comparison(
            [figure("decode.a", 1), figure("decode.b", 1, .megabytesPerSecond), figure("decode.d", 1)],
            against: baseline)
        // `render` was not measured, so that its benchmarks are not listed.
        #expect(
            [comparison.lines.map(\.name), comparison.onlyHere, comparison.onlySaved]
                == [["decode.a"], ["decode.b", "decode.d"], ["decode.b", "decode.c"]])
    }

    // MARK: Comparability

    @Test("A report without its conditions, of another build or of other images is rejected with the reason")
    func otherRuns() throws {
        let text = #"{"machine":{"cpu":"AMD","cores":2},"results":[{"name":"a","value":1,"unit":"ops/s"}]}"#
        let debug = RunConditions(isQuick: false, isDebug: true, files: nil, scale: 1)
        let small = RunConditions(isQuick: false, isDebug: false, files: nil, scale: 0.1)
        for (report, reason) in [
            (
                try SavedReport(parsing: Array(text.utf8)),
                "saved by an older version, without the conditions of the run"
            ),
            (try saved([], debug), "from a debug build; this is a release build"),
            (try saved([], small), "measured other images (samples 1 at scale 0.1); these are samples 1 at scale 1"),
        ] {
            #expect(throws: BenchError("cannot compare: \(reason)")) { try Baseline(report, for: machine, conditions) }
        }
    }

    @Test("Images are identified by their bytes in any order")
    func images() throws {
        let size = PixelSize(width: 16, height: 16)
        let files = try SampleFile.made(.png8, size, count: 2)
        func images(_ files: [SampleFile]) -> String {
            RunConditions(isQuick: true, isDebug: true, files: files, scale: 1).images ?? ""
        }
        #expect(images(files) == images(files.reversed()) && images(files).hasPrefix("2 files, hash "))
        #expect(images([files[0]]) != images([files[1]]) && images([files[0]]).hasPrefix("1 file, hash "))
    }

    @Test("Images may differ where one of the runs measured none")
    func noPictures() throws {
        let none = RunConditions(isQuick: false, isDebug: false, hasImages: false, files: nil, scale: 0.1)
        #expect(none.images == nil)
        _ = try Baseline(try saved([], none), for: machine, conditions)
        _ = try Baseline(try saved([]), for: machine, none)
    }

    @Test("URLs must be equal where both runs fetched some")
    func addresses() throws {
        func conditions(_ addresses: String..., connections: Int = 4) throws -> RunConditions {
            RunConditions(
                isQuick: false, isDebug: false, files: nil, scale: 1,
                addresses: try addresses.map { try WebAddress(validating: $0) }, connections: connections)
        }
        let saved = try saved([], try conditions("https://a.example/1", "https://a.example/2"))
        for same in [try conditions("https://a.example/2", "https://a.example/1"), self.conditions] {
            _ = try Baseline(saved, for: machine, same)
        }
        for other in [
            try conditions("https://a.example/1"),
            try conditions("https://a.example/1", "https://a.example/2", connections: 5),
        ] {
            #expect {
                try Baseline(saved, for: machine, other)
            } throws: {
                "\($0)".hasPrefix("cannot compare: fetched other URLs (2 addresses, 4 at once, hash ")
            }
        }
    }

    @Test("With another effort, times are not compared")
    func effort() throws {
        let quick = RunConditions(isQuick: true, isDebug: false, files: nil, scale: 1)
        let old = [figure("a", 100, instructions: 10), figure("b", 100), figure("c", 100, .bytesPerCell)]
        let baseline = try Baseline(try saved(old, quick), for: machine, conditions)
        #expect(
            baseline.warnings == [
                "measured with quick effort, this run with usual effort: comparing only instructions and counts"
            ])
        let slow = [figure("a", 1, instructions: 10), figure("b", 1), figure("c", 100, .bytesPerCell)]
        let more = [figure("a", 100, instructions: 12), figure("b", 100), figure("c", 120, .bytesPerCell)]
        let regressions = [slow, more].map { Comparison($0, against: baseline).regressions.map(\.name) }
        #expect(regressions == [[], ["a", "c"]])
        #expect(Comparison(slow, against: baseline).lines.map(\.ratio) == [100, 100, 1])
    }

    @Test(
        "Times need the same machine, instructions the same architecture",
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
                "measured on Other, 1 processor, this run on AMD, 2 processors: comparing only \(rest)"
            ])
        let now = [figure("a", 1, instructions: 20), figure("b", 2, .bytesPerCell)]
        #expect(Comparison(now, against: baseline).regressions.map(\.name) == (compares ? ["a", "b"] : ["b"]))
    }

    // MARK: Remeasuring

    @Test("The better of two measurements counts; counts are not measured again")
    func better() throws {
        let baseline = try baseline(figure("a", 100, instructions: 10), figure("b", 100, .bytesPerCell))
        let (slow, fast) = (figure("a", 50, instructions: 10), figure("a", 90, instructions: 10))
        let counted = figure("b", 200, .bytesPerCell)
        #expect([slow, fast, counted].map(baseline.needsRemeasuring) == [true, false, false])
        #expect([baseline.better(of: slow, fast), baseline.better(of: fast, slow)] == [fast, fast])
    }
}

extension Machine {
    /// A fictional machine.
    static let ofTests = Machine(
        hardware: .init(architecture: "x86_64", processor: "AMD", cores: 2), system: "Debian", kernel: "6.1",
        memory: 1024, swift: "6.3", spyglass: "0.1.0")
}

@Suite("Bench", .timeLimit(.minutes(10)))
struct BenchTests {
    /// A clock that workloads advance.
    private final class Stage {
        var now = Duration.zero
        /// The number of runs.
        var takes = 0

        var sampler: Sampler { Sampler(.quick, now: { self.now }) }

        /// A benchmark whose runs take the times of a list.
        func figure(_ name: String, _ times: [Duration]) -> Benchmark {
            .timed(name, .imagesPerSecond) { [self] in
                guard takes < times.count else { throw BenchError("no more runs") }
                let time = times[takes]
                takes += 1
                return (Workload(of: 1) { [self] in now += time }, nil)
            }
        }
    }

    private func baseline(_ figures: [Measurement]) throws -> Baseline {
        let conditions = RunConditions(isQuick: true, isDebug: true, files: nil, scale: 1)
        let report = BenchReport(.current(), conditions, figures)
        return try Baseline(try SavedReport(parsing: Array(report.json().utf8)), for: .current(), conditions)
    }

    @Test("A regression that a second run does not confirm is dropped")
    func again() throws {
        let stage = Stage()
        let bench = Bench([stage.figure("a", [.milliseconds(20), .milliseconds(10)])])
        let baseline = try baseline([Measurement("a", 100, .imagesPerSecond)])
        var results: [Measurement] = []
        try bench.run(with: stage.sampler) { results.append($0) }
        #expect(results.map { $0.value.rounded() } == [50])
        results = try bench.remeasure(results, against: baseline, with: stage.sampler)
        #expect(results.map { $0.value.rounded() } == [100])
        // Unchanged results are not measured again.
        #expect(try bench.remeasure(results, against: baseline, with: stage.sampler) == results)
        #expect(stage.takes == 2)
    }

    @Test("A regression stays if the second run confirms it or fails", arguments: [2, 1])
    func stillSlower(takes: Int) throws {
        let stage = Stage()
        let times: [Duration] = [.milliseconds(20), .milliseconds(25)]
        let bench = Bench([stage.figure("a", Array(times.prefix(takes)))])
        let baseline = try baseline([Measurement("a", 100, .imagesPerSecond)])
        var results: [Measurement] = []
        try bench.run(with: stage.sampler) { results.append($0) }
        let again = try bench.remeasure(results, against: baseline, with: stage.sampler)
        #expect(again == results)
        #expect(stage.takes == takes)
        #expect(Comparison(again, against: baseline).regressions.map(\.name) == ["a"])
    }
}

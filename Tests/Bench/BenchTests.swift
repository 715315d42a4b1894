import Testing

@testable import SpyglassBench

@Suite("A run of figures", .timeLimit(.minutes(10)))
struct BenchTests {
    /// A clock that work moves.
    private final class Stage {
        var now = Duration.zero
        /// How often a figure was taken.
        var takes = 0

        var sampler: Sampler { Sampler(.quick, now: { self.now }, counters: nil) }

        /// A figure of a time from a list, another one each time that it is taken.
        func figure(_ name: String, _ times: [Duration]) -> Benchmark {
            .timed(name, .imagesPerSecond) { [self] in
                guard takes < times.count else { throw BenchError("there is no more") }
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

    @Test("A figure that cannot be taken costs itself alone, and why is told")
    func failure() throws {
        let stage = Stage()
        let times = Array(repeating: Duration.milliseconds(10), count: 3)
        let bench = Bench([
            stage.figure("a", times), .counted("b", .bytesPerCell) { throw BenchError("no folder") },
            stage.figure("c", times),
        ])
        var failures: [String] = []
        var names: [String] = []
        try bench.run(
            with: stage.sampler, onFailure: { failures.append("\($0): \($1)") },
            onMeasurement: { names.append($0.name) })
        #expect(names == ["a", "c"])
        #expect(failures == ["b: no folder"])
        #expect(throws: BenchError("no folder")) { try bench.run(with: stage.sampler) { _ in } }
    }

    @Test("What looks slower is taken again, and a machine that was busy for a moment is forgiven")
    func again() throws {
        let stage = Stage()
        let bench = Bench([stage.figure("a", [.milliseconds(20), .milliseconds(10)])])
        let baseline = try baseline([Measurement("a", 100, .imagesPerSecond)])
        var results: [Measurement] = []
        try bench.run(with: stage.sampler) { results.append($0) }
        #expect(results.map { $0.value.rounded() } == [50])
        results = try bench.remeasure(results, against: baseline, with: stage.sampler)
        #expect(results.map { $0.value.rounded() } == [100])
        #expect(Comparison(results, against: baseline).regressions.isEmpty)
        // What is as it was is not taken again.
        #expect(try bench.remeasure(results, against: baseline, with: stage.sampler) == results)
        #expect(stage.takes == 2)
    }

    @Test("What is slower a second time, or cannot be taken again, is slower", arguments: [2, 1])
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

import Testing

@testable import SpyglassBench

@Suite("Bench", .timeLimit(.minutes(10)))
struct BenchTests {
    /// A clock that workloads advance.
    private final class Stage {
        var now = Duration.zero
        /// The number of runs.
        var takes = 0

        var sampler: Sampler { Sampler(.quick, now: { self.now }, counters: nil) }

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

    @Test("A benchmark that fails is reported and the others run")
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
        #expect(Comparison(results, against: baseline).regressions.isEmpty)
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

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
        func figure(_ name: String, _ times: [Duration]) -> Figure {
            .timed(name, .imagesPerSecond) { [self] in
                guard takes < times.count else { throw BenchError("there is no more") }
                let time = times[takes]
                takes += 1
                return (Work(of: 1) { [self] in now += time }, nil)
            }
        }
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
            with: stage.sampler, onFailure: { failures.append("\($0): \($1)") }, onFigure: { names.append($0.name) })
        #expect(names == ["a", "c"])
        #expect(failures == ["b: no folder"])
        #expect(throws: BenchError("no folder")) { try bench.run(with: stage.sampler) { _ in } }
    }
}

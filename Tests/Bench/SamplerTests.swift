import SpyglassCatalog
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("Sampler", .timeLimit(.minutes(10)))
struct SamplerTests {
    /// A clock that workloads advance, and a log of their runs.
    private final class Stage {
        var now = Duration.zero
        var log: [String] = []
        /// The repetitions of each sample.
        var repetitions: [Int] = []

        /// A workload whose runs take the times of a list; the last one repeats.
        func work(_ name: String = "", _ pixels: Int = 1, _ times: Duration...) -> Workload {
            work(name, pixels, times)
        }

        func work(_ name: String, _ pixels: Int, _ times: [Duration]) -> Workload {
            var rest = times[...]
            return Workload(
                of: pixels,
                times: { [self] count in
                    let time = rest.count > 1 ? rest.removeFirst() : rest[rest.endIndex - 1]
                    now += time * count
                    log.append(name)
                    repetitions.append(count)
                })
        }

        func sampler(_ effort: Effort = .standard) -> Sampler { Sampler(effort, now: { self.now }) }
    }

    private func effort(_ change: (inout Effort) -> Void) -> Effort {
        var effort = Effort(time: .seconds(1))
        change(&effort)
        return effort
    }

    @Test(
        "Steady results are sampled for a fifth of the time, slow ones five times; the warm-up does not count",
        arguments: [
            (Effort.standard, [Duration.milliseconds(10)], 30, 200.0), (.quick, [.seconds(9)], 5, 2.0 / 9),
            (.standard, [.seconds(5), .milliseconds(100)], 7, 20),
        ])
    func steady(effort: Effort, times: [Duration], samples: Int, value: Double) throws {
        let stage = Stage()
        let figure = try stage.sampler(effort).measure("a", .megapixelsPerSecond, stage.work("", 2_000_000, times))
        #expect(abs(figure.value - value) < 1e-9 && figure.samples == samples && figure.spread == 0)
        #expect(figure.reference == nil && figure.ratio == nil && figure.instructions == nil)
    }

    @Test("A sample repeats a short workload")
    func repetition() throws {
        let stage = Stage()
        let figure = try stage.sampler(effort { $0.minShare = 0 }).measure(
            "a", .hitsPerSecond, stage.work("", 1, .microseconds(1)))
        #expect((figure.value / 1_000_000 - 1).magnitude < 1e-9)
        // At least seven samples of 5 ms, and the warm-up.
        #expect(stage.now >= .milliseconds(35) && stage.now < .milliseconds(80))
    }

    @Test("Varying results are sampled until the time is up")
    func restless() throws {
        let stage = Stage()
        var isSlow = false
        let work = Workload(
            of: 1,
            times: { count in
                isSlow.toggle()
                stage.now += (isSlow ? .milliseconds(20) : .milliseconds(10)) * count
            })
        let figure = try stage.sampler(effort { $0.time = .milliseconds(600) }).measure("a", .imagesPerSecond, work)
        #expect(figure.samples == 40 && figure.spread > 0.5)
    }

    @Test("Preparation is not measured, and a sample is then one repetition")
    func preparation() throws {
        let stage = Stage()
        let work = Workload(
            of: 1,
            preparing: {
                stage.now += .seconds(1)
                stage.log.append("before")
            }
        ) {
            stage.now += .microseconds(1)
            stage.log.append("work")
        }
        let figure = try stage.sampler(effort { $0.time = .seconds(100) }).measure("a", .operationsPerSecond, work)
        #expect((figure.value / 1_000_000 - 1).magnitude < 1e-9)
        #expect(stage.log == Array(repeating: ["before", "work"], count: 1 + figure.samples).flatMap { $0 })
    }

    @Test("Samples of Spyglass and of the reference alternate")
    func reference() throws {
        let stage = Stage()
        let figure = try stage.sampler().measure(
            "a", .imagesPerSecond, stage.work("we", 1, .milliseconds(20)),
            reference: ("they", stage.work("they", 1, .milliseconds(30))))
        #expect(figure.reference == "they" && figure.ratio == 1.5 && figure.ratioSpread == 0)
        // The first four are warm-up: a cold run of each, and a timed one. Then the order alternates.
        let samples = (0..<Effort.standard.enoughSamples).flatMap { $0 % 2 == 0 ? ["we", "they"] : ["they", "we"] }
        #expect(stage.log == ["we", "we", "they", "they"] + samples)
    }

    @Test("The ratio is the median of the ratios of neighbouring samples")
    func pairs() throws {
        let stage = Stage()
        // The machine slows down: separate medians would pair samples of different moments.
        let we = [10, 20, 40, 80, 160].map { Duration.milliseconds($0) }
        let they = [10, 10, 20, 160, 160].map { Duration.milliseconds($0) }
        let figure = try stage.sampler(effort { $0.time = .zero }).measure(
            "a", .imagesPerSecond, stage.work("we", 1, [.milliseconds(9), .milliseconds(9)] + we),
            reference: ("they", stage.work("they", 1, [.milliseconds(9), .milliseconds(9)] + they)))
        // The median of 1, 1/2, 1/2, 2 and 1; the ratio of the medians would be 1/2.
        #expect(figure.samples == 5 && figure.ratio == 1 && figure.ratioSpread == 0.5)
    }

    @Test("A clock that does not advance gives a finite result")
    func brokenClock() throws {
        let sampler = Sampler(.quick, now: { .zero })
        let figure = try sampler.measure("a", .imagesPerSecond, Workload(of: 1, times: { _ in }))
        #expect(figure.value.isFinite)
    }

    @Test("A workload that throws ends the sampling")
    func failure() {
        let stage = Stage()
        #expect(throws: BenchError("no")) {
            try stage.sampler().measure("a", .imagesPerSecond, Workload(of: 1) { throw BenchError("no") })
        }
    }

    @Test("The median and the quartiles are interpolated")
    func quartiles() {
        var series = Series()
        for sample in [4.0, 1, 3, 2] { series.add(sample) }
        #expect([series.median, series.spread] == [2.5, 1.5 / 2.5])
    }

    @Test("A counter that ran part of the time is scaled by its share; one that did not run, or decreased, gives nil")
    func turns() {
        let before = Counters.Count(value: 1_000, enabled: 400, running: 100)
        // 300 in 100 of 200 ns. Totals scaled on their own would shrink, from 4,000 to 3,900.
        let after = Counters.Count(value: 1_300, enabled: 600, running: 200)
        let unstarted = Counters.Count(value: 0, enabled: 0, running: 0)
        let idle = Counters.Count(value: 1_000, enabled: 600, running: 100)
        let decreased = Counters.Count(value: 900, enabled: 600, running: 200)
        let counts = [
            after.since(before), before.since(unstarted), idle.since(before), decreased.since(before),
        ]
        #expect(counts == [600, 4_000, nil, nil])
    }

    /// Counts 10 instructions and 20 cycles a nanosecond, except in reads for which `isCounting` is false.
    private func sampler(_ stage: Stage, time: Duration, isCounting: @escaping (_ read: Int) -> Bool) -> Sampler {
        var reads = 0
        var count = Counters.Count(value: 0, enabled: 1, running: 1)
        return Sampler(
            effort { $0.time = time }, now: { stage.now },
            counts: {
                reads += 1
                count.enabled += 100
                if isCounting(reads) {
                    count.value += 1_000
                    count.running += 100
                }
                return Counters.Counts(
                    instructions: count,
                    cycles: Counters.Count(value: count.value * 2, enabled: count.enabled, running: count.running))
            })
    }

    @Test(
        "Instructions and cycles of a pixel, image or the like need five samples that were counted", arguments: [5, 7])
    func missingCounts(samples: Int) throws {
        let stage = Stage()
        // Each sample reads twice: the first two are not counted.
        let sampler = sampler(stage, time: .milliseconds(10) * samples) { $0 > 4 }
        let figure = try sampler.measure("a", .imagesPerSecond, stage.work("", 4, .milliseconds(10)))
        #expect(figure.samples == samples)
        #expect([figure.instructions, figure.cycles] == (samples == 7 ? [250, 500] : [nil, nil]))
    }

    /// Why this machine has no counters; `nil` if it has.
    private static let countersError: String? = {
        do throws(BenchError) { _ = try Counters() } catch { return error.description }
        return nil
    }()

    @Test("More work gives higher counts", .enabled(if: SamplerTests.countersError == nil, "needs perf_event_open"))
    func counters() throws {
        let counters = try Counters()
        func instructions(_ times: Int) throws -> UInt64 {
            let before = try #require(counters.read())
            var random = SplitMix64(state: 1)
            for _ in 0..<times { blackHole(random.next()) }
            let after = try #require(counters.read())
            return after.instructions.value - before.instructions.value
        }
        let few = try instructions(1_000)
        #expect(try instructions(100_000) > 10 * few)
    }
}

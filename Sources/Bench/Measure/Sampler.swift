/// How long a benchmark runs.
package struct Effort: Hashable, Sendable {
    /// Sampling ends after this time, warm-up excluded.
    package var time: Duration
    /// The minimum duration of a sample, far above the cost of reading the clock.
    package var sampleTime: Duration = .milliseconds(5)
    /// From this many samples on, sampling may end early if their spread is small.
    package var enoughSamples = 7
    /// The minimum duration as a share of `time`: a few samples may agree by chance.
    package var minShare = 0.2
    /// The spread that counts as small: the interquartile range as a share of the median.
    package var smallSpread = 0.01
    /// The minimum number of samples, however long they take: quartiles need five.
    package let minSamples = 5

    package static let standard = Effort(time: .milliseconds(1500))
    package static let quick = Effort(time: .milliseconds(150))
}

/// Measures workloads: warms up, then samples until the samples agree or the time is up.
///
/// Samples of a workload and its reference alternate, so that load affects both.
package struct Sampler {
    private let effort: Effort
    private let now: () -> Duration
    private let counts: () -> Counters.Counts?
    private let isCancelled: () -> Bool

    /// Bounds the repetitions of work that is never long enough.
    private static let maxTimes = 1 << 24
    /// Bounds the samples where the clock does not advance.
    private static let maxSamples = 1 << 12
    /// Bounds of the factor by which repetitions grow.
    private static let growth = 1.5...16.0
    /// Samples are planned this much longer than needed: the next one may be faster.
    private static let reserve = 1.1

    package init(
        _ effort: Effort, now: @escaping () -> Duration, counts: @escaping () -> Counters.Counts? = { nil },
        isCancelled: @escaping () -> Bool = { false }
    ) {
        self.effort = effort
        self.now = now
        self.counts = counts
        self.isCancelled = isCancelled
    }

    private struct Track {
        let workload: Workload
        let times: Int
        /// Seconds for each pixel, byte, image or the like.
        var seconds = Series()
        var instructions = Series()
        var cycles = Series()
    }

    func measure(
        _ name: String, _ unit: Unit, _ workload: Workload, reference: (name: String, workload: Workload)? = nil
    ) throws -> Measurement {
        var ours = Track(workload: workload, times: try warmUp(workload))
        var theirs = try reference.map { Track(workload: $0.workload, times: try warmUp($0.workload)) }
        var ratios = Series()
        let start = now()
        repeat {
            guard var track = theirs.take() else {
                _ = try sample(&ours)
                continue
            }
            // The order alternates: each leaves something behind in caches.
            let isReferenceFirst = !ratios.count.isMultiple(of: 2)
            let before = isReferenceFirst ? try sample(&track) : 0
            let cost = try sample(&ours)
            ratios.add((isReferenceFirst ? before : try sample(&track)) / cost)
            theirs = track
        } while !isEnough(ours, theirs, since: start)

        var result = Measurement(name, unit.value(ofSeconds: ours.seconds.median), unit)
        result.spread = ours.seconds.spread
        result.samples = ours.seconds.count
        if ours.instructions.count >= effort.minSamples {
            result.instructions = ours.instructions.median
            result.cycles = ours.cycles.median
        }
        if let reference {
            result.reference = reference.name
            result.ratio = ratios.median
            result.ratioSpread = ratios.spread
        }
        return result
    }

    /// Returns how often a sample repeats the workload; the first, cold repetition does not count.
    private func warmUp(_ workload: Workload) throws -> Int {
        try workload.prepare?()
        try workload.run(1)
        guard workload.prepare == nil else { return 1 }
        var times = 1
        while true {
            let time = try time(workload, times)
            guard time < effort.sampleTime, times < Self.maxTimes else { return times }
            let missing = time > .zero ? effort.sampleTime / time * Self.reserve : .infinity
            let factor = min(max(missing, Self.growth.lowerBound), Self.growth.upperBound)
            times = min(Int((Double(times) * factor).rounded(.up)), Self.maxTimes)
        }
    }

    private func time(_ workload: Workload, _ times: Int) throws -> Duration {
        guard !isCancelled() else { throw CancellationError() }
        let start = now()
        try workload.run(times)
        return now() - start
    }

    /// Takes a sample and returns its seconds for each pixel, byte, image or the like.
    private func sample(_ track: inout Track) throws -> Double {
        try track.workload.prepare?()
        let before = counts()
        let time = try time(track.workload, track.times)
        let after = counts()
        let amount = track.workload.amount * Double(track.times)
        // A clock that did not advance would give infinity.
        let cost = max(time, .nanoseconds(1)) / .seconds(1) / amount
        track.seconds.add(cost)
        // Other programs' counters may have used the processor's for the whole sample.
        if let before, let after, let instructions = after.instructions.since(before.instructions),
            let cycles = after.cycles.since(before.cycles)
        {
            track.instructions.add(instructions / amount)
            track.cycles.add(cycles / amount)
        }
        return cost
    }

    private func isEnough(_ ours: Track, _ theirs: Track?, since start: Duration) -> Bool {
        let count = ours.seconds.count
        let time = now() - start
        if count >= effort.minSamples, time >= effort.time { return true }
        guard count < Self.maxSamples else { return true }
        guard count >= effort.enoughSamples, time >= effort.time * effort.minShare else { return false }
        return max(ours.seconds.spread, theirs?.seconds.spread ?? 0) <= effort.smallSpread
    }
}

/// Takes figures: warms up, then samples until they lie close together or the time is up.
///
///     let sampler = Sampler(.quick, now: timekeeper.now, counters: try? Counters())
///     let figure = try sampler.measure("decode.jpeg.full", .megapixelsPerSecond, ours, reference: (name: "libjpeg", theirs))
///
/// A sample repeats its work for as long as the effort says. Where a reference stands beside, samples of both alternate, first one and then
/// the other in front, so that what else the machine does meets both alike. Not shared between threads, since the counters belong to one.
package struct Sampler {
    private let effort: Effort
    private let now: () -> Duration
    private let counts: () -> Counters.Counts?
    private let isCancelled: () -> Bool

    /// The most repetitions of a sample, for work that is never long enough.
    private static let maxTimes = 1 << 24
    /// The most samples of a figure, for a clock that stands still.
    private static let maxSamples = 1 << 12
    /// How much repetitions grow at once, at the most and at the least, where a sample was too short.
    private static let growth = 1.5...16.0
    /// How much longer than needed a sample is planned: the next one may be a little faster.
    private static let reserve = 1.1

    /// A sampler.
    ///
    /// - Parameters:
    ///   - effort: how long a figure may take.
    ///   - now: how long ago some start was.
    ///   - counters: of the calling thread; `nil` leaves instructions and cycles out.
    ///   - isCancelled: asked before each sample.
    package init(
        _ effort: Effort, now: @escaping () -> Duration, counters: Counters?,
        isCancelled: @escaping () -> Bool = { false }
    ) {
        self.init(effort, now: now, counts: { counters?.read() }, isCancelled: isCancelled)
    }

    /// For tests, whose counters are made up.
    init(
        _ effort: Effort, now: @escaping () -> Duration, counts: @escaping () -> Counters.Counts?,
        isCancelled: @escaping () -> Bool = { false }
    ) {
        self.effort = effort
        self.now = now
        self.counts = counts
        self.isCancelled = isCancelled
    }

    /// What was seen of one of two contestants.
    private struct Track {
        let work: Workload
        let times: Int
        /// Seconds for each pixel, byte, image and the like.
        var seconds = Series()
        var instructions = Series()
        var cycles = Series()
    }

    /// A timed figure.
    ///
    /// - Throws: what the work does; `CancellationError`.
    func measure(
        _ name: String, _ unit: Unit, _ work: Workload, reference: (name: String, work: Workload)? = nil
    ) throws -> Measurement {
        var ours = Track(work: work, times: try warmUp(work))
        var theirs = try reference.map { Track(work: $0.work, times: try warmUp($0.work)) }
        var ratios = Series()
        let start = now()
        repeat {
            guard var track = theirs.take() else {
                _ = try sample(&ours)
                continue
            }
            // By turns: what a turn leaves behind, in caches and in the clock's rate, meets both.
            let isReferenceFirst = !ratios.count.isMultiple(of: 2)
            let before = isReferenceFirst ? try sample(&track) : 0
            let cost = try sample(&ours)
            ratios.add((isReferenceFirst ? before : try sample(&track)) / cost)
            theirs = track
        } while !isEnough(ours, theirs, since: start)

        var figure = Measurement(name, 1 / (ours.seconds.median * unit.scale), unit)
        figure.spread = ours.seconds.spread
        figure.samples = ours.seconds.count
        if ours.instructions.count >= effort.minSamples {
            figure.instructions = ours.instructions.median
            figure.cycles = ours.cycles.median
        }
        if let reference {
            figure.reference = reference.name
            figure.ratio = ratios.median
            figure.ratioSpread = ratios.spread
        }
        return figure
    }

    /// How often a sample repeats the work, so that it takes as long as it should.
    ///
    /// The first pass finds everything cold and takes any time; the repetitions follow from those after it.
    private func warmUp(_ work: Workload) throws -> Int {
        try work.prepare?()
        try work.run(1)
        guard work.prepare == nil else { return 1 }
        var times = 1
        while true {
            let time = try time(work, times)
            guard time < effort.sampleTime, times < Self.maxTimes else { return times }
            let missing = time > .zero ? effort.sampleTime / time * Self.reserve : .infinity
            let factor = min(max(missing, Self.growth.lowerBound), Self.growth.upperBound)
            times = min(Int((Double(times) * factor).rounded(.up)), Self.maxTimes)
        }
    }

    private func time(_ work: Workload, _ times: Int) throws -> Duration {
        guard !isCancelled() else { throw CancellationError() }
        let start = now()
        try work.run(times)
        return now() - start
    }

    /// Takes a sample; answers its seconds for each pixel, byte, image and the like.
    private func sample(_ track: inout Track) throws -> Double {
        try track.work.prepare?()
        let before = counts()
        let time = try time(track.work, track.times)
        let after = counts()
        let amount = track.work.amount * Double(track.times)
        // A clock that stood still would make a figure of infinity.
        let cost = max(time, .nanoseconds(1)) / .seconds(1) / amount
        track.seconds.add(cost)
        // Other counters may have had the processor's places for the whole sample.
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

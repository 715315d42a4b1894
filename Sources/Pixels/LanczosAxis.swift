internal import Glibc

/// How the samples of one axis are weighed into its target samples: Lanczos with three lobes, stretched to the coarser of the two
/// grids, cut at the edges and scaled to the sum 1.
struct LanczosAxis: Sendable {
    /// Lobes of the window to each side of the centre.
    static let lobes = 3.0

    /// Samples that come.
    let samples: Int
    /// The first sample that each target sample needs.
    let first: [Int]
    /// Where the weights of each target sample start, and where the last ones end.
    let starts: [Int]
    /// The weights, target sample by target sample.
    let weights: [Float]
    /// The most samples that one target sample needs.
    let mostTaps: Int
    /// The most target samples that one sample goes into.
    let mostTargets: Int

    /// Weights for `source` stored pixels of which each sample stands for `step`, the last one for the rest.
    init(from source: Int, step: Int, to target: Int) {
        samples = (source + step - 1) / step
        let ratio = Double(source) / Double(target)
        let stretch = max(ratio, Double(step))
        var (first, starts, weights): ([Int], [Int], [Float]) = ([], [0], [])
        first.reserveCapacity(target)
        starts.reserveCapacity(target + 1)
        for index in 0..<target {
            let center = (Double(index) + 0.5) * ratio
            let reach = Self.lobes * stretch
            let low = max(Int((center - reach) / Double(step)) - 1, 0)
            let high = min(Int((center + reach) / Double(step)) + 1, samples - 1)
            var taps = (low...high).map { sample in
                let (start, end) = (sample * step, min((sample + 1) * step, source))
                let distance = (Double(start + end) / 2 - center) / stretch
                return Self.kernel(distance) * Double(end - start)
            }
            let leading = taps.prefix { $0 == 0 }.count
            taps.removeFirst(min(leading, taps.count - 1))
            while taps.count > 1, taps.last == 0 { taps.removeLast() }
            let sum = taps.reduce(0, +)
            weights += taps.map { Float($0 / sum) }
            first.append(low + min(leading, high - low))
            starts.append(weights.count)
        }
        self.first = first
        self.starts = starts
        self.weights = weights
        mostTaps = (0..<target).map { starts[$0 + 1] - starts[$0] }.max() ?? 1
        var (most, oldest) = (1, 0)
        for index in 0..<target {
            while first[oldest] + starts[oldest + 1] - starts[oldest] <= first[index] { oldest += 1 }
            most = max(most, index - oldest + 1)
        }
        mostTargets = most
    }

    /// The sample after the last one that a target sample needs.
    func end(_ target: Int) -> Int { first[target] + starts[target + 1] - starts[target] }

    /// sinc(x) sinc(x / 3) within three lobes.
    static func kernel(_ x: Double) -> Double {
        if abs(x) < 1e-9 { return 1 }
        guard abs(x) < lobes else { return 0 }
        let angle = Double.pi * x
        return sin(angle) * sin(angle / lobes) * lobes / (angle * angle)
    }
}

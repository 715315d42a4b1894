/// How the samples of one axis are weighed into its target samples: Lanczos with three lobes, stretched to the coarser of the two
/// grids, cut at the edges and scaled to the same sum everywhere.
///
/// Weights are whole numbers, so that sums are exact and alike on every machine; the rounding of one is carried to the next, and
/// they add up to `1 << bits` without a rest.
struct LanczosAxis: Sendable {
    /// Weights that one instruction multiplies by: each target sample has a whole number of vectors, the last filled with zeros.
    static let lanes = 8
    /// The finest and the coarsest weights: a sum of 16-bit light must fit 32 bits, and a weight of 1 must fit 16.
    private static let (maxBits, minBits) = (16, 14)

    /// Samples that come.
    let samples: Int
    /// The first sample that each target sample needs.
    let first: [Int32]
    /// How many samples each target sample needs.
    let taps: [Int32]
    /// Vectors of weights for each target sample.
    let blocks: Int
    /// The weights, `blocks` vectors after `blocks` vectors.
    let weights: [SIMD8<Int16>]
    /// What the weights of a target sample add up to, as a power of two.
    let bits: Int

    /// Weights for `source` stored pixels of which each sample stands for `step`, the last one for the rest.
    ///
    /// Costs some 30 instructions a weight, of which there are six times `source` or, to enlarge, `target`.
    init(from source: Int, step: Int, to target: Int) {
        let grid = LanczosGrid(from: source, step: step, to: target)
        let (first, taps) = grid.windows(of: target)
        let maxTaps = Int(taps.max() ?? 1)
        let blocks = (maxTaps + Self.lanes - 1) / Self.lanes
        var weights = [SIMD8<Int16>](repeating: .zero, count: target * blocks)
        var bits = Self.maxBits
        let width = blocks * Self.lanes
        withUnsafeTemporaryAllocation(of: Double.self, capacity: maxTaps) { exact in
            weights.withUnsafeMutableBytes { bytes in
                bytes.withMemoryRebound(to: Int16.self) { weights in
                    var index = 0
                    while index < target {
                        let (low, count, start) = (Int(first[index]), Int(taps[index]), index * width)
                        if index > 0, grid.isWeighedAlike(index - 1, Int(first[index - 1]), index, low),
                            count == taps[index - 1]
                        {
                            for at in start..<start + width { weights[at] = weights[at - width] }
                            index += 1
                            continue
                        }
                        let (sum, heaviest) = grid.weigh(index, from: low, count, exact)
                        let scale = 1 / sum
                        if bits > Self.minBits, heaviest * scale * Double(1 << bits) > Double(Int16.max) {
                            // Too fine for one of them is too fine for all.
                            bits -= 1
                            index = 0
                            continue
                        }
                        var rounding = WeightRounding(bits: bits)
                        for tap in 0..<count { weights[start + tap] = rounding.next(exact[tap] * scale) }
                        index += 1
                    }
                }
            }
        }
        samples = grid.samples
        self.first = first
        self.taps = taps
        self.blocks = blocks
        self.weights = weights
        self.bits = bits
    }

    /// The sample after the last one that a target sample needs.
    func end(_ target: Int) -> Int { Int(first[target] + taps[target]) }

    /// The weight of a sample in a target sample, counted from the first that it needs.
    func weight(_ target: Int, _ tap: Int) -> Int16 {
        weights[target * blocks + tap / Self.lanes][tap % Self.lanes]
    }

    /// The most samples that one target sample needs, or a few more.
    var maxTaps: Int { blocks * Self.lanes }
}

/// Where the samples of an axis lie under its target samples; places and widths are those of stored pixels.
private struct LanczosGrid {
    /// Samples that come.
    let samples: Int
    private let source: Double
    /// What a sample stands for.
    private let step: Double
    /// What the last one stands for.
    private let lastWidth: Double
    /// What a target sample stands for.
    private let ratio: Double
    /// What a lobe of the window spans.
    private let stretch: Double

    init(from source: Int, step: Int, to target: Int) {
        samples = (source + step - 1) / step
        self.source = Double(source)
        self.step = Double(step)
        lastWidth = self.source - Double(samples - 1) * self.step
        ratio = self.source / Double(target)
        stretch = max(ratio, self.step)
    }

    /// The first sample that each of so many target samples needs, and how many it needs.
    func windows(of target: Int) -> (first: [Int32], taps: [Int32]) {
        let reach = LanczosKernel.lobes * stretch
        let isLastWhole = lastWidth == step
        var (first, taps) = ([Int32](repeating: 0, count: target), [Int32](repeating: 0, count: target))
        for index in 0..<target {
            // Samples whose centres, (sample + 1/2) step, lie within reach; that of the last one may be nearer.
            let center = (Double(index) + 0.5) * ratio
            let low = min(max(Int((center - reach) / step + 0.5), 0), samples - 1)
            let end = (center + reach) / step - 0.5
            let high = Int(end) + (end > Double(Int(end)) ? 1 : 0) + (isLastWhole ? 0 : 1)
            first[index] = Int32(low)
            taps[index] = Int32(max(min(high, samples), low + 1) - low)
        }
        return (first, taps)
    }

    /// How far the first sample that a target sample needs lies behind its centre.
    private func offset(_ index: Int, from low: Int) -> Double {
        (Double(low) + 0.5) * step - (Double(index) + 0.5) * ratio
    }

    /// Whether two target samples lie alike over the samples from `lowOne` and `lowOther` on, as all do where each stands for as many
    /// whole samples; the last sample may stand for less than the others.
    func isWeighedAlike(_ one: Int, _ lowOne: Int, _ other: Int, _ lowOther: Int) -> Bool {
        lastWidth == step && offset(one, from: lowOne) == offset(other, from: lowOther)
    }

    /// The weights of a target sample in the `count` samples from `low` on; their sum, and the largest, whatever its sign.
    func weigh(
        _ index: Int, from low: Int, _ count: Int, _ weights: UnsafeMutableBufferPointer<Double>
    ) -> (sum: Double, heaviest: Double) {
        let center = (Double(index) + 0.5) * ratio
        let perStretch = 1 / stretch
        LanczosKernel.withTable { kernel in
            for tap in 0..<count {
                weights[tap] = kernel.value(((Double(low + tap) + 0.5) * step - center) * perStretch)
            }
        }
        if low + count == samples, lastWidth != step {
            let place = source - lastWidth / 2
            weights[count - 1] = LanczosKernel.value((place - center) * perStretch) * lastWidth / step
        }
        var (sum, heaviest) = (0.0, 0.0)
        for tap in 0..<count {
            sum += weights[tap]
            heaviest = max(heaviest, abs(weights[tap]))
        }
        return (sum, heaviest)
    }
}

/// Makes weights whose sum is 1 whole numbers whose sum is `1 << bits`.
struct WeightRounding {
    private let scale: Double
    private var exact = 0.0
    private var given = 0
    /// Makes numbers positive, whose rounding is one instruction.
    ///
    /// No sum of weights is as far below 0.
    private static let offset = 1 << 20

    init(bits: Int) { scale = Double(1 << bits) }

    mutating func next(_ weight: Double) -> Int16 {
        exact += weight * scale
        let next = Int(exact + Double(Self.offset) + 0.5) - Self.offset
        defer { given = next }
        return Int16(clamping: next - given)
    }
}

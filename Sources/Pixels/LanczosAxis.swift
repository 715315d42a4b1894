/// How the samples of one axis are weighed into its target samples: Lanczos with three lobes, stretched to the coarser of the two
/// grids, cut at the edges and scaled to the same sum everywhere.
///
/// Weights are whole numbers, so that sums are exact and alike on every machine; the rounding of one is carried to the next, and
/// they add up to `1 << bits` without a rest.
struct LanczosAxis: Sendable {
    /// Weights that one instruction multiplies by: each target sample has a whole number of vectors, the last filled with zeros.
    static let lanes = 8
    /// The finest and the coarsest weights: a sum of 16-bit light must fit 32 bits, and a weight of 1 must fit 16.
    private static let (mostBits, leastBits) = (16, 14)

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
    /// Costs some 20 instructions a weight, of which there are six times `source` or, to enlarge, `target`.
    init(from source: Int, step: Int, to target: Int) {
        samples = (source + step - 1) / step
        let (step, samples) = (Double(step), samples)
        let ratio = Double(source) / Double(target)
        let stretch = max(ratio, step)
        let reach = LanczosKernel.lobes * stretch
        let lastWidth = Double(source) - Double(samples - 1) * step
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
        let mostTaps = Int(taps.max() ?? 1)
        func exactWeights(_ index: Int, _ weights: UnsafeMutableBufferPointer<Double>) -> Double {
            let center = (Double(index) + 0.5) * ratio
            let (low, count) = (Int(first[index]), Int(taps[index]))
            let perStretch = 1 / stretch
            var sum = 0.0
            for tap in 0..<count {
                weights[tap] = LanczosKernel.value(((Double(low + tap) + 0.5) * step - center) * perStretch)
                sum += weights[tap]
            }
            if low + count == samples, !isLastWhole {
                sum -= weights[count - 1]
                let place = Double(source) - lastWidth / 2
                weights[count - 1] = LanczosKernel.value((place - center) * perStretch) * lastWidth / step
                sum += weights[count - 1]
            }
            return sum
        }
        let blocks = (mostTaps + Self.lanes - 1) / Self.lanes
        var weights = [SIMD8<Int16>](repeating: .zero, count: target * blocks)
        var bits = Self.mostBits
        withUnsafeTemporaryAllocation(of: Double.self, capacity: mostTaps) { exact in
            weights.withUnsafeMutableBytes { bytes in
                bytes.withMemoryRebound(to: Int16.self) { weights in
                    var index = 0
                    while index < target {
                        let count = Int(taps[index])
                        let scale = 1 / exactWeights(index, exact)
                        let heaviest = exact[..<count].reduce(0) { max($0, abs($1)) } * scale
                        if bits > Self.leastBits, heaviest * Double(1 << bits) > Double(Int16.max) {
                            // Too fine for one of them is too fine for all.
                            bits -= 1
                            index = 0
                            continue
                        }
                        let start = index * blocks * Self.lanes
                        var rounding = WeightRounding(bits: bits)
                        for tap in 0..<count { weights[start + tap] = rounding.next(exact[tap] * scale) }
                        index += 1
                    }
                }
            }
        }
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
    var mostTaps: Int { blocks * Self.lanes }
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

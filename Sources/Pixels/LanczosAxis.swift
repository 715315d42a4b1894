internal import Glibc

/// The weights of one axis: Lanczos with three lobes, stretched to the coarser grid and cut at the edges.
///
/// Integer weights keep sums exact; rounding errors carry over, so that weights add up to exactly `1 << bits`.
struct LanczosAxis: Sendable {
    /// Weights in one vector; each target sample has whole vectors, padded with zeros.
    static let lanes = 8
    /// Bounds of `bits`: a sum of 16-bit light must fit 32 bits, and a weight of 1 must fit 16.
    private static let (maxBits, minBits) = (16, 14)

    let samples: Int
    let first: [Int32]
    let taps: [Int32]
    let blocks: Int
    let weights: [SIMD8<Int16>]
    let bits: Int

    /// Each sample stands for `step` of `source` pixels, the last for the rest; costs about 30 instructions a weight.
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
                        let (sum, heaviest) = grid.weigh(index, from: low, count, exact)
                        let scale = 1 / sum
                        if bits > Self.minBits, heaviest * scale * Double(1 << bits) > Double(Int16.max) {
                            // All target samples share `bits`: start again, coarser.
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

    func end(_ target: Int) -> Int { Int(first[target] + taps[target]) }

    /// Calls `body` with a target sample's weights.
    func withWeights<Result>(of target: Int, _ body: (UnsafeBufferPointer<Int16>) -> Result) -> Result {
        let start = target * maxTaps
        return weights.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: Int16.self) { body(.init(rebasing: $0[start..<start + Int(taps[target])])) }
        }
    }

    /// Rounded up to whole vectors.
    var maxTaps: Int { blocks * Self.lanes }
}

/// Sample positions of an axis under its target samples, in stored pixels.
private struct LanczosGrid {
    let samples: Int
    private let source: Double
    private let step: Double
    private let lastWidth: Double
    /// Stored pixels per target sample.
    private let ratio: Double
    /// Stored pixels per lobe.
    private let stretch: Double

    init(from source: Int, step: Int, to target: Int) {
        samples = (source + step - 1) / step
        self.source = Double(source)
        self.step = Double(step)
        lastWidth = self.source - Double(samples - 1) * self.step
        ratio = self.source / Double(target)
        stretch = max(ratio, self.step)
    }

    func windows(of target: Int) -> (first: [Int32], taps: [Int32]) {
        let reach = LanczosKernel.lobes * stretch
        let isLastWhole = lastWidth == step
        var (first, taps) = ([Int32](repeating: 0, count: target), [Int32](repeating: 0, count: target))
        for index in 0..<target {
            // Samples whose centres, (sample + 1/2) step, are within reach; the last one's may be nearer.
            let center = (Double(index) + 0.5) * ratio
            let low = min(max(Int((center - reach) / step + 0.5), 0), samples - 1)
            let end = (center + reach) / step - 0.5
            let high = Int(end) + (end > Double(Int(end)) ? 1 : 0) + (isLastWhole ? 0 : 1)
            first[index] = Int32(low)
            taps[index] = Int32(max(min(high, samples), low + 1) - low)
        }
        return (first, taps)
    }

    /// Returns the sum of the weights and the largest magnitude.
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
            let position = source - lastWidth / 2
            weights[count - 1] = LanczosKernel.value((position - center) * perStretch) * lastWidth / step
        }
        var (sum, heaviest) = (0.0, 0.0)
        for tap in 0..<count {
            sum += weights[tap]
            heaviest = max(heaviest, abs(weights[tap]))
        }
        return (sum, heaviest)
    }
}

/// Rounds weights whose sum is 1 to integers whose sum is `1 << bits`.
struct WeightRounding {
    private let scale: Double
    private var exact = 0.0
    private var given = 0
    /// Makes numbers positive, so that rounding is one instruction; no sum of weights is as far below 0.
    private static let offset = 1 << 20

    init(bits: Int) { scale = Double(1 << bits) }

    mutating func next(_ weight: Double) -> Int16 {
        exact += weight * scale
        let next = Int(exact + Double(Self.offset) + 0.5) - Self.offset
        defer { given = next }
        return Int16(clamping: next - given)
    }
}

/// The Lanczos window: sinc(x) sinc(x / 3) within three lobes.
enum LanczosKernel {
    static let lobes = 3.0
    /// Table points per lobe: linear interpolation is off by less than 2e-6, a seventh of the finest weight.
    private static let density = 1024

    private static let table: [Double] = (0...Int(lobes) * density + 1).map { exact(Double($0) / Double(density)) }

    struct Table {
        fileprivate let values: UnsafeBufferPointer<Double>

        func value(_ x: Double) -> Double {
            let position = min(abs(x), lobes) * Double(density)
            let index = Int(position)
            let rest = position - Double(index)
            return values[index] + (values[index + 1] - values[index]) * rest
        }
    }

    static func withTable<Result>(_ body: (Table) -> Result) -> Result {
        table.withUnsafeBufferPointer { body(Table(values: $0)) }
    }

    static func value(_ x: Double) -> Double { withTable { $0.value(x) } }

    static func exact(_ x: Double) -> Double {
        if x == 0 { return 1 }
        guard abs(x) < lobes else { return 0 }
        let angle = Double.pi * x
        return sin(angle) * sin(angle / lobes) * lobes / (angle * angle)
    }
}

/// Keeps the rows that target rows still need, and combines them.
struct LanczosVertical: ~Copyable {
    /// Samples that are summed together; rows are padded to a multiple.
    static let group = 16

    /// Bits of the weights where rows are missing: normalised weights are up to twice as large.
    private static let bitsOfPart = 13

    let axis: LanczosAxis
    let count: Int
    private let pairs: Int
    /// Pairs of rows, their samples interleaved.
    private var ring: [SIMD8<Int16>]

    init(_ axis: LanczosAxis, count: Int) {
        precondition(count % Self.group == 0)
        self.axis = axis
        self.count = count
        pairs = axis.maxTaps / 2 + 1
        ring = [SIMD8<Int16>](repeating: .zero, count: pairs * count / 4)
    }

    /// The samples of a row are two apart.
    mutating func withRow(_ index: Int, _ body: (UnsafeMutablePointer<Int16>) -> Void) {
        let start = index / 2 % pairs * count * 2 + index % 2
        ring.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: Int16.self) { samples in
                if let base = samples.baseAddress { body(base + start) }
            }
        }
    }

    /// Computes a target row of `count` samples from the first `rows` rows it needs, normalised.
    func weigh(_ target: Int, rows: Int, into output: UnsafeMutablePointer<Int16>) {
        let first = Int(axis.first[target])
        let isComplete = rows >= Int(axis.taps[target])
        let bits = isComplete ? axis.bits : min(axis.bits, Self.bitsOfPart)
        let stride = count / 4
        // The rows in order: to the end of the ring, then from its start.
        let place = first / 2 % pairs
        let tapCount = (first % 2 + rows + 1) / 2
        let unbroken = min(tapCount, pairs - place)
        let count = count
        withUnsafeTemporaryAllocation(of: SIMD8<Int16>.self, capacity: tapCount) { taps in
            weighPairs(target, rows: rows, bits: bits, taps)
            ring.withUnsafeBufferPointer { ring in
                guard let taps = taps.baseAddress, let base = ring.baseAddress else { return }
                var at = 0
                while at < count {
                    var (a, b, c, d) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero, SIMD4<Int32>.zero, SIMD4<Int32>.zero)
                    var rows = base + (place &* stride &+ at / 4)
                    var pair = 0
                    while pair < tapCount {
                        if pair == unbroken { rows = base + at / 4 }
                        a &+= rows[0].pairSums(times: taps[pair])
                        b &+= rows[1].pairSums(times: taps[pair])
                        c &+= rows[2].pairSums(times: taps[pair])
                        d &+= rows[3].pairSums(times: taps[pair])
                        rows += stride
                        pair &+= 1
                    }
                    let samples = UnsafeMutableRawPointer(output + at)
                    samples.storeBytes(of: SIMD8(a, b, dividedBy: Int32(bits)), as: SIMD8<Int16>.self)
                    samples.storeBytes(of: SIMD8(c, d, dividedBy: Int32(bits)), toByteOffset: 16, as: SIMD8<Int16>.self)
                    at &+= Self.group
                }
            }
        }
    }

    /// Writes the weights of each pair of rows, repeated four times; 0 for rows outside the window.
    private func weighPairs(_ target: Int, rows: Int, bits: Int, _ pairs: UnsafeMutableBufferPointer<SIMD8<Int16>>) {
        let isComplete = rows >= Int(axis.taps[target])
        var rounding = WeightRounding(bits: bits)
        let sum = isComplete ? 1 : weight(target, rows: rows)
        axis.withWeights(of: target) { weights in
            func weight(_ tap: Int) -> Int16 {
                guard tap >= 0, tap < rows else { return 0 }
                return isComplete ? weights[tap] : rounding.next(Double(weights[tap]) / sum)
            }
            var tap = -Int(axis.first[target]) % 2
            for pair in pairs.indices {
                let even = weight(tap)
                pairs.initializeElement(at: pair, to: SIMD8(pairs: even, weight(tap + 1)))
                tap += 2
            }
        }
    }

    func weight(_ target: Int, rows: Int) -> Double {
        axis.withWeights(of: target) { Double($0.prefix(rows).reduce(0) { $0 + Int($1) }) }
    }
}

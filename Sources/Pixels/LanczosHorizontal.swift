struct LanczosHorizontal: Sendable {
    private static let group = 4

    /// Target samples, rounded up to whole groups.
    let count: Int
    /// Samples that must be readable after a row's last one; their weights are 0.
    let padding: Int
    private let bits: Int
    private let blocks: Int
    private let first: [Int32]
    private let weights: [SIMD8<Int16>]

    init(_ axis: LanczosAxis) {
        let target = axis.first.count
        count = (target + Self.group - 1) / Self.group * Self.group
        blocks = axis.blocks
        padding = axis.maxTaps
        bits = axis.bits
        first = axis.first + [Int32](repeating: 0, count: count - target)
        weights = axis.weights + [SIMD8<Int16>](repeating: .zero, count: (count - target) * axis.blocks)
    }

    func weigh(_ row: UnsafePointer<Int16>, into output: UnsafeMutablePointer<Int16>) {
        let bits = Int32(bits)
        let (blocks, count) = (blocks, count)
        weights.withUnsafeBufferPointer { weights in
            first.withUnsafeBufferPointer { first in
                guard var weight = weights.baseAddress, let first = first.baseAddress else { return }
                var index = 0
                while index < count {
                    var (a, b, c, d) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero, SIMD4<Int32>.zero, SIMD4<Int32>.zero)
                    let rowA = UnsafeRawPointer(row + Int(first[index]))
                    let rowB = UnsafeRawPointer(row + Int(first[index &+ 1]))
                    let rowC = UnsafeRawPointer(row + Int(first[index &+ 2]))
                    let rowD = UnsafeRawPointer(row + Int(first[index &+ 3]))
                    var block = 0
                    while block < blocks {
                        let at = block &* 16
                        a &+= SIMD8(unalignedAt: rowA + at).pairSums(times: weight[block])
                        b &+= SIMD8(unalignedAt: rowB + at).pairSums(times: weight[blocks &+ block])
                        c &+= SIMD8(unalignedAt: rowC + at).pairSums(times: weight[2 &* blocks &+ block])
                        d &+= SIMD8(unalignedAt: rowD + at).pairSums(times: weight[3 &* blocks &+ block])
                        block &+= 1
                    }
                    let sums = SIMD4(sumsOf: a, b, c, d)
                    UnsafeMutableRawPointer(output + index).storeBytes(
                        of: SIMD8(sums, sums, dividedBy: bits).lowHalf, as: SIMD4<Int16>.self)
                    weight += Self.group &* blocks
                    index &+= Self.group
                }
            }
        }
    }
}

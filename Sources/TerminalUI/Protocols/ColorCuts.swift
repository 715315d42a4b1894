/// Divides bins of colours into boxes; each cut is the one with the largest reduction of the squared error.
///
/// Xiaolin Wu's criterion ("Efficient statistical computations for optimal color quantization", 1991).
struct ColorCuts {
    private let histogram: ColorHistogram
    /// The numbers of the bins; each box is a range.
    private var order: [Int]
    private var boxes: [Box] = []
    /// Sums by channel and level.
    private var sums = [SIMD4<Int32>](repeating: .zero, count: 3 * levels)

    private static let levels = 1 << Int(ColorHistogram.bits)

    private struct Box {
        var range: Range<Int>
        var sum: SIMD4<Int32>
        var channel = 0
        /// The first level of the upper part.
        var level = 0
        /// The cut's reduction of the squared error.
        var gain = 0.0
    }

    init(_ histogram: ColorHistogram, maxColors: Int) {
        self.histogram = histogram
        order = Array(histogram.bins.indices)
        guard !order.isEmpty else { return }
        boxes = [box(order.indices)]
        while boxes.count < maxColors,
            let best = boxes.indices.max(by: { boxes[$0].gain < boxes[$1].gain }), boxes[best].gain > 0
        {
            let middle = partition(boxes[best])
            let range = boxes[best].range
            boxes[best] = box(range.lowerBound..<middle)
            boxes.append(box(middle..<range.upperBound))
        }
    }

    /// The mean colour of each box.
    var means: [SIMD4<Float>] { boxes.map { ColorHistogram.mean($0.sum) } }

    private func level(_ bin: Int, _ channel: Int) -> Int {
        Int(histogram.keys[bin] >> (UInt32(channel) * ColorHistogram.bits)) & (Self.levels - 1)
    }

    /// Moves the bins below the cut to the front.
    private mutating func partition(_ box: Box) -> Int {
        var end = box.range.lowerBound
        for at in box.range where level(order[at], box.channel) < box.level {
            order.swapAt(at, end)
            end += 1
        }
        return end
    }

    /// Makes a box with its best cut.
    private mutating func box(_ range: Range<Int>) -> Box {
        for at in sums.indices { sums[at] = .zero }
        var total = SIMD4<Int32>.zero
        for at in range {
            let bin = order[at]
            let sum = histogram.bins[bin]
            total &+= sum
            for channel in 0..<3 { sums[channel * Self.levels + level(bin, channel)] &+= sum }
        }
        var box = Box(range: range, sum: total)
        guard range.count > 1 else { return box }
        let whole = Self.explained(total)
        for channel in 0..<3 {
            var below = SIMD4<Int32>.zero
            for level in 1..<Self.levels {
                let added = sums[channel * Self.levels + level - 1]
                guard added.w > 0 else { continue }
                below &+= added
                guard below.w < total.w else { break }
                let gain = Self.explained(below) + Self.explained(total &- below) - whole
                if gain > box.gain { (box.gain, box.channel, box.level) = (gain, channel, level) }
            }
        }
        return box
    }

    /// The squared length of a sum of colours over their weight.
    private static func explained(_ sum: SIMD4<Int32>) -> Double {
        let sum = SIMD4<Double>(sum)
        return (sum.x * sum.x + sum.y * sum.y + sum.z * sum.z) / sum.w
    }
}

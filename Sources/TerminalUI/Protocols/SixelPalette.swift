/// A palette of at most 256 colours for one image, with little squared error in sRGB.
struct SixelPalette {
    /// Sixteen times sRGB bytes, the most frequent colour first; the fourth lane is an opaque alpha.
    private(set) var colors: [SIMD4<Int16>]
    /// By `PackedPixel.sixBitKey`: the index of the nearest colour plus 1, or 0 while unknown.
    private var known: [UInt32]
    private let search: ColorSearch

    /// Rounds of k-means: two add 0.13 dB, six 0.15.
    private static let rounds = 2
    private static let opaque: Int16 = 255 * 16

    /// Finds colours for pixels, except transparent ones; red is the low byte, alpha the high one.
    init(_ pixels: [UInt32], maxColors: Int) {
        let histogram = ColorHistogram(pixels)
        let bins = histogram.bins.map(ColorHistogram.mean)
        var means = ColorCuts(histogram, maxColors: maxColors).means
        // All counted pixels may be transparent, and others visible.
        if means.isEmpty { means = [.zero] }
        var search = ColorSearch(means)
        var assigned: [UInt8] = []
        for round in 0...Self.rounds {
            assigned = bins.map { search.nearest($0) }
            guard round < Self.rounds, !bins.isEmpty else { break }
            var sums = [SIMD4<Int32>](repeating: .zero, count: means.count)
            for (bin, sum) in histogram.bins.enumerated() { sums[Int(assigned[bin])] &+= sum }
            sums.sort { $0.w > $1.w }
            means = sums.prefix { $0.w > 0 }.map(ColorHistogram.mean)
            search = ColorSearch(means)
        }
        self.search = search
        known = histogram.slots
        for (bin, key) in histogram.keys.enumerated() { known[Int(key)] = UInt32(assigned[bin]) + 1 }
        colors = means.map { mean in
            var color = SIMD4<Int16>(mean * 16, rounding: .toNearestOrEven)
            color.w = Self.opaque
            return color
        }
    }

    /// Returns the index of the colour nearest to the mean of a bin's pixels, or to the centre of an empty bin.
    private mutating func nearest(_ key: Int) -> Int {
        if known[key] == 0 { known[key] = UInt32(search.nearest(ColorHistogram.center(of: key))) + 1 }
        return Int(known[key]) - 1
    }

    /// Returns the indices of pixels by Floyd and Steinberg's error diffusion; 255 for transparent pixels.
    ///
    /// Rows alternate in direction. Seven eighths of the error are diffused: all of it would add noise of 1 dB where
    /// colours are missing. The error is relative to exact colours: areas in a colour of the palette stay even.
    mutating func indices(of pixels: [UInt32], width: Int) -> [UInt8] {
        var indices = [UInt8](repeating: .max, count: pixels.count)
        // A margin on both sides takes the errors that leave the image.
        var errors = [SIMD4<Int16>](repeating: .zero, count: width + 2)
        var below = errors
        for row in 0..<pixels.count / width {
            let step = row.isMultiple(of: 2) ? 1 : -1
            var x = step > 0 ? 0 : width - 1
            // Errors for the next pixel, and for the row below: under the previous pixel and under this one.
            var (ahead, behind, under) = (SIMD4<Int16>.zero, SIMD4<Int16>.zero, SIMD4<Int16>.zero)
            for _ in 0..<width {
                let pixel = pixels[row * width + x]
                var error = SIMD4<Int16>.zero
                if pixel >> 24 != 0 {
                    let channels = SIMD4<Int16>(truncatingIfNeeded: unsafeBitCast(pixel, to: SIMD4<UInt8>.self))
                    let wanted = (channels &<< 4 &+ errors[x + 1] &+ ahead)
                        .clamped(lowerBound: .zero, upperBound: SIMD4(repeating: Self.opaque))
                    let index = nearest(ColorHistogram.key(of: wanted))
                    indices[row * width + x] = UInt8(truncatingIfNeeded: index)
                    error = wanted &- colors[index]
                    error &-= error &>> 3
                }
                ahead = (error &* 7) &>> 4
                let (three, five) = ((error &* 3) &>> 4, (error &* 5) &>> 4)
                below[x + 1 - step] = behind &+ three
                behind = under &+ five
                under = error &- ahead &- three &- five
                x += step
            }
            below[x + 1 - step] = behind
            swap(&errors, &below)
        }
        return indices
    }
}

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

/// Finds the nearest of at most 256 colours by squared distance, four at a time.
struct ColorSearch {
    private var red: [SIMD4<Float>]
    private var green: [SIMD4<Float>]
    private var blue: [SIMD4<Float>]

    init(_ colors: [SIMD4<Float>]) {
        let groups = (colors.count + 3) / 4
        // Padding is far from every colour.
        red = [SIMD4<Float>](repeating: SIMD4(repeating: 1e6), count: groups)
        green = red
        blue = red
        for (at, color) in colors.enumerated() {
            red[at / 4][at % 4] = color.x
            green[at / 4][at % 4] = color.y
            blue[at / 4][at % 4] = color.z
        }
    }

    /// Returns the index of the nearest colour, exact to 1/32,768 of the distance.
    func nearest(_ color: SIMD4<Float>) -> UInt8 {
        var best = SIMD4<Float>(repeating: .greatestFiniteMagnitude)
        var index = SIMD4<UInt32>(0, 1, 2, 3)
        for at in red.indices {
            let (r, g, b) = (red[at] - color.x, green[at] - color.y, blue[at] - color.z)
            let distance = r * r + g * g + b * b
            // The index replaces the low bits of the distance, so that one comparison selects both.
            let bits = unsafeBitCast(distance, to: SIMD4<UInt32>.self) & 0xFFFF_FF00 | index
            let marked = unsafeBitCast(bits, to: SIMD4<Float>.self)
            best = best.replacing(with: marked, where: marked .< best)
            index &+= 4
        }
        return UInt8(truncatingIfNeeded: best.min().bitPattern)
    }
}

/// The colours of an image in bins of six bits a channel.
struct ColorHistogram {
    /// By `PackedPixel.sixBitKey`: the number of a bin plus 1, or 0.
    private(set) var slots = [UInt32](repeating: 0, count: 1 << (3 * bits))
    private(set) var keys: [UInt32] = []
    /// The sums of red, green, blue and alpha, which is 255 a pixel.
    private(set) var bins: [SIMD4<Int32>] = []

    static let bits: UInt32 = 6
    /// The maximum of pixels whose sums fit 32 bits; of a larger image only every n-th pixel is counted.
    private static let maxPixels = 1 << 22

    /// Counts pixels, except transparent ones; the others are opaque.
    init(_ pixels: [UInt32]) {
        for at in stride(from: 0, to: pixels.count, by: pixels.count / Self.maxPixels + 1) {
            let pixel = pixels[at]
            guard pixel >> 24 != 0 else { continue }
            let key = PackedPixel(number: pixel).sixBitKey
            if slots[Int(key)] == 0 {
                keys.append(key)
                bins.append(.zero)
                slots[Int(key)] = UInt32(bins.count)
            }
            let color = unsafeBitCast(pixel, to: SIMD4<UInt8>.self)
            bins[Int(slots[Int(key)]) - 1] &+= SIMD4<Int32>(truncatingIfNeeded: color)
        }
    }

    static func mean(_ sum: SIMD4<Int32>) -> SIMD4<Float> { SIMD4<Float>(sum) * (255 / Float(sum.w)) }

    /// Returns `PackedPixel.sixBitKey` of a colour in steps of 1/16.
    static func key(of color: SIMD4<Int16>) -> Int {
        Int(color.x >> 6) | Int(color.y >> 6) << 6 | Int(color.z >> 6) << 12
    }

    static func center(of key: Int) -> SIMD4<Float> {
        SIMD4(Float(key & 0x3F), Float(key >> 6 & 0x3F), Float(key >> 12), 0) * 4 + 1.5
    }
}

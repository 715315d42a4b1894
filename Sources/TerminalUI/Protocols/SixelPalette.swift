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

internal import SpyglassPixels

/// Splits a cell into two sides of one colour.
///
/// The split has the least squared error in sRGB values, whose steps look about equal; a side's colour is its mean in linear
/// light. Relative to the cell's mean, the sums of both sides are opposite. Let S be the sum of a side's k of n
/// sub-pixels: a split lowers the squared error by |S|² · n / (k · (n - k)). All 2^(n-1) - 1 splits are tried; of
/// half-blocks, the two into halves.
///
/// Transparent sub-pixels are one side; the other side is the mean of the rest. A half-block is transparent only where
/// a whole half is.
struct SymbolFit {
    /// The sub-pixels inside, never all; none if all are equal.
    let pattern: Int
    /// Whether sub-pixels are transparent: they are outside, all others inside.
    let isOpen: Bool
    let inside: PackedPixel
    let outside: PackedPixel

    /// A vector a sub-pixel.
    private typealias Vectors = InlineArray<8, SIMD4<Float>>

    init(_ row: CellRow, _ column: Int, over backdrop: PackedPixel) {
        let width = row.symbols.width
        let count = width * row.symbols.height
        var (lights, values) = (Vectors(repeating: .zero), Vectors(repeating: .zero))
        var (mean, transparent) = (SIMD4<Float>.zero, 0)
        for at in 0..<count {
            let pixel = row.pixel(column * width + at % width, at / width)
            if pixel.isTransparent { transparent |= 1 << at }
            let light = pixel.linear(over: backdrop)
            lights[at] = SIMD4(light, 0)
            values[at] = (pixel.isOpaque ? pixel : PackedPixel(linear: light)).values
            mean += values[at]
        }
        mean /= Float(count)
        for at in 0..<count { values[at] -= mean }
        if row.symbols == .half {
            let open = Self.halves.first { $0 & transparent == $0 }
            isOpen = open != nil
            pattern = transparent == 0b1111 ? 0 : open.map { ~$0 & 0b1111 } ?? Self.bestHalf(of: values)
        } else {
            isOpen = transparent != 0
            pattern = isOpen ? (1 << count - 1) & ~transparent : Self.bestSplit(of: values, count)
        }
        outside = Self.mean(of: lights, where: ~pattern & (1 << count - 1))
        inside = pattern == 0 ? outside : Self.mean(of: lights, where: pattern)
    }

    /// The mean of the sub-pixels of a pattern; black of none.
    private static func mean(of lights: Vectors, where pattern: Int) -> PackedPixel {
        var sum = SIMD4<Float>.zero
        for at in lights.indices where pattern >> at & 1 == 1 { sum += lights[at] }
        sum /= Float(max(pattern.nonzeroBitCount, 1))
        return PackedPixel(linear: SIMD3(sum.x, sum.y, sum.z))
    }

    /// The upper, left, lower and right half of two by two sub-pixels.
    private static let halves = [0b0011, 0b0101, 0b1100, 0b1010]

    /// Returns the upper or the left half: the one whose sum is further from the mean.
    private static func bestHalf(of values: Vectors) -> Int {
        let (upper, left) = (values[0] + values[1], values[0] + values[2])
        return (left * left).sum() > (upper * upper).sum() ? halves[1] : halves[0]
    }

    /// Finds the best split; the last sub-pixel is always outside.
    private static func bestSplit(of values: Vectors, _ count: Int) -> Int {
        var weights = InlineArray<8, Float>(repeating: 0)
        for inside in 1..<count { weights[inside] = 1 / Float(inside * (count - inside)) }
        var best = (gain: Float(0), pattern: 0)
        var (sum, pattern) = (SIMD4<Float>.zero, 0)
        // A Gray code: from one pattern to the next, one sub-pixel changes sides.
        for step in 1..<1 << (count - 1) {
            let bit = step.trailingZeroBitCount
            pattern ^= 1 << bit
            sum += pattern >> bit & 1 == 1 ? values[bit] : -values[bit]
            let gain = (sum * sum).sum() * weights[pattern.nonzeroBitCount]
            if gain > best.gain { best = (gain, pattern) }
        }
        return best.pattern
    }
}

/// One row of cells of an image; the image's edge is repeated to whole cells.
struct CellRow {
    let symbols: SymbolSet
    private let image: PixelBuffer
    /// The first row of pixels.
    private let top: Int

    init(_ row: Int, of image: PixelBuffer, _ symbols: SymbolSet) {
        self.symbols = symbols
        self.image = image
        top = row * symbols.height
    }

    /// Returns the pixel of column `x` of the image and row `y` of the cells.
    func pixel(_ x: Int, _ y: Int) -> PackedPixel {
        let (x, y) = (min(x, image.size.width - 1), min(top + y, image.size.height - 1))
        return image.pixel(at: y * image.size.width + x)
    }

    /// Returns a cell's mean in linear light, transparent parts over `backdrop`; `nil` if all of it is transparent.
    func mean(_ column: Int, over backdrop: PackedPixel) -> SIMD3<Float>? {
        var sum = SIMD3<Float>.zero
        var isTransparent = true
        for y in 0..<symbols.height {
            for x in column * symbols.width..<(column + 1) * symbols.width {
                let pixel = pixel(x, y)
                isTransparent = isTransparent && pixel.isTransparent
                sum += pixel.linear(over: backdrop)
            }
        }
        return isTransparent ? nil : sum / Float(symbols.width * symbols.height)
    }
}

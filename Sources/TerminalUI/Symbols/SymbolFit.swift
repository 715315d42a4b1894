internal import SpyglassPixels

/// Splits cells into two sides of one colour with the least squared error in linear light; four cells, one a lane.
///
/// A side's best colour is its mean. Relative to the cell's mean, the sums of both sides are opposite. Let S be the sum
/// of a side's k of n sub-pixels: a split lowers the squared error by |S|² · n / (k · (n - k)). All 2^(n-1) - 1 splits
/// are tried. The splits of half-blocks are among them, so the error never exceeds theirs.
///
/// Transparent sub-pixels are one side; the other side is the mean of the rest.
///
/// An octant's 127 splits cost 60 ns a cell, reading its pixels as much.
struct SymbolFit {
    typealias Lanes = SIMD4<Float>

    /// The sub-pixels inside, never all; none if all are equal.
    private(set) var patterns = SIMD4<UInt32>.zero
    /// The transparent sub-pixels; if any, they are outside and the others inside.
    private(set) var transparent = SIMD4<UInt32>.zero
    /// The colour of the inside, as in `PackedPixel`.
    private(set) var inside = SIMD4<UInt32>.zero
    /// The colour of the outside, as in `PackedPixel`.
    private(set) var outside = SIMD4<UInt32>.zero

    /// Sub-pixels of a cell.
    private let count: Int
    private let width: Int
    private let height: Int
    private let backdrop: PackedPixel
    /// Three planes of `count`: red, green, blue.
    private let light: UnsafeMutablePointer<Lanes>
    /// Three planes of `subsetCount`: the sums of every subset of the first three sub-pixels.
    private let sums: UnsafeMutablePointer<Lanes>
    /// n / (k · (n - k)), by k.
    private let weights: UnsafeMutablePointer<Lanes>

    static let cells = 4
    private static let firstCount = 3
    private static let subsetCount = 1 << firstCount
    private static let maxCount = 8
    /// The number of lanes that a fit needs as memory.
    static let capacity = 3 * maxCount + 3 * subsetCount + maxCount + 1

    init(_ symbols: SymbolSet, over backdrop: PackedPixel, in memory: UnsafeMutablePointer<Lanes>) {
        memory.initialize(repeating: .zero, count: Self.capacity)
        width = symbols.width
        height = symbols.height
        self.backdrop = backdrop
        count = width * height
        light = memory
        sums = light + 3 * Self.maxCount
        weights = sums + 3 * Self.subsetCount
        for k in 1..<count { weights[k] = Lanes(repeating: Float(count) / Float(k * (count - k))) }
    }

    /// Fits up to four cells of a row, from a column on.
    mutating func fit(_ row: CellRow, from column: Int) {
        load(row, from: column)
        let mean = center()
        search()
        // Transparent sub-pixels are outside, whatever the search found.
        let all = SIMD4<UInt32>(repeating: 1 &<< UInt32(count) &- 1)
        patterns.replace(with: all & ~transparent, where: transparent .!= 0)
        color(mean)
    }

    private mutating func load(_ row: CellRow, from column: Int) {
        transparent = .zero
        let values = UnsafeMutableRawPointer(light).assumingMemoryBound(to: Float.self)
        let plane = count &* Self.cells
        lightOfSRGB.withUnsafeBufferPointer { table in
            guard let table = table.baseAddress else { return }
            for lane in 0..<min(Self.cells, row.columns &- column) {
                var at = lane
                for y in 0..<height {
                    for x in 0..<width {
                        let pixel = row.pixel((column &+ lane) &* width &+ x, y)
                        if pixel.isOpaque {
                            values[at] = table[Int(pixel.number & 0xFF)]
                            values[at &+ plane] = table[Int(pixel.number >> 8 & 0xFF)]
                            values[at &+ 2 &* plane] = table[Int(pixel.number >> 16 & 0xFF)]
                        } else {
                            if pixel.isTransparent { transparent[lane] |= 1 &<< UInt32(at / Self.cells) }
                            let light = pixel.linear(over: backdrop) * Float(LinearLight.maximum)
                            values[at] = light.x
                            values[at &+ plane] = light.y
                            values[at &+ 2 &* plane] = light.z
                        }
                        at &+= Self.cells
                    }
                }
            }
        }
    }

    /// Subtracts the mean of each cell, and returns it.
    private func center() -> (red: Lanes, green: Lanes, blue: Lanes) {
        func center(_ plane: UnsafeMutablePointer<Lanes>) -> Lanes {
            var mean = Lanes.zero
            for at in 0..<count { mean += plane[at] }
            mean *= 1 / Float(count)
            for at in 0..<count { plane[at] -= mean }
            return mean
        }
        return (center(light), center(light + count), center(light + 2 * count))
    }

    /// Finds the best split; the last sub-pixel is always outside.
    private mutating func search() {
        for channel in 0..<3 {
            let (values, sums) = (light + channel &* count, sums + channel &* Self.subsetCount)
            for subset in 1..<Self.subsetCount {
                sums[subset] = sums[subset & (subset &- 1)] + values[subset.trailingZeroBitCount]
            }
        }
        var best = Lanes.zero
        var bestPatterns = SIMD4<UInt32>.zero
        var (red, green, blue) = (Lanes.zero, Lanes.zero, Lanes.zero)
        // A Gray code: from one subset of the others to the next, one sub-pixel changes sides.
        var gray = 0
        var weights = weights
        for step in 0..<1 &<< (count &- Self.firstCount &- 1) {
            if step > 0 {
                let bit = step.trailingZeroBitCount
                gray ^= 1 &<< bit
                let value = light + (Self.firstCount &+ bit)
                let change = gray & 1 &<< bit == 0 ? -1 : 1
                weights += change
                let sign = Lanes(repeating: Float(change))
                red += sign * value[0]
                green += sign * value[count]
                blue += sign * value[2 &* count]
            }
            var pattern = SIMD4<UInt32>(repeating: UInt32(truncatingIfNeeded: gray &<< Self.firstCount))
            @inline(__always)
            func attempt(_ subset: Int) {
                let r = red + sums[subset]
                let g = green + sums[Self.subsetCount &+ subset]
                let b = blue + sums[2 &* Self.subsetCount &+ subset]
                let gain = (r * r + g * g + b * b) * weights[subset.nonzeroBitCount]
                let isBetter = gain .> best
                best.replace(with: gain, where: isBetter)
                bestPatterns.replace(with: pattern, where: isBetter)
                pattern &+= 1
            }
            // Unrolled, so that each count is a constant.
            attempt(0); attempt(1); attempt(2); attempt(3); attempt(4); attempt(5); attempt(6); attempt(7)
        }
        patterns = bestPatterns
    }

    /// Sets the mean colours of both sides.
    private mutating func color(_ mean: (red: Lanes, green: Lanes, blue: Lanes)) {
        var (red, green, blue, insideCount) = (Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero)
        for at in 0..<count {
            let isInside = patterns & (1 &<< UInt32(at)) .!= 0
            red += Lanes.zero.replacing(with: light[at], where: isInside)
            green += Lanes.zero.replacing(with: light[count &+ at], where: isInside)
            blue += Lanes.zero.replacing(with: light[2 &* count &+ at], where: isInside)
            insideCount += Lanes.zero.replacing(with: 1, where: isInside)
        }
        let outsideCount = Float(count) - insideCount
        // A side without sub-pixels has a sum of 0.
        let insideShare = 1 / insideCount.replacing(with: 1, where: insideCount .== 0)
        let outsideShare = 1 / outsideCount.replacing(with: 1, where: outsideCount .== 0)
        inside = Self.pixels(
            mean.red + red * insideShare, mean.green + green * insideShare, mean.blue + blue * insideShare)
        outside = Self.pixels(
            mean.red - red * outsideShare, mean.green - green * outsideShare, mean.blue - blue * outsideShare)
    }

    private static func pixels(_ red: Lanes, _ green: Lanes, _ blue: Lanes) -> SIMD4<UInt32> {
        func channel(_ light: Lanes) -> SIMD4<UInt32> {
            // Added to 2^23, light has no bits below 1, and is the low bits of the sum.
            LinearLight.sRGB(unsafeBitCast(light + 0x80_0000, to: SIMD4<UInt32>.self) & 0xFFFF)
        }
        return channel(red) | channel(green) &<< 8 | channel(blue) &<< 16 | 0xFF00_0000
    }
}

/// The light of each sRGB byte.
private let lightOfSRGB: [Float] = LinearLight.ofSRGB.map { Float($0) }

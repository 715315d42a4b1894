internal import Glibc

/// A copy of an image of 32 x 32 pixels, in which a crop looks for the part to keep.
///
/// libvips, too, scales both sides to 32: with 64 fewer windows overlap its windows by half, and a finer one costs more.
/// Attention is scored as in libvips 8.14 (`vips_smartcrop`), which has its model of skin from smartcrop.js: edges, a hue
/// near skin and a* of CIELAB are added, and blurred by a tenth of the window. Points and windows are in fractions of the
/// image's sides.
struct FocusMap {
    private static let side = 32
    /// CIE XYZ from 0 to 100, by rows.
    private let colors: [SIMD3<Float>]

    /// Takes an image of at most 2^29 pixels: the sums of more would overflow.
    init(_ image: PixelBuffer) {
        let columns = Self.ranges(image.size.width)
        colors = Self.ranges(image.size.height).flatMap { rows in
            columns.map { columns in
                var sum = SIMD3<UInt32>()
                for y in rows {
                    for x in columns {
                        let pixel = image[x, y]
                        sum &+= SIMD3(UInt32(pixel.red), UInt32(pixel.green), UInt32(pixel.blue))
                    }
                }
                return Self.xyz(sum / UInt32(rows.count * columns.count))
            }
        }
    }

    /// The pixels of each cell along a side; a short side has pixels in several cells.
    private static func ranges(_ length: Int) -> [Range<Int>] {
        (0..<side).map { $0 * length / side..<max(($0 + 1) * length / side, $0 * length / side + 1) }
    }

    /// IEC 61966-2-1.
    private static func xyz(_ color: SIMD3<UInt32>) -> SIMD3<Float> {
        func light(_ value: UInt32) -> Float { Float(LinearLight.ofSRGB[Int(value)]) / Float(LinearLight.maximum) }
        return SIMD3(41.24, 21.26, 1.93) * light(color.x) + SIMD3(35.76, 71.52, 11.92) * light(color.y)
            + SIMD3(18.05, 7.22, 95.05) * light(color.z)
    }

    // MARK: Attention

    /// Returns the point that draws the eye; `window` decides how much around a point counts.
    func attention(_ window: (x: Double, y: Double)) -> (x: Double, y: Double) {
        let sigma = (window.x * window.x + window.y * window.y).squareRoot() * Double(Self.side) / 10
        let weights = Self.gaussian(Float(sigma))
        let scores = Self.blurredDown(Self.transposed(Self.blurredDown(Self.transposed(self.scores), weights)), weights)
        // The nearest to the middle wins a tie.
        func distance(_ at: Int) -> Int { abs(at % Self.side - Self.side / 2) + abs(at / Self.side - Self.side / 2) }
        let best = scores.indices.max { (scores[$0], -distance($0)) < (scores[$1], -distance($1)) } ?? 0
        func center(_ cell: Int) -> Double { (Double(cell) + 0.5) / Double(Self.side) }
        return (center(best % Self.side), center(best / Self.side))
    }

    private var scores: [Float] {
        let side = Self.side
        return (0..<side * side).map { at in
            let (x, y) = (at % side, at / side)
            let neighbors =
                colors[x > 0 ? at - 1 : at].y + colors[x < side - 1 ? at + 1 : at].y
                + colors[y > 0 ? at - side : at].y + colors[y < side - 1 ? at + side : at].y
            return 5 * abs(4 * colors[at].y - neighbors) + Self.colorScore(colors[at])
        }
    }

    private static let skin = SIMD3<Float>(0.78, 0.57, 0.44)
    /// Darker colours have no hue to judge.
    private static let darkest: Float = 5

    private static func colorScore(_ color: SIMD3<Float>) -> Float {
        guard color.y > darkest else { return 0 }
        let difference = color / (color * color).sum().squareRoot() - skin
        let a = 500 * (cbrtf(color.x / 95.047) - cbrtf(color.y / 100))
        return 100 - 100 * (difference * difference).sum().squareRoot() + a
    }

    private static func gaussian(_ sigma: Float) -> [Float] {
        // As far as the curve is above a fifth.
        let radius = Int(sigma * 1.8)
        let curve = (-radius...radius).map { expf(-Float($0 * $0) / (2 * sigma * sigma)) }
        let sum = curve.reduce(0, +)
        return curve.map { $0 / sum }
    }

    private static func blurredDown(_ values: [Float], _ weights: [Float]) -> [Float] {
        values.indices.map { at in
            weights.indices.reduce(Float(0)) { sum, tap in
                let row = min(max(at / side + tap - weights.count / 2, 0), side - 1)
                return sum + values[row * side + at % side] * weights[tap]
            }
        }
    }

    private static func transposed(_ values: [Float]) -> [Float] {
        values.indices.map { values[$0 % side * side + $0 / side] }
    }

    // MARK: Entropy

    /// Returns the centre of the window with the most varied brightness: of all columns first, then of the rows in them.
    func entropy(_ window: (x: Double, y: Double)) -> (x: Double, y: Double) {
        let columns = mostVaried(window.x) { column, line in line * Self.side + column }
        let rows = mostVaried(window.y, within: columns) { row, line in row * Self.side + line }
        func center(_ cells: Range<Int>) -> Double {
            Double(cells.lowerBound + cells.upperBound) / Double(2 * Self.side)
        }
        return (center(columns), center(rows))
    }

    private func mostVaried(
        _ share: Double, within others: Range<Int> = 0..<side, cell: (_ place: Int, _ other: Int) -> Int
    ) -> Range<Int> {
        let count = min(max(Int((share * Double(Self.side)).rounded()), 1), Self.side)
        let levels = (0..<Self.side).map { place in others.map { Self.level(colors[cell(place, $0)].y) } }
        var counts = [Int](repeating: 0, count: Self.levels)
        var best = (start: 0, entropy: -Float.infinity)
        for place in 0..<Self.side {
            for level in levels[place] { counts[level] += 1 }
            if place >= count { for level in levels[place - count] { counts[level] -= 1 } }
            guard place >= count - 1 else { continue }
            // All windows have as many cells, so what differs between their entropies is this sum.
            let entropy = counts.reduce(Float(0)) { $1 > 0 ? $0 - Float($1) * log2f(Float($1)) : $0 }
            if entropy > best.entropy { best = (place - count + 1, entropy) }
        }
        return best.start..<best.start + count
    }

    private static let levels = 32
    /// Steps of equal lightness, nearly.
    private static func level(_ y: Float) -> Int { min(Int((y / 100).squareRoot() * Float(levels)), levels - 1) }
}

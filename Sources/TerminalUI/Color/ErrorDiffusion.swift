internal import SpyglassPixels

/// Draws images in the colours of a palette, so that the errors of neighbouring cells cancel out.
///
///     var diffusion = ErrorDiffusion(SymbolSet.octant.grid, NearestColor(.palette16, forAverages: true), carries: true, over: backdrop)
///     let drawn = diffusion.image(of: pixels)
///
/// Floyd and Steinberg's error diffusion ("An Adaptive Algorithm for Spatial Greyscale", 1976) in linear light. It walks
/// rows of cells in alternating directions. The weights are 4/8 to the next cell, 3/8 down and 1/8 diagonally back: of
/// those measured, the nearest from a distance.
///
/// A cell of several sub-pixels gets two colours. Candidates are the colours nearest to a sub-pixel, and those that a
/// diffusion within the cell chooses. The pair with the least error of the cell's mean wins; errors of sub-pixels have
/// less weight. The mean decides how many sub-pixels get the second colour: those most like it. A checkerboard decides
/// between equal sub-pixels.
///
/// Transparent pixels stay transparent and end an error. A cell with transparent or missing pixels gets one colour. Equal
/// pixels and palettes give equal results.
struct ErrorDiffusion: Sendable {
    private let grid: PixelSize
    private var nearest: NearestColor
    private let levels = DiffusionLevels()
    private let isSolid: Bool
    private let carries: Bool
    private let backdrop: PackedPixel
    /// The sub-pixels of a cell: one half of the checkerboard, then the other.
    private let places: [(x: Int, y: Int)]

    /// Divides images into cells of `grid` sub-pixels: of one colour if `isSolid`, else of two.
    ///
    /// Without `carries` each cell is independent of its neighbours.
    init(
        _ grid: PixelSize, _ nearest: NearestColor, isSolid: Bool = false, carries: Bool, over backdrop: PackedPixel
    ) {
        self.grid = grid
        self.nearest = nearest
        self.isSolid = isSolid || grid.pixelCount == 1
        self.carries = carries
        self.backdrop = backdrop
        let all = (0..<grid.height).flatMap { y in (0..<grid.width).map { x in (x: x, y: y) } }
        places = all.filter { ($0.x + $0.y) % 2 == 0 } + all.filter { ($0.x + $0.y) % 2 == 1 }
    }

    /// Draws an image in the colours of a palette: opaque, or transparent where the image is.
    mutating func image(of image: PixelBuffer) -> PixelBuffer {
        let columns = (image.size.width + grid.width - 1) / grid.width
        var drawn = [UInt8](repeating: 0, count: image.bytes.count)
        // A margin on both sides takes the errors that leave the image.
        let none = [SIMD4<Float>](repeating: .zero, count: columns + 2)
        var errors = none
        for row in 0..<(image.size.height + grid.height - 1) / grid.height {
            var below = none
            let step = row % 2 == 0 ? 1 : -1
            for index in 0..<columns {
                let column = step > 0 ? index : columns - 1 - index
                let cell = cell(column, row, image, errors[column + 1])
                guard cell.count > 0 else { continue }
                let isOneColor = isSolid || cell.count < places.count
                let pair = isOneColor ? cell.oneColor(&nearest, levels) : cell.twoColors(&nearest, levels)
                cell.draw(pair, nearest.colors, to: &drawn)
                guard carries else { continue }
                let error = cell.mean - pair.mean
                errors[column + 1 + step] += error * (1 / 2)
                below[column + 1 - step] += error * (1 / 8)
                below[column + 1] += error * (3 / 8)
            }
            errors = below
        }
        return PixelBuffer(size: image.size, bytes: drawn)
    }

    private func cell(_ column: Int, _ row: Int, _ image: PixelBuffer, _ error: SIMD4<Float>) -> DiffusedCell {
        var cell = DiffusedCell()
        for place in places {
            let (x, y) = (column * grid.width + place.x, row * grid.height + place.y)
            guard x < image.size.width, y < image.size.height else { continue }
            let index = y * image.size.width + x
            let pixel = image.pixel(at: index)
            if !pixel.isTransparent { cell.append(SIMD4(pixel.linear(over: backdrop), 0), error, at: index) }
        }
        return cell
    }
}

/// Two colours of a palette, and the number of sub-pixels with the second one.
private struct ColorPair {
    let first: Int
    let second: Int
    let secondCount: Int
    /// The cell's average colour, in linear light.
    let mean: SIMD4<Float>
}

/// The visible sub-pixels of one cell, in linear light with the errors of its neighbours.
private struct DiffusedCell {
    private(set) var count = 0
    private var lights = InlineArray<8, SIMD4<Float>>(repeating: .zero)
    /// Their indexes in the image.
    private var indexes = InlineArray<8, Int>(repeating: 0)
    private var sum = SIMD4<Float>.zero

    /// Errors beyond one unit of light are dropped: with a smaller limit colours fade, with a larger one they smear.
    private static let limits: (lowest: Float, highest: Float) = (-1, 2)
    /// The maximum error on black, and its increase by light: errors of bright neighbours would show on black.
    private static let darkLimit: Float = 0.0006
    private static let limitByLight: Float = 8
    /// The weight of the sub-pixels' errors; that of the mean is 1.
    ///
    /// A larger weight sharpens edges and distorts colours.
    private static let detail: Float = 0.05
    /// The amplitude of the checkerboard, as a share of the difference of both colours.
    private static let amplitude: Float = 0.3

    @inline(__always) private static var lanes: SIMD8<Float> { SIMD8(0, 1, 2, 3, 4, 5, 6, 7) }

    @inline(__always) var mean: SIMD4<Float> { sum / Float(count) }

    @inline(__always)
    private func channel(_ at: Int) -> SIMD8<Float> {
        SIMD8(
            lights[0][at], lights[1][at], lights[2][at], lights[3][at], lights[4][at], lights[5][at], lights[6][at],
            lights[7][at])
    }

    @inline(__always)
    mutating func append(_ light: SIMD4<Float>, _ error: SIMD4<Float>, at index: Int) {
        let limit = Self.darkLimit + Self.limitByLight * Swift.max(light.x, light.y, light.z)
        let kept = error.replacing(with: -limit, where: error .< -limit).replacing(with: limit, where: error .> limit)
        let (lowest, highest) = Self.limits
        let light = (light + kept).replacing(with: lowest, where: light .< lowest)
            .replacing(with: highest, where: light .> highest)
        lights[count] = light
        indexes[count] = index
        sum += light
        count &+= 1
    }

    /// The colour nearest to the mean.
    @inline(__always)
    func oneColor(_ nearest: inout NearestColor, _ levels: DiffusionLevels) -> ColorPair {
        let position = nearest.position(of: mean, levels)
        return ColorPair(first: position, second: position, secondCount: 0, mean: nearest.colors[position].light)
    }

    /// The pair of candidates with the least error.
    func twoColors(_ nearest: inout NearestColor, _ levels: DiffusionLevels) -> ColorPair {
        let candidates = candidates(&nearest, levels)
        guard candidates.count > 1 else { return oneColor(&nearest, levels) }
        let colors = nearest.colors
        var errors = InlineArray<8, SIMD8<Float>>(repeating: .zero)
        if candidates.count > 2 {
            let (red, green, blue) = (Self.roots(channel(0)), Self.roots(channel(1)), Self.roots(channel(2)))
            let isUnused = Self.lanes .>= Float(count)
            for at in 0..<candidates.count {
                let roots = colors[candidates[at]].roots
                let (r, g, b) = (red - roots.x, green - roots.y, blue - roots.z)
                errors[at] = (r * r + g * g + b * b).replacing(with: 0, where: isUnused)
            }
        }
        let (mean, share) = (mean, 1 / Float(count))
        let roots = mean.replacing(with: 0, where: mean .< 0).squareRoot()
        var best: ColorPair?
        var leastCost = Float.infinity
        for one in 0..<candidates.count {
            let light = colors[candidates[one]].light
            for other in one + 1..<candidates.count {
                let difference = colors[candidates[other]].light - light
                // Two colours of a terminal may be equal.
                let length = max((difference * difference).sum(), .leastNormalMagnitude)
                let part = min(max(((mean - light) * difference).sum() / length, 0), 1)
                let secondCount = Int(part * Float(count) + 0.5)
                let mixed = light + difference * (Float(secondCount) * share)
                let error = mixed.squareRoot() - roots
                var detail = errors[one]
                detail.replace(with: errors[other], where: errors[other] .< detail)
                let cost = (error * error).sum() + detail.sum() * share * Self.detail
                guard cost < leastCost else { continue }
                leastCost = cost
                best = ColorPair(
                    first: candidates[one], second: candidates[other], secondCount: secondCount, mean: mixed)
            }
        }
        return best ?? oneColor(&nearest, levels)
    }

    @inline(__always)
    private static func roots(_ light: SIMD8<Float>) -> SIMD8<Float> {
        light.replacing(with: 0, where: light .< 0).squareRoot()
    }

    /// Up to eight positions in the palette, without repetition.
    private func candidates(_ nearest: inout NearestColor, _ levels: DiffusionLevels) -> [Int] {
        var candidates: [Int] = []
        candidates.reserveCapacity(8)
        func insert(_ position: Int) {
            if candidates.count < 8, !candidates.contains(position) { candidates.append(position) }
        }
        var error = SIMD4<Float>.zero
        for lane in 0..<count {
            let light = lights[lane] + error
            let position = nearest.position(of: light, levels)
            error = light - nearest.colors[position].light
            insert(position)
        }
        for lane in 0..<count { insert(nearest.position(of: lights[lane], levels)) }
        return candidates
    }

    /// Writes the pixels; those most like the second colour get it.
    @inline(__always)
    func draw(_ pair: ColorPair, _ colors: [PaletteColor], to drawn: inout [UInt8]) {
        let (first, second) = (colors[pair.first], colors[pair.second])
        let difference = second.light - first.light
        var towards = channel(0) * difference.x + channel(1) * difference.y + channel(2) * difference.z
        towards -= Self.lanes * (Self.amplitude / 8 * (difference * difference).sum())
        towards.replace(with: -.infinity, where: Self.lanes .>= Float(count))
        for lane in 0..<count {
            let isBefore = towards .> towards[lane] .| (towards .== towards[lane] .& Self.lanes .< Float(lane))
            let rank = SIMD8<Int32>.zero.replacing(with: 1, where: isBefore).wrappedSum()
            drawn.set((rank < pair.secondCount ? second : first).pixel, at: indexes[lane])
        }
    }
}

import SpyglassPixels
import Testing

@testable import SpyglassTerminalUI

@Suite("ErrorDiffusion")
struct ErrorDiffusionTests {
    static let depths = [ColorDepth.palette16, .palette256]
    static let grids = [PixelSize(width: 1, height: 1)] + [SymbolSet.quadrant, .sextant, .octant].map(\.grid)

    /// An image with transparent pixels, of a size that divides no cell.
    private static func randomImage(_ generator: inout Seeded) -> PixelBuffer {
        var image = PixelBuffer(size: PixelSize(width: 13, height: 11))
        for y in 0..<11 {
            for x in 0..<13 {
                func channel() -> UInt8 { UInt8.random(in: 0...255, using: &generator) }
                image[x, y] = RGBA(
                    channel(), channel(), channel(), Bool.random(using: &generator) ? 255 : channel() / 64 * 64)
            }
        }
        return image
    }

    private static func flat(_ color: RGBA, _ size: PixelSize) -> PixelBuffer {
        picture(Array(repeating: Array(repeating: color, count: size.width), count: size.height))
    }

    private static func drawn(
        _ image: PixelBuffer, _ depth: ColorDepth, _ grid: PixelSize, isSolid: Bool = false, carries: Bool = true
    ) -> PixelBuffer {
        var diffusion = ErrorDiffusion(
            grid, NearestColor(depth, forAverages: true), isSolid: isSolid, carries: carries,
            over: PackedPixel(RGB(40, 80, 120)))
        return diffusion.image(of: image)
    }

    private static func light(_ pixel: RGBA) -> SIMD3<Double> {
        SIMD3([pixel.red, pixel.green, pixel.blue].map { Double(LinearLight.ofSRGB[Int($0)]) / 65_535 })
    }

    /// The mean of an area in linear light.
    private static func mean(_ image: PixelBuffer, _ left: Int, _ top: Int, _ width: Int, _ height: Int) -> SIMD3<
        Double
    > {
        var sum = SIMD3<Double>.zero
        for y in top..<top + height { for x in left..<left + width { sum += light(image[x, y]) } }
        return sum / Double(width * height)
    }

    @Test("A cell has two colours, or one if some of its pixels are transparent", arguments: depths, grids)
    func twoColors(depth: ColorDepth, grid: PixelSize) {
        var generator = Seeded(1)
        let palette = Set(NearestColor(depth).colors.map(\.pixel.number))
        for isSolid in [false, true] {
            let image = Self.randomImage(&generator)
            let result = Self.drawn(image, depth, grid, isSolid: isSolid)
            for top in stride(from: 0, to: 11, by: grid.height) {
                for left in stride(from: 0, to: 13, by: grid.width) {
                    let places = (top..<min(top + grid.height, 11)).flatMap { y in
                        (left..<min(left + grid.width, 13)).map { y * 13 + $0 }
                    }
                    let visible = places.filter { !image.pixel(at: $0).isTransparent }
                    #expect(visible == places.filter { result.pixel(at: $0).isOpaque })
                    #expect(visible == places.filter { !result.pixel(at: $0).isTransparent })
                    let colors = Set(visible.map { result.pixel(at: $0).number })
                    let maxCount = isSolid || visible.count < grid.pixelCount ? 1 : 2
                    #expect(colors.count <= maxCount && colors.isSubset(of: palette))
                }
            }
        }
    }

    @Test("The mean of a flat colour is kept", arguments: depths, grids)
    func flatColors(depth: ColorDepth, grid: PixelSize) {
        var generator = Seeded(2)
        for _ in 0..<8 {
            func channel() -> UInt8 { UInt8.random(in: 0...255, using: &generator) }
            let image = Self.flat(RGBA(channel(), channel(), channel()), PixelSize(width: 48, height: 48))
            let error = Self.mean(Self.drawn(image, depth, grid), 0, 0, 48, 48) - Self.light(image[0, 0])
            #expect((error * error).sum() < 0.02 * 0.02, "\(image[0, 0])")
        }
    }

    @Test("Means of 4x4 pixels are three times nearer than with nearest colours", arguments: depths)
    func averages(depth: ColorDepth) {
        var image = PixelBuffer(size: PixelSize(width: 48, height: 48))
        for y in 0..<48 {
            for x in 0..<48 { image[x, y] = RGBA(UInt8(x * 5), UInt8(y * 5), UInt8(120 + x - y)) }
        }
        func error(carries: Bool) -> Double {
            let result = Self.drawn(image, depth, Self.grids[0], carries: carries)
            return stride(from: 0, to: 48, by: 4).flatMap { y in
                stride(from: 0, to: 48, by: 4).map { x in
                    let error = Self.mean(result, x, y, 4, 4) - Self.mean(image, x, y, 4, 4)
                    return (error * error).sum().squareRoot()
                }
            }.reduce(0, +)
        }
        #expect(error(carries: true) * 3 < error(carries: false))
    }

    @Test("A colour of the palette stays flat", arguments: depths, grids)
    func paletteColors(depth: ColorDepth, grid: PixelSize) {
        for color in NearestColor(depth).colors {
            let number = color.pixel.number
            func channel(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: number >> shift) }
            let image = Self.flat(RGBA(channel(0), channel(8), channel(16)), PixelSize(width: 8, height: 12))
            #expect(Self.drawn(image, depth, grid) == image)
        }
    }

    @Test("A transparent column ends an error", arguments: depths, grids)
    func transparentColumn(depth: ColorDepth, grid: PixelSize) {
        let left = 2 * grid.width
        func right(of color: RGBA) -> [RGBA] {
            var image = Self.flat(RGBA(70, 90, 110), PixelSize(width: 24, height: 24))
            for y in 0..<24 {
                for x in 0..<left { image[x, y] = color }
                for x in left..<left + grid.width { image[x, y] = RGBA(0, 0, 0, 0) }
            }
            let result = Self.drawn(image, depth, grid)
            return (0..<24).flatMap { y in (left + grid.width..<24).map { result[$0, y] } }
        }
        #expect(right(of: RGBA(250, 200, 30)) == right(of: RGBA(10, 40, 60)))
    }

    @Test("Without carried errors a cell does not depend on the others", arguments: depths, grids)
    func independentCells(depth: ColorDepth, grid: PixelSize) {
        var generator = Seeded(3)
        let size = PixelSize(width: grid.width * 3, height: grid.height * 3)
        var image = PixelBuffer(size: size)
        func channel() -> UInt8 { UInt8.random(in: 0...255, using: &generator) }
        for y in 0..<size.height { for x in 0..<size.width { image[x, y] = RGBA(channel(), channel(), channel()) } }
        var changed = Self.flat(white, size)
        for y in grid.height..<2 * grid.height {
            for x in grid.width..<2 * grid.width { changed[x, y] = image[x, y] }
        }
        let (one, other) = (
            Self.drawn(image, depth, grid, carries: false), Self.drawn(changed, depth, grid, carries: false)
        )
        for y in grid.height..<2 * grid.height {
            for x in grid.width..<2 * grid.width { #expect(one[x, y] == other[x, y]) }
        }
    }

    @Test("The sixteen colours are the terminal's own")
    func ownColors() throws {
        let colors = Dictionary(uniqueKeysWithValues: (0..<16).map { ($0, RGB(UInt8($0 * 16), 0, 0)) })
        let palette = try #require(TerminalPalette(reported: colors))
        var encoder = SymbolEncoder(depth: .palette16, palette: palette)
        #expect(readable(encoder.encode(picture([[RGBA(210, 0, 0)], [RGBA(30, 0, 0)]]))) == "\\e[95;42m▀\\e[0m\\n\n")
        #expect(TerminalPalette(reported: colors.filter { $0.key != 7 }) == nil)
    }
}

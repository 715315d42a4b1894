import Testing

@testable import SpyglassPixels

@Suite("AreaResampler")
struct AreaResamplerTests {
    @Test("An image at its own size is copied byte for byte", arguments: RowLayout.allCases)
    func identity(layout: RowLayout) {
        let size = PixelSize(width: 16, height: 16)
        let input = Picture(size: size, layout: layout) { x, y, channel in
            channel == layout.channels - 1 && layout.hasAlpha ? 255 : UInt8(y * 16 + x)
        }
        #expect(input.resampled(to: size) == input.buffer)
    }

    @Test("At its own size noise equals the definition, byte for byte", arguments: RowLayout.allCases)
    func transparentIdentity(layout: RowLayout) {
        let size = PixelSize(width: 64, height: 64)
        let input = Picture.noise(size, layout: layout, seed: 11)
        #expect(input.resampled(to: size) == input.modelled(at: size))
    }

    @Test("A truncated image at its own size ends in transparent rows")
    func cutIdentity() {
        var resampler = AreaResampler(
            from: PixelSize(width: 2, height: 3), to: PixelSize(width: 2, height: 3), layout: .gray)
        let row: [UInt8] = [10, 20]
        resampler.add(row.span)
        #expect(resampler.rowsAdded == 1)
        let bytes = resampler.finish().bytes
        #expect(bytes.prefix(8).elementsEqual([10, 10, 10, 255, 20, 20, 20, 255]))
        #expect(bytes.dropFirst(8).allSatisfy { $0 == 0 })
    }

    @Test(
        "Every ratio equals the definition in floating point",
        arguments: RowLayout.allCases,
        [(7, 5, 3, 2), (100, 60, 7, 9), (33, 27, 32, 26), (5, 3, 11, 8), (64, 64, 8, 8), (1, 1, 4, 4), (300, 1, 7, 1)])
    func definition(layout: RowLayout, sides: (Int, Int, Int, Int)) {
        let target = PixelSize(width: sides.2, height: sides.3)
        let input = Picture.noise(PixelSize(width: sides.0, height: sides.1), layout: layout, seed: 7)
        expectClose(input.resampled(to: target), input.modelled(at: target))
    }

    @Test("Black and white average to half the light, 188 and not 128")
    func linearLight() {
        let input = Picture(size: PixelSize(width: 2, height: 1), layout: .gray) { x, _, _ in x == 0 ? 0 : 255 }
        #expect(input.resampled(to: PixelSize(width: 1, height: 1))[0, 0] == RGBA(188, 188, 188))
    }

    @Test("The colour of a transparent pixel does not leak into its neighbours")
    func premultiplied() {
        let input = Picture(size: PixelSize(width: 2, height: 1), layout: .rgba) { x, _, channel in
            x == 0 ? [255, 0, 0, 0][channel] : [0, 0, 255, 255][channel]
        }
        #expect(input.resampled(to: PixelSize(width: 1, height: 1))[0, 0] == RGBA(0, 0, 255, 128))
    }

    @Test("A curve with exponent 1 is averaged without conversion")
    func gamma() {
        let input = Picture(size: PixelSize(width: 2, height: 1), layout: .gray) { x, _, _ in x == 0 ? 0 : 255 }
        let half = input.resampled(to: PixelSize(width: 1, height: 1), transfer: .gamma(1))
        #expect(half[0, 0] == RGBA(188, 188, 188))
        let grey = Picture(size: PixelSize(width: 1, height: 1), layout: .gray) { _, _, _ in 128 }
        #expect(grey.resampled(to: grey.size, transfer: .gamma(1))[0, 0] == RGBA(188, 188, 188))
    }

    @Test("Missing rows are transparent, and a partial row averages what arrived")
    func cut() {
        let size = PixelSize(width: 4, height: 10)
        let input = Picture(size: size, layout: .rgb) { _, _, _ in 200 }
        let half = input.resampled(to: PixelSize(width: 2, height: 5), rows: 5)
        #expect((0..<3).allSatisfy { half[0, $0] == RGBA(200, 200, 200) })
        #expect((3..<5).allSatisfy { half[0, $0] == RGBA(0, 0, 0, 0) })
        #expect(
            input.resampled(to: PixelSize(width: 2, height: 5), rows: 0)
                == PixelBuffer(size: PixelSize(width: 2, height: 5)))
    }

    @Test("Rows beyond the last are ignored")
    func surplus() {
        let size = PixelSize(width: 2, height: 2)
        let row: [UInt8] = [9, 9]
        var resampler = AreaResampler(from: size, to: size, layout: .gray)
        for _ in 0..<5 { resampler.add(row.span) }
        #expect(resampler.rowsAdded == 2)
        #expect(resampler.finish().isOpaque)
    }

    @Test(
        "A scaled pixel counts as the pixels it replaces, the last as the rest",
        arguments: [2, 4, 8])
    func step(step: Int) {
        // Blocks of one colour, so that reducing them first loses nothing.
        for source in [
            PixelSize(width: 65, height: 41), PixelSize(width: 71, height: 47), PixelSize(width: 64, height: 40),
        ] {
            let small = Picture.noise(
                PixelSize(width: (source.width + step - 1) / step, height: (source.height + step - 1) / step),
                layout: .rgb, seed: 5)
            let full = Picture(size: source, layout: .rgb) { x, y, channel in small.pixel(x / step, y / step)[channel] }
            let target = PixelSize(width: 7, height: 5)
            var resampler = AreaResampler(from: source, to: target, layout: .rgb, step: step)
            for y in 0..<small.size.height {
                let row = (0..<small.size.width).flatMap { small.pixel($0, y) }
                resampler.add(row.span)
            }
            expectClose(resampler.finish(), full.resampled(to: target), tolerance: 0)
        }
    }

    @Test("An exponent that is not a number counts as 0")
    func strangeCurve() {
        let input = Picture(size: PixelSize(width: 1, height: 1), layout: .gray) { _, _, _ in 9 }
        #expect(input.resampled(to: input.size, transfer: .gamma(.nan))[0, 0] == RGBA(255, 255, 255))
    }

    @Test("White stays white at the widest side that the default limits allow")
    func widest() {
        let size = PixelSize(width: 65_535, height: 3)
        let row = [UInt8](repeating: 255, count: size.width)
        var resampler = AreaResampler(from: size, to: PixelSize(width: 3, height: 1), layout: .gray)
        for _ in 0..<3 { resampler.add(row.span) }
        #expect(resampler.finish().bytes.allSatisfy { $0 == 255 })
    }
}

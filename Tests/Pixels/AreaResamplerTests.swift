import Testing

@testable import SpyglassPixels

@Suite("RowResampler")
struct RowResamplerTests {
    private static let gray = RGBA(200, 200, 200)

    @Test("An image at its own size is copied byte for byte", arguments: RowLayout.allCases, ResampleFilter.allCases)
    func identity(layout: RowLayout, filter: ResampleFilter) {
        let size = PixelSize(width: 16, height: 16)
        let input = Picture(size: size, layout: layout) { x, y, channel in
            channel == layout.channels - 1 && layout.hasAlpha ? 255 : UInt8(y * 16 + x)
        }
        #expect(input.resampled(to: size, filter) == input.buffer)
    }

    @Test("Missing rows are transparent, and the others are unaffected", arguments: ResampleFilter.allCases)
    func cut(filter: ResampleFilter) {
        let input = Picture(size: PixelSize(width: 8, height: 80), layout: .rgb) { _, _, _ in 200 }
        let half = input.resampled(to: PixelSize(width: 4, height: 20), filter, rows: 40)
        #expect((0..<10).allSatisfy { half[0, $0] == Self.gray })
        #expect((11..<20).allSatisfy { half[0, $0] == RGBA(0, 0, 0, 0) })
        // A partial row is the mean of what arrived.
        let more = input.resampled(to: PixelSize(width: 4, height: 20), rows: 42)
        #expect(more[0, 10] == Self.gray && more[0, 11] == RGBA(0, 0, 0, 0))
        let none = PixelSize(width: 3, height: 3)
        #expect(input.resampled(to: none, filter, rows: 0) == PixelBuffer(size: none))
    }

    @Test(
        "A row from part of its rows is as light as from all of them", arguments: [40, 27, 20, 16, 7],
        ResampleFilter.allCases)
    func partialRows(_ height: Int, filter: ResampleFilter) {
        let input = Picture(size: PixelSize(width: 4, height: 40), layout: .rgb) { _, _, _ in 200 }
        for rows in 1..<40 {
            let cut = input.resampled(to: PixelSize(width: 4, height: height), filter, rows: rows)
            let isLight = (0..<height).allSatisfy { cut[0, $0].alpha == 0 || cut[0, $0] == Self.gray }
            #expect(isLight, "\(rows)")
        }
    }

    @Test("Rows beyond the last are ignored", arguments: ResampleFilter.allCases, [1, 2])
    func surplus(filter: ResampleFilter, side: Int) {
        let target = PixelSize(width: side, height: side)
        let input = Picture(size: PixelSize(width: 2, height: 5), layout: .gray) { _, _, _ in 9 }
        let picture = input.resampled(to: target, filter, from: PixelSize(width: 2, height: 2))
        #expect(picture == Picture(size: target, layout: .gray) { _, _, _ in 9 }.buffer)
    }

    @Test("A curve with exponent 1 is used without conversion", arguments: ResampleFilter.allCases)
    func gamma(filter: ResampleFilter) {
        let gray = Picture(size: PixelSize(width: 3, height: 3), layout: .gray) { _, _, _ in 128 }
        let picture = gray.resampled(to: PixelSize(width: 1, height: 1), filter, transfer: .gamma(1))
        #expect(picture[0, 0] == RGBA(188, 188, 188))
    }

    @Test("White stays white at the widest side that the default limits allow", arguments: ResampleFilter.allCases)
    func widest(filter: ResampleFilter) {
        let input = Picture(size: PixelSize(width: 65_535, height: 3), layout: .gray) { _, _, _ in 255 }
        let picture = input.resampled(to: PixelSize(width: 3, height: 1), filter)
        #expect(picture.bytes.allSatisfy { $0 == 255 })
    }
}

@Suite("AreaResampler")
struct AreaResamplerTests {
    @Test("At its own size noise equals the definition, byte for byte", arguments: RowLayout.allCases)
    func transparentIdentity(layout: RowLayout) {
        let size = PixelSize(width: 64, height: 64)
        let input = Picture.noise(size, layout: layout, seed: 11)
        #expect(input.resampled(to: size) == input.modelled(at: size))
    }

    @Test("A truncated image at its own size ends in transparent rows")
    func cutIdentity() {
        let input = Picture(size: PixelSize(width: 2, height: 3), layout: .gray) { x, _, _ in UInt8(10 + 10 * x) }
        let bytes = input.resampled(to: input.size, rows: 1).bytes
        #expect(bytes == [10, 10, 10, 255, 20, 20, 20, 255] + [UInt8](repeating: 0, count: 16))
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
            #expect(small.resampled(to: target, from: source, step: step) == full.resampled(to: target))
        }
    }

    @Test("An exponent that is not a number counts as 0")
    func strangeCurve() {
        let input = Picture(size: PixelSize(width: 1, height: 1), layout: .gray) { _, _, _ in 9 }
        #expect(input.resampled(to: input.size, transfer: .gamma(.nan))[0, 0] == RGBA(255, 255, 255))
    }
}

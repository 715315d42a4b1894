import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("Sixel")
struct SixelTests {
    /// Encodes and reads; checks that nothing is a fault.
    private func drawn(_ image: PixelBuffer, over background: RGB = .black) -> SixelPicture {
        let picture = SixelPicture(reading: SixelImage(image, over: background).drawing())
        #expect(picture.faults == [] && picture.width == image.size.width && picture.height == image.size.height)
        return picture
    }

    @Test("A part has the pixels of the whole image, cut at a band above its last row")
    func parts() {
        let image = image(40, 32) { x, y in RGBA(UInt8(x * 6), UInt8(y * 8), 90, x == 20 ? 0 : 255) }
        let whole = drawn(image)
        let indexed = SixelImage(image, over: .black)
        for (x, y, width, height, shown) in [
            (0, 0, 40, 20, 18), (0, 10, 40, 22, 22), (7, 5, 20, 13, 12), (0, 20, 40, 12, 12),
        ] {
            let area = PixelArea(x: x, y: y, size: PixelSize(width: width, height: height))
            let part = SixelPicture(reading: indexed.drawing(area))
            #expect(part.faults == [] && part.width == width && part.height == shown)
            let pixels = (y..<y + shown).flatMap { row in
                let start = (row * 40 + x) * 4
                return whole.pixels[start..<start + width * 4]
            }
            #expect(part.pixels == pixels)
        }
        #expect(indexed.drawing(PixelArea(x: 0, y: 0, size: PixelSize(width: 40, height: 5))).isEmpty)
    }

    private func image(_ width: Int, _ height: Int, _ color: (Int, Int) -> RGBA) -> PixelBuffer {
        var image = PixelBuffer(size: PixelSize(width: width, height: height))
        for y in 0..<height { for x in 0..<width { image[x, y] = color(x, y) } }
        return image
    }

    /// Colours that a percentage tells exactly, and neighbours of which none are alike.
    private func exact(_ x: Int, _ y: Int) -> RGBA {
        let levels: [UInt8] = [0, 51, 102, 153, 204, 255]
        return RGBA(levels[(x + y) % 6], levels[x / 2 % 6], levels[(x * 3 + y / 2) % 6])
    }

    @Test("An image of few colours is exact, at any size", arguments: [1, 2, 5, 6, 7, 12, 97])
    func fewColors(height: Int) {
        for width in [1, 3, 64, 301] {
            let image = image(width, height, exact)
            #expect(drawn(image).pixels == image.bytes)
        }
    }

    @Test("A single colour takes one register, and a run for each band")
    func solid() {
        let bytes = SixelImage(image(400, 12) { _, _ in RGBA(255, 0, 0) }, over: .black).drawing()
        #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}P0;1q\"1;1;400;12#0;2;100;0;0#0!400~-#0!400~\u{1B}\\")
    }

    @Test("Colours between percentages stay even: their error is not diffused")
    func even() {
        let picture = drawn(image(200, 60) { x, _ in x < 100 ? RGBA(129, 3, 250) : RGBA(7, 200, 90) })
        #expect(picture.registers.count == 2)
        let first = picture.pixels.prefix(4)
        #expect((0..<100).allSatisfy { picture.pixels[$0 * 4..<$0 * 4 + 4].elementsEqual(first) })
    }

    @Test("Transparent pixels stay unset; translucent ones are blended")
    func transparency() {
        let image = image(40, 13) { x, y in
            (x + y) % 3 == 0 ? RGBA(0, 0, 0, 0) : RGBA(255, 255, 255, x < 20 ? 255 : 128)
        }
        let picture = drawn(image, over: RGB(255, 0, 0))
        for (x, y) in [(0, 0), (21, 12), (39, 0)] { #expect(picture.pixels[(y * 40 + x) * 4 + 3] == 0) }
        #expect(Array(picture.pixels[4..<8]) == [255, 255, 255, 255])
        let blended = picture.pixels[22 * 4..<22 * 4 + 4]
        #expect(blended.first == 255 && (180...195).contains(blended[blended.startIndex + 1]))
        // An image without visible pixels draws nothing.
        #expect(drawn(PixelBuffer(size: image.size)).pixels.allSatisfy { $0 == 0 })
    }

    @Test("With transparency at most 255 colours are defined, without it 256", arguments: [true, false])
    func palette(hasHole: Bool) {
        var generator = Seeded(3)
        var image = image(120, 90) { _, _ in
            let bits = generator.next()
            return RGBA(UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255))
        }
        if hasHole { image[7, 7] = RGBA(0, 0, 0, 0) }
        #expect(drawn(image).registers.count == (hasHole ? 255 : 256))
    }

    @Test("A smooth image of many colours is near to the original")
    func quality() {
        let image = image(240, 180) { x, y in RGBA(UInt8(x), UInt8(y), UInt8((x + y) / 2)) }
        let sum = zip(drawn(image).pixels, image.bytes).reduce(0) { sum, pair in
            sum + (Int(pair.0) - Int(pair.1)) * (Int(pair.0) - Int(pair.1))
        }
        // 34.9 dB; img2sixel -q full -d fs reaches 34.4.
        #expect(Double(sum) / Double(3 * image.size.pixelCount) < 21)
    }

    @Test("The mean colour of an area is kept by diffusion")
    func diffusion() {
        let image = image(256, 64) { x, y in RGBA(UInt8(x), UInt8(255 - x), UInt8(x ^ (y * 4))) }
        let picture = drawn(image)
        for left in stride(from: 0, to: 256, by: 32) {
            for channel in 0..<3 {
                let sums = (0..<32 * 64).reduce((0, 0)) { sums, at in
                    let offset = ((at / 32) * 256 + left + at % 32) * 4 + channel
                    return (sums.0 + Int(picture.pixels[offset]), sums.1 + Int(image.bytes[offset]))
                }
                #expect(abs(sums.0 - sums.1) < 3 * 32 * 64)
            }
        }
    }

    @Test("A picture covers whole bands")
    func covered() {
        #expect([13, 12].map { Sixel.covered(PixelSize(width: 9, height: $0)).height } == [18, 12])
    }

    @Test("Pictures of the greatest width are drawn whole")
    func wide() {
        let image = image(Sixel.maxSide, 2) { x, _ in x == Sixel.maxSide - 1 ? RGBA(255, 255, 255) : RGBA(0, 0, 255) }
        #expect(drawn(image).pixels == image.bytes)
    }
}

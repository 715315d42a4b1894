import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("ICODecoding")
struct ICODecodingTests {
    private let decoder = ImageDecoder()

    private func number(_ value: Int, _ count: Int) -> [UInt8] { [UInt8](value, bytes: count, isBigEndian: false) }

    /// An icon of images with a stated side and number of bits.
    private func icon(_ images: [(side: Int, bits: Int, bytes: [UInt8])]) -> [UInt8] {
        var (entries, content) = (number(0, 2) + number(1, 2) + number(images.count, 2), [UInt8]())
        for image in images {
            let start = 6 + 16 * images.count + content.count
            entries += [UInt8(image.side % 256), UInt8(image.side % 256), 0, 0] + number(1, 2) + number(image.bits, 2)
            entries += number(image.bytes.count, 4) + number(start, 4)
            content += image.bytes
        }
        return entries + content
    }

    private func bitmap(_ width: Int, _ height: Int, _ bits: Int, colors: Int = 0, _ pixels: [UInt8]) -> [UInt8] {
        number(40, 4) + number(width, 4) + number(2 * height, 4) + number(1, 2) + number(bits, 2)
            + [UInt8](repeating: 0, count: 16) + number(colors, 4) + [0, 0, 0, 0] + pixels
    }

    private func colors(_ bytes: [UInt8]) throws -> [RGBA] {
        let image = try decoder.decode(.bytes(bytes), to: .original)
        #expect(image.info.format == .ico && image.completeness == .complete)
        return image.pixels.colors
    }

    @Test("The largest image is shown, and of equal ones that with most colours")
    func largest() throws {
        let pixel = { (value: UInt8) in self.bitmap(1, 1, 32, [value, value, value, 255]) }
        for images in [
            [(16, 32, pixel(1)), (48, 8, pixel(2)), (32, 32, pixel(3))],
            [(16, 8, pixel(1)), (16, 32, pixel(2)), (16, 4, pixel(3))],
            // The directory may leave out the number of bits.
            [(16, 0, bitmap(1, 1, 24, [1, 1, 1, 0, 0, 0, 0, 0])), (16, 0, pixel(2)), (16, 0, [9, 9])],
            // A side of 0 is one of 256.
            [(255, 32, pixel(1)), (256, 32, pixel(2))],
        ] { #expect(try colors(icon(images)) == [RGBA(2, 2, 2)]) }
    }

    @Test("An image may be a PNG")
    func png() throws {
        let file = PNGFile.gray(width: 2, height: 1) { x, _ in UInt8(100 * x) }
        let plain = try decoder.decode(.bytes(file), to: .original).pixels
        let image = try decoder.decode(.bytes(icon([(16, 32, [9, 9]), (256, 32, file)])), to: .original)
        #expect(image.pixels == plain && image.info.format == .ico)
    }

    @Test("Pixels come from the bottom, with alpha or a mask")
    func masks() throws {
        let none = RGBA(0, 0, 0, 0)
        let deep = bitmap(1, 2, 32, [1, 2, 3, 4, 5, 6, 7, 8])
        let mask: [UInt8] = [0b0100_0000, 0, 0, 0]
        // Older than alpha.
        let old = bitmap(2, 1, 32, [1, 2, 3, 0, 4, 5, 6, 0] + mask)
        let three = bitmap(2, 1, 24, [1, 2, 3, 4, 5, 6, 0, 0] + mask)
        let palette: [UInt8] = [9, 8, 7, 0, 3, 2, 1, 0] + [UInt8](repeating: 0, count: 14 * 4)
        let four = bitmap(2, 1, 4, palette + [0x10, 0, 0, 0] + mask)
        let one = bitmap(2, 1, 1, palette.prefix(8) + [0b1000_0000, 0, 0, 0, 0, 0, 0, 0])
        // Five bits for each colour.
        let words = number(0x7C00, 2) + number(0x83E0, 2) + number(0x7FFF, 2) + [0, 0]
        let sixteen = bitmap(3, 1, 16, words + [0b0010_0000, 0, 0, 0])
        // A palette that is not needed, and colours past 256, are skipped.
        let long = [UInt8](repeating: 7, count: 4 * 300)
        let unused = bitmap(1, 1, 24, colors: 300, long + [1, 2, 3, 0] + [0, 0, 0, 0])
        let eight = bitmap(1, 1, 8, colors: 300, [1, 2, 3, 0] + long.dropLast(4) + [0, 0, 0, 0] + [0, 0, 0, 0])
        for (bits, image, expected) in [
            (32, deep, [RGBA(7, 6, 5, 8), RGBA(3, 2, 1, 4)]), (32, old, [RGBA(3, 2, 1), none]),
            (24, three, [RGBA(3, 2, 1), none]), (4, four, [RGBA(1, 2, 3), none]),
            (1, one, [RGBA(1, 2, 3), RGBA(7, 8, 9)]), (16, sixteen, [RGBA(255, 0, 0), RGBA(0, 255, 0), none]),
            (24, unused, [RGBA(3, 2, 1)]), (8, eight, [RGBA(3, 2, 1)]),
        ] { #expect(try colors(icon([(16, bits, image)])) == expected) }
    }

    @Test("Damage names the format, in a header and in a PNG")
    func damaged() throws {
        #expect(decoder.failure(.bytes([0, 0, 1, 0, 1]))?.description == "corrupt ICO: its header ends early")
        let file = PNGFile.gray(width: 2, height: 1) { x, _ in UInt8(100 * x) }
        let error = try #require(decoder.failure(.bytes(icon([(16, 32, Array(file.prefix(30)))]))))
        #expect(error.description.hasPrefix("corrupt ICO: ") && !error.description.contains("PNG:"))
    }

    @Test("Every truncation gives an error or the rows that are there")
    func truncated() throws {
        let pixels = (0..<4 * 20).map { _ in UInt8(200) }
        let bytes = icon([(16, 32, bitmap(1, 20, 32, pixels))])
        #expect(try cutEverywhere(bytes, at: 4..<bytes.count) == 19)
        #expect(decoder.failure(.bytes(icon([])))?.kind == .corrupt)
        #expect(decoder.failure(.bytes(icon([(16, 7, bitmap(1, 1, 7, []))])))?.kind == .unsupported)
    }
}

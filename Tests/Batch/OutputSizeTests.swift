import SpyglassPixels
import Testing

@testable import SpyglassBatch

@Suite("OutputSize")
struct OutputSizeTests {
    @Test(
        "A size is a square, a box, a width or a height",
        arguments: [
            ("320", "320x320"), ("320x240", "320x240"), ("320x", "320x"), ("x240", "x240"), ("65535", "65535x65535"),
        ])
    func sizes(_ text: String, _ shown: String) {
        #expect(OutputSize(text)?.description == shown)
    }

    @Test(
        "Other texts are rejected",
        arguments: ["", "x", "0", "0x3", "3x0", "-3", "+3", "3X4", "1x2x3", "65536", "٣", "3 x4", "000001"])
    func refused(_ text: String) {
        #expect(OutputSize(text) == nil)
    }

    @Test("A width alone does not limit the height, with any fit")
    func openSides() throws {
        let tall = PixelSize(width: 100, height: 5000)
        let target = try #require(OutputSize("50x")).target(fit: .cover, allowsUpscaling: false)
        #expect(target.size(for: tall) == PixelSize(width: 50, height: 2500))
    }
}

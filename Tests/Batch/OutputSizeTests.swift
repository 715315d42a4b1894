import SpyglassPixels
import Testing

@testable import SpyglassBatch

@Suite("OutputSize")
struct OutputSizeTests {
    @Test(
        "A size is a square, a box, a width, a height or a percentage",
        arguments: [
            ("320", "320x320"), ("320x240", "320x240"), ("320x", "320x"), ("x240", "x240"), ("65535", "65535x65535"),
            ("50%", "50%"), ("1%", "1%"), ("1000%", "1000%"),
        ])
    func sizes(_ text: String, _ shown: String) {
        #expect(OutputSize(text)?.description == shown)
    }

    @Test(
        "Other texts are rejected",
        arguments: [
            "", "x", "0", "0x3", "3x0", "-3", "+3", "3X4", "1x2x3", "65536", "٣", "3 x4", "000001", "%", "0%", "1001%",
            "-5%",
            "+5%", "5.5%", "50%%", "50 %", "50%x", "x50%", "٣%",
        ])
    func refused(_ text: String) {
        #expect(OutputSize(text) == nil)
    }

    @Test("A percentage is one of the source, with any fit; above 100 % it enlarges")
    func percentage() throws {
        let source = PixelSize(width: 301, height: 3)
        let half = try #require(OutputSize("50%"))
        #expect(half.target(fit: .cover, allowsUpscaling: false).size(for: source) == PixelSize(width: 151, height: 2))
        let double = try #require(OutputSize("200%"))
        let large = double.target(fit: .contain, allowsUpscaling: false).size(for: source)
        #expect(large == PixelSize(width: 602, height: 6))
    }

    @Test("A width alone does not limit the height, with any fit")
    func openSides() throws {
        let tall = PixelSize(width: 100, height: 5000)
        let target = try #require(OutputSize("50x")).target(fit: .cover, allowsUpscaling: false)
        #expect(target.size(for: tall) == PixelSize(width: 50, height: 2500))
    }
}

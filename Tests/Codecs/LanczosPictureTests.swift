import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("Lanczos compared with ImageMagick")
struct LanczosPictureTests {
    /// ImageMagick clamps overshoot between its two passes, Spyglass after both.
    @Test(
        "An image equals ImageMagick's up to rounding, except for overshoot",
        arguments: [
            ("png/rgb-8.png", 10, 8), ("png/rgb-8.png", 66, 20), ("png/rgba-8.png", 12, 9), ("png/grey-8.png", 50, 41),
            ("png/grey-alpha-8.png", 17, 20), ("jpeg/large-420.jpg", 40, 30),
        ])
    func whole(file: String, width: Int, height: Int) throws {
        let name = file.split(separator: "/")[1].split(separator: ".")[0]
        let decoder = ImageDecoder()
        let size = PixelSize(width: width, height: height)
        let target = TargetSize(box: size, fit: .fill, allowsUpscaling: true)
        let picture = try decoder.decode(
            .file(TestData.fixture("images/\(file)")), to: [target], filter: .lanczos, isExact: true
        ).pixels
        let expected = try decoder.decode(
            .file(TestData.fixture("images/lanczos/\(name)-\(width)x\(height).png")), to: .original
        ).pixels
        try #require(picture.size == size && expected.size == size)
        let differences = (0..<size.pixelCount).flatMap { index in
            let (one, other) = (picture[index % width, index / width], expected[index % width, index / width])
            // Weighs colours by alpha.
            return [
                abs(Int(one.alpha) - Int(other.alpha)) * 255,
                abs(Int(one.red) * Int(one.alpha) - Int(other.red) * Int(other.alpha)),
                abs(Int(one.green) * Int(one.alpha) - Int(other.green) * Int(other.alpha)),
                abs(Int(one.blue) * Int(one.alpha) - Int(other.blue) * Int(other.alpha)),
            ].map { Double($0) / 255 }
        }
        let mean = differences.reduce(0, +) / Double(differences.count)
        #expect(mean < 1, "\(mean), at the worst \(differences.max() ?? 0)")
        #expect(differences.count { $0 > 1.5 } * 10 < differences.count)
    }
}

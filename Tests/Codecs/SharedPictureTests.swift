import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("Recorded images", .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"))
struct SharedPictureTests {
    private let decoder = ImageDecoder()

    private static func files(_ folder: String) -> [String] {
        let path = "\(TestData.shared ?? "")/images/\(folder)"
        return names(in: path).filter { !$0.hasSuffix(".md") && !$0.hasSuffix(".txt") }.map { "\(path)/\($0)" }
    }

    private func name(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }

    @Test(
        "Every hostile file gives an image or an error, at two sizes",
        arguments: ["jpeg-broken", "jpeg-odd", "png-broken", "apng", "gif", "../libjpeg-turbo"])
    func hostile(folder: String) {
        let files = Self.files("hostile/\(folder)")
        #expect(!files.isEmpty)
        for file in files {
            for target in [TargetSize.box(200, 150), .box(61, 46)] {
                guard let error = decoder.failure(.file(file), to: target) else { continue }
                let isExpected = ![.cancelled, .unreadable, .outOfMemory].contains(error.kind)
                #expect(isOneLine(error.description) && isExpected, "\(file)")
            }
        }
    }

    @Test("An animated PNG gives its default image")
    func animated() throws {
        for file in Self.files("hostile/apng") {
            let image = try decoder.decode(.file(file), to: .original)
            #expect(image.completeness == .complete, "\(file)")
        }
    }

    @Test("PngSuite is complete, except for its damaged files")
    func pngSuite() {
        for file in Self.files("pngsuite") {
            let image = try? decoder.decode(.file(file), to: .original)
            let isDamaged = name(file).hasPrefix("x")
            #expect((image?.completeness == .complete) == !isDamaged, "\(file)")
            #expect(isDamaged || image?.warnings == 0, "\(file)")
        }
    }

    @Test("An interlaced image of PngSuite equals the plain one at two sizes")
    func interlaced() throws {
        let files = Self.files("pngsuite").filter { name($0).hasPrefix("basi") }
        #expect(files.count == 15)
        for file in files {
            let plain = file.replacing("/basi", with: "/basn")
            for target in [TargetSize.original, .box(7, 5), .box(32, 31)] {
                let pixels = try [file, plain].map { try decoder.decode(.file($0), to: target).pixels }
                #expect(pixels[0] == pixels[1], "\(file)")
            }
        }
    }

    @Test("An image is upright for every EXIF orientation", arguments: ["Landscape", "Portrait"])
    func orientation(shape: String) throws {
        let path = { (value: Int) in "\(TestData.shared ?? "")/images/exif-orientation/\(shape)_\(value).jpg" }
        let target = TargetSize.box(12, 12)
        let upright = try decoder.decode(.file(path(1)), to: target)
        for value in 0...8 {
            let image = try decoder.decode(.file(path(value)), to: target)
            #expect(image.info.orientation.rawValue == max(value, 1))
            try #require(image.pixels.size == upright.pixels.size)
            // Each was compressed separately and has its number in the image.
            let differences = zip(image.pixels.bytes, upright.pixels.bytes).map { abs(Int($0) - Int($1)) }
            #expect(differences.reduce(0, +) < 8 * differences.count, "\(value)")
        }
    }

    @Test("Photographs reduced by a DCT scale are close to exact ones")
    func scaled() throws {
        for file in Self.files("nasa") where file.hasSuffix(".jpg") {
            let target = TargetSize.box(60, 60)
            let quick = try decoder.decode(.file(file), to: target)
            let exact = try decoder.decode(.file(file), to: target, isExact: true)
            // 37 dB below 255: the worst measured case of a scale that leaves eight times.
            #expect(quick.pixels.meanSquaredDifference(to: exact.pixels) < 13, "\(file)")
        }
    }
}

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
        // Weighs colours by alpha.
        func weighted(_ pixels: PixelBuffer) -> [Double] {
            pixels.colors.flatMap { color in
                [255, color.red, color.green, color.blue].map { Double($0) * Double(color.alpha) / 255 }
            }
        }
        let differences = zip(weighted(picture), weighted(expected)).map { abs($0 - $1) }
        let mean = differences.reduce(0, +) / Double(differences.count)
        #expect(mean < 1, "\(mean), at the worst \(differences.max() ?? 0)")
        #expect(differences.count { $0 > 1.5 } * 10 < differences.count)
    }
}

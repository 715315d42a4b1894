import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("Decoding a region")
struct RegionTests {
    private let decoder = ImageDecoder()

    private static let wide = names(in: TestData.fixture("images/region"))

    @Test("A region of any fixture is the crop of the whole image", arguments: FixturePicture.all)
    func fixtures(picture: FixturePicture) throws {
        try expectCrops(contents(picture.path), picture.file)
    }

    @Test("A region of any colour fixture is the crop of the whole image")
    func colors() throws {
        let folder = TestData.fixture("color/pictures")
        #expect(!names(in: folder).isEmpty && Self.wide.count >= 9)
        for name in names(in: folder) { try expectCrops(contents("\(folder)/\(name)"), name) }
    }

    @Test("A region of a wider JPEG is the crop of the whole image", arguments: wide)
    func wideFixtures(name: String) throws {
        let file = contents(TestData.fixture("images/region/\(name)"))
        try expectCrops(file, name)
        // Truncated: of a progressive one blocks are smoothed, of others rows are missing.
        for part in [3, 6, 9] { try expectCrops(Array(file[..<(file.count * part / 10)]), "\(part)/10 of \(name)") }
    }

    @Test(
        "A region of an encoded image is the crop of the whole image", arguments: ChromaSubsampling.allCases,
        [false, true])
    func encoded(subsampling: ChromaSubsampling, isProgressive: Bool) throws {
        let options = ImageEncoder.JPEGOptions(isProgressive: isProgressive, subsampling: subsampling)
        let file = try ImageEncoder(.jpeg(options)).encode(.colors(5_000, 331, 203))
        try expectCrops(file, "\(options)")
        try expectCrops(Array(file[..<(file.count / 3)]), "a third of \(options)")
    }

    @Test("A region of a turned image is the crop of the upright one", arguments: Orientation.allCases)
    func turned(orientation: Orientation) throws {
        for picture in FixturePicture.all where picture.expect == "whole" {
            let file = turned(contents(picture.path), orientation)
            let info = try decoder.probe(.bytes(file))
            #expect(info.orientation == orientation, "\(picture.file)")
            try expectCrops(file, picture.file, areas: Self.areas(in: info.size).suffix(2))
        }
        for name in Self.wide {
            try expectCrops(turned(contents(TestData.fixture("images/region/\(name)")), orientation), name)
        }
    }

    @Test(
        "A region of a recorded image is the crop of the whole image",
        .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"),
        arguments: [
            "nasa", "pngsuite", "exif-orientation", "libjpeg-turbo", "hostile/jpeg-broken", "hostile/jpeg-odd",
            "hostile/png-broken", "hostile/apng",
        ])
    func recorded(folder: String) throws {
        let path = "\(TestData.shared ?? "")/images/\(folder)"
        for name in names(in: path) {
            let file = contents("\(path)/\(name)")
            guard let info = try? decoder.probe(.bytes(file)) else { continue }
            try expectCrops(file, name, areas: info.size.pixelCount > 100_000 ? [Self.areas(in: info.size)[5]] : nil)
        }
    }

    @Test("A reduced region of any fixture is the crop of the reduced image", arguments: FixturePicture.all)
    func reduced(picture: FixturePicture) throws {
        let file = contents(picture.path)
        guard let size = try? decoder.probe(.bytes(file)).size else { return }
        for ratio in [2, 3, 5, 8, 9, 12, 16, 24, 40] where ratio <= min(size.width, size.height) {
            // So that every edge of a target pixel is an edge of a stored one.
            let side = PixelSize(width: size.width / ratio, height: size.height / ratio)
            let target = TargetSize(box: side, fit: .fill)
            guard let whole = try? decoder.decode(.bytes(file), to: target).pixels else { return }
            for area in Self.areas(in: side) where isOnGrid(area, of: side, in: size) {
                let target = TargetSize(box: area.size, fit: .fill)
                let part = try decoder.decode(.bytes(file), region: region(area, of: side), to: target)
                expectEqual(part.pixels, whole.cropped(to: area), "\(picture.file) 1/\(ratio) \(area)")
            }
        }
    }

    @Test("A reduced region of a multiple of its size is the crop of the reduced image", arguments: 2...17)
    func reducedExactly(ratio: Int) throws {
        let side = PixelSize(width: 24, height: 18)
        let options = ImageEncoder.JPEGOptions(subsampling: .ratio420)
        let file = try ImageEncoder(.jpeg(options)).encode(.slopes(side.width * ratio, side.height * ratio))
        let whole = try decoder.decode(.bytes(file), to: TargetSize(box: side)).pixels
        for area in Self.areas(in: side) {
            let target = TargetSize(box: area.size, fit: .fill)
            let part = try decoder.decode(.bytes(file), region: region(area, of: side), to: target)
            expectEqual(part.pixels, whole.cropped(to: area), "\(area)")
        }
    }

    @Test("A region is fitted by its own size, and the header is that of the image")
    func target() throws {
        let file = PNGFile.gray(width: 40, height: 30) { x, y in UInt8(x + y) }
        let region = ImageRegion(x: 0.5, y: 0, width: 0.5, height: 1 / 3)
        let image = try decoder.decode(.bytes(file), region: region, to: .box(10, 10))
        #expect(
            [image.pixels.size, image.info.size] == [PixelSize(width: 10, height: 5), PixelSize(width: 40, height: 30)])
        let larger = TargetSize(box: PixelSize(width: 40, height: 40), allowsUpscaling: true)
        #expect(try decoder.decode(.bytes(file), region: region, to: larger).pixels.size.width == 40)
    }

    @Test(
        "A region above the end of a truncated file is complete, others are truncated",
        arguments: ["jpeg/large-420.jpg", "region/arithmetic.jpg", "png/rgb-8.png", "png/palette-4.png"])
    func truncated(name: String) throws {
        let file = contents(TestData.fixture("images/\(name)"))
        let short = EncodedImage.bytes(Array(file[..<(file.count * 3 / 4)]))
        let whole = try decoder.decode(short, to: .original)
        let height = whole.info.size.height
        try #require(whole.rows > 1 && whole.rows < height)
        let above = ImageRegion(x: 0.5, y: 0, width: 0.5, height: Double(whole.rows) / Double(height))
        #expect(try decoder.decode(short, region: above, to: .original).completeness == .complete)
        for y in [0.1, 0.99] {
            let image = try decoder.decode(
                short, region: ImageRegion(x: 0.5, y: y, width: 0.5, height: 1), to: .original)
            #expect(image.completeness == whole.completeness && (y < 0.5 || image.pixels.bytes.allSatisfy { $0 == 0 }))
        }
    }

    @Test("A region of a truncated progressive file is degraded")
    func degraded() throws {
        let file = contents(TestData.fixture("images/jpeg/large-progressive.jpg"))
        let region = ImageRegion(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
        let image = try decoder.decode(.bytes(Array(file[..<(file.count / 2)])), region: region, to: .original)
        #expect(image.completeness == .degraded)
    }

    @Test("Bytes below a region are not decoded")
    func below() throws {
        var file = PNGFile.gray(width: 100, height: 3_000) { x, y in UInt8(truncatingIfNeeded: x &* y) }
        let region = ImageRegion(x: 0, y: 0, width: 1, height: 0.1)
        let expected = try decoder.decode(.bytes(file), region: region, to: .original).pixels
        // The length of the stream's last stored block contradicts its check.
        for at in file.count / 2..<file.count { file[at] = 0x55 }
        let image = try decoder.decode(.bytes(file), region: region, to: .original)
        #expect(image.completeness == .complete && image.pixels == expected)
        #expect(try decoder.decode(.bytes(file), to: .original).completeness != .complete)
    }

    @Test("A decode is cancelled above its region", arguments: ["jpeg/edge-of-1-8.jpg", "png/rgb-8-adam7.png"])
    func cancelled(name: String) throws {
        let file = contents(TestData.fixture("images/\(name)"))
        let region = ImageRegion(x: 0.9, y: 0.9, width: 0.1, height: 0.1)
        var spec = DecodeSpec(.original, isExact: false)
        spec.region = region
        func cancelled(at check: Int) -> (checks: Int, error: CodecError?) {
            cancelling(at: check, file) { (input) throws(CodecError) in _ = try decoder.decode(input, spec) }
        }
        let checks = cancelled(at: .max).checks
        #expect(checks > 1)
        for check in 1...checks { #expect(cancelled(at: check).error == .cancelled) }
    }

    /// Corners, edges, odd offsets and an inner part.
    private static func areas(in size: PixelSize) -> [PixelArea] {
        let (width, height) = (size.width, size.height)
        func area(_ x: Int, _ y: Int, _ columns: Int, _ rows: Int) -> PixelArea {
            let (x, y) = (min(x, width - 1), min(y, height - 1))
            return PixelArea(
                x: x, y: y,
                size: PixelSize(width: min(max(columns, 1), width - x), height: min(max(rows, 1), height - y)))
        }
        return [
            PixelArea(x: 0, y: 0, size: size), area(0, 0, 1, 1), area(width - 1, height - 1, 1, 1),
            area(0, height - 1, width, 1), area(width - 1, 0, 1, height),
            area(width / 2 + 1, height / 2 + 1, width, height),
            area(width / 3 | 1, height / 3 | 1, width / 2, height / 2), area(7, 5, width / 4, height / 3),
            area(width * 2 / 3, height * 3 / 4, 3, 2),
        ]
    }

    private func region(_ area: PixelArea, of size: PixelSize) -> ImageRegion {
        let (width, height) = (Double(size.width), Double(size.height))
        return ImageRegion(
            x: Double(area.x) / width, y: Double(area.y) / height, width: Double(area.size.width) / width,
            height: Double(area.size.height) / height)
    }

    private func isOnGrid(_ area: PixelArea, of target: PixelSize, in size: PixelSize) -> Bool {
        [area.x, area.size.width].allSatisfy { $0 * size.width % target.width == 0 }
            && [area.y, area.size.height].allSatisfy { $0 * size.height % target.height == 0 }
    }

    /// A file that gives no image is left to other tests.
    private func expectCrops(_ file: [UInt8], _ name: String, areas: [PixelArea]? = nil) throws {
        guard let whole = try? decoder.decode(.bytes(file), to: .original) else { return }
        let size = whole.pixels.size
        for area in areas ?? Self.areas(in: size) {
            let region = region(area, of: size)
            let part = try decoder.decode(.bytes(file), region: region, to: .original)
            expectEqual(part.pixels, whole.pixels.cropped(to: area), "\(name) \(area)")
            let isComplete = part.completeness == .complete || whole.completeness != .complete
            #expect(region.area(in: size) == area && part.info == whole.info && isComplete, "\(name) \(area)")
        }
    }

    /// Reports a difference without the pixels.
    private func expectEqual(_ part: PixelBuffer, _ crop: PixelBuffer, _ name: String) {
        let isEqual = part == crop
        #expect(isEqual, "\(name)")
    }

    /// The file with an orientation before any other.
    private func turned(_ file: [UInt8], _ orientation: Orientation) -> [UInt8] {
        let block = ExifBlock.turned(orientation.rawValue)
        if file.starts(with: [0xFF, 0xD8]) {
            return file[..<2] + [UInt8].segment(0xE1, Array("Exif\0\0".utf8) + block) + file[2...]
        }
        return PNGFile.inserting("eXIf", block, in: file)
    }
}

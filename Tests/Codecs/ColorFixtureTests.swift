import Foundation
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

/// A line of `Fixtures/color/manifest.json`; see the README in that folder.
struct ColorPicture: Decodable, Sendable, CustomTestStringConvertible {
    let file: String
    let expected: String
    let by: String
    let tolerance: Int

    var testDescription: String { "\(file), by \(by)" }
    var path: String { ColorFixture.path(file) }

    static let all: [ColorPicture] = {
        let manifest = Data(contents(ColorFixture.path("manifest.json")))
        return (try? JSONDecoder().decode([ColorPicture].self, from: manifest)) ?? []
    }()
}

/// Files in `Fixtures/color`.
enum ColorFixture {
    static func path(_ file: String) -> String { TestData.fixture("color/\(file)") }
    static func profile(_ name: String) -> [UInt8] { contents(path("profiles/\(name).icc")) }
    static func picture(_ name: String) -> [UInt8] { contents(path("pictures/\(name)")) }

    /// A JPEG with these profile segments after its first marker, in place of its own.
    static func jpeg(_ file: String, pieces: [[UInt8]]) -> [UInt8] {
        var bytes = picture(file)
        var at = 2
        while at + 4 < bytes.count, bytes[at + 1] != 0xDA {
            let length = 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
            if bytes[at + 1] == 0xE2 { bytes.removeSubrange(at..<at + length) } else { at += length }
        }
        let segments = pieces.flatMap { [UInt8].segment(0xE2, Array("ICC_PROFILE\0".utf8) + $0) }
        return Array(bytes[..<2]) + segments + bytes[2...]
    }

    /// The segments of a profile, at most `most` bytes each.
    static func pieces(_ profile: [UInt8], most: Int) -> [[UInt8]] {
        let starts = Array(stride(from: 0, to: profile.count, by: most))
        return starts.enumerated().map { index, start in
            [UInt8(index + 1), UInt8(starts.count)] + profile[start..<min(start + most, profile.count)]
        }
    }

    /// Whether lcms2 is installed; conversions need it.
    static let hasLibrary = (try? LCMSLibrary.system.get()) != nil
    static let skips: Comment = "liblcms2.so.2 is missing (Debian: liblcms2-2), so conversions are not tested"
}

@Suite("Images with colour profiles")
struct ColorFixtureTests {
    private let decoder = ImageDecoder()

    @Test("There are images with profiles")
    func manifest() { #expect(ColorPicture.all.count > 15) }

    @Test(
        "An image with a profile equals another program's result",
        .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips), arguments: ColorPicture.all)
    func converted(picture: ColorPicture) throws {
        let image = try decoder.decode(.file(picture.path), to: .original)
        #expect(image.completeness == .complete && image.warnings == 0 && image.colorWarning == nil)
        let bytes = contents(ColorFixture.path(picture.expected))
        try #require(bytes.count == image.pixels.bytes.count)
        let wanted = PixelBuffer(size: image.pixels.size, bytes: bytes)
        #expect(image.pixels.greatestDifference(to: wanted) <= picture.tolerance)
    }

    @Test(
        "Within sRGB, converting after resampling is close to before",
        .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips), arguments: [("p3", 1), ("adobe", 2)])
    func order(profile: String, tolerance: Int) throws {
        let (width, height) = (48, 36)
        var file = PNGFile(width: width, height: height, color: .rgb)
        file.chunk("iCCP", Array("name\0\0".utf8) + PNGFile.zlib(ColorFixture.profile(profile)))
        file.pixels(
            (0..<height).map { y in
                (0..<width).flatMap { x in
                    let value = 20 + (x * x * 31 + y * 97 + x * y * 13) % 200
                    return [UInt8(value), UInt8(10 + value * 9 / 10), UInt8(20 + value * 8 / 10)]
                }
            })
        let bytes = EncodedImage.bytes(file.ended())
        let full = try decoder.decode(bytes, to: .original).pixels
        let size = PixelSize(width: 7, height: 5)
        var resampler = AreaResampler(from: full.size, to: size, layout: .rgba)
        for row in 0..<full.size.height { full.withRow(row) { resampler.add($0) } }
        let wanted = resampler.finish()
        let found = try decoder.decode(bytes, to: TargetSize(box: size, fit: .fill))
        #expect(found.colorWarning == nil && found.pixels.greatestDifference(to: wanted) <= tolerance)
    }

    @Test("All sizes of one image are converted", .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips))
    func severalSizes() throws {
        let file = EncodedImage.bytes(ColorFixture.picture("p3.jpg"))
        let targets = [TargetSize.original, .box(6, 6)]
        let images = try decoder.decode(file, to: targets, isExact: true)
        let alone = try targets.map { try decoder.decode(file, to: $0, isExact: true).pixels }
        #expect(images.colorWarning == nil && images.buffers == alone)
    }

    @Test(
        "A profile in many segments, in any order, is joined",
        .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips), arguments: [1, 7, 65_000])
    func pieces(windowBytes: Int) throws {
        let whole = try decoder.decode(.bytes(ColorFixture.picture("p3.jpg")), to: .original)
        let pieces = ColorFixture.pieces(ColorFixture.profile("p3"), most: 100)
        let file = ColorFixture.jpeg("p3.jpg", pieces: pieces.reversed())
        let image = try ImageDecoder(windowBytes: windowBytes).decode(.bytes(file), to: .original)
        #expect(image.pixels == whole.pixels && image.colorWarning == nil)
    }

    @Test(
        "Inconsistent segments are reported, and the image is decoded",
        arguments: [[0, 1, 3, 4], [0, 1, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5]])
    func wrongPieces(order: [Int]) throws {
        var pieces = ColorFixture.pieces(ColorFixture.profile("p3"), most: 100)
        pieces.append([9, 9, 1, 2, 3])
        let file = ColorFixture.jpeg("p3.jpg", pieces: order.map { pieces[$0] })
        let image = try decoder.decode(.bytes(file), to: .original)
        #expect(
            image.colorWarning == "the colour profile was not applied: its segments are incomplete or contradictory")
        let plain = try decoder.decode(.bytes(ColorFixture.jpeg("p3.jpg", pieces: [])), to: .original)
        #expect(image.pixels == plain.pixels && plain.colorWarning == nil)
        #expect(image.completeness == .complete && image.warnings == 0)
    }

    @Test("A profile of 4 MiB is read, a larger one is ignored")
    func huge() throws {
        for (bytes, reason) in [
            (EmbeddedProfile.maxBytes + 1, "more than 4 MiB"),
            (EmbeddedProfile.maxBytes, "not an ICC profile"),
        ] {
            let pieces = ColorFixture.pieces([UInt8](repeating: 0, count: bytes), most: 65_000)
            let image = try decoder.decode(.bytes(ColorFixture.jpeg("p3.jpg", pieces: pieces)), to: .original)
            #expect(image.colorWarning == "the colour profile was not applied: \(reason)")
        }
    }

    @Test("A profile for other colours than the image's is reported by name")
    func otherColors() throws {
        let cases = [
            ("p3.jpg", "cmyk", "'Tiny Inks' was not applied: for CMYK, but the image is RGB"),
            ("p3.jpg", "gray-gamma", "'Gray Gamma 2.2' was not applied: for grey, but the image is RGB"),
            ("gray-gamma.jpg", "p3", "'Display P3' was not applied: for RGB, but the image is grey"),
            ("cmyk.jpg", "srgb-v4", "'sRGB' was not applied: for RGB, but the image is CMYK"),
        ]
        for (file, profile, words) in cases {
            let pieces = ColorFixture.pieces(ColorFixture.profile(profile), most: 65_000)
            let image = try decoder.decode(.bytes(ColorFixture.jpeg(file, pieces: pieces)), to: .original)
            #expect(image.colorWarning == "the colour profile \(words)")
        }
    }

    @Test("A PNG's profile that libpng rejects is reported with its message")
    func refusedByPNG() throws {
        var file = PNGFile(width: 1, height: 1, color: .rgb)
        file.chunk("iCCP", Array("name\0\0".utf8) + PNGFile.zlib(Array(ColorFixture.profile("p3").prefix(200))))
        file.pixels([[200, 100, 50]])
        let image = try decoder.decode(.bytes(file.ended()), to: .original)
        let warning = try #require(image.colorWarning)
        let message = try #require(image.firstWarning).dropFirst("iCCP: ".count)
        #expect(warning == "the colour profile was not applied: \(message)" && isOneLine(warning))
        #expect(image.pixels[0, 0] == RGBA(200, 100, 50))
    }

    @Test("A progressive JPEG's previews have its colours", .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips))
    func previews() throws {
        let bytes = ColorFixture.picture("p3-progressive.jpg")
        var decoder = try ProgressiveJPEGDecoder(target: .original)
        var last: PixelBuffer?
        for byte in bytes.indices {
            try decoder.append(bytes.span.extracting(byte..<byte + 1))
            if let preview = try decoder.preview() { last = preview.pixels }
        }
        let image = try self.decoder.decode(.bytes(bytes), to: .original)
        #expect(try #require(last).greatestDifference(to: image.pixels) < 24)
    }
}

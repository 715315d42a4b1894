import Glibc
import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

/// Files in `Fixtures/encoded`, which other programs have decoded correctly.
///
/// With `SPYGLASS_RENEW_ENCODED=1` in the environment they are written again; check them with another program before
/// committing.
@Suite("Encoded files")
struct EncodingFixtureTests {
    /// A file, its options and its image.
    struct Fixture: CustomTestStringConvertible, Sendable {
        let name: String
        let encoder: ImageEncoder
        let picture: PixelBuffer
        var testDescription: String { name }

        init(_ name: String, _ format: ImageEncoder.Format, _ picture: PixelBuffer) {
            self.name = name
            encoder = ImageEncoder(
                format, comment: "spyglass", exif: Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0])
            self.picture = picture
        }
    }

    private static let gray = PixelBuffer(67, 41) { x, y in
        let level = UInt8((3 * x + 2 * y) % 256)
        return RGBA(level, level, level)
    }
    private static let faded = PixelBuffer(67, 41) { x, y in
        RGBA(UInt8(3 * x), UInt8(5 * y), 120, UInt8(min(255, 6 * x)))
    }

    static let fixtures = [
        Fixture("baseline.jpg", .jpeg(.init()), .slopes(67, 41)),
        Fixture("full-colour.jpg", .jpeg(.init(quality: 95)), .slopes(67, 41)),
        Fixture("progressive.jpg", .jpeg(.init(isProgressive: true, subsampling: .ratio422)), .slopes(67, 41)),
        Fixture("optimized.jpg", .jpeg(.init(isOptimized: true)), .slopes(67, 41)),
        Fixture("grey.jpg", .jpeg(.init()), gray),
        Fixture("on-white.jpg", .jpeg(.init()), faded),
        Fixture("rgb.png", .png, .slopes(67, 41)),
        Fixture("rgba.png", .png, faded),
        Fixture("grey.png", .png, gray),
        Fixture("palette.png", .png, .colors(5, 67, 41)),
        Fixture("palette-alpha.png", .png, .colors(40, 67, 41, alpha: { $0 < 20 ? UInt8(12 * $0) : 255 })),
    ]

    /// Debian 12's; another version may compress differently.
    private static let isRecordedVersion =
        CodecLibraries.versions.map { $0.version } == ["2.1.5", "1.6.39"]

    @Test("Encoded bytes equal the reviewed fixtures", arguments: fixtures)
    func bytes(fixture: Fixture) throws {
        let file = try fixture.encoder.encode(fixture.picture)
        let path = TestData.fixture("encoded/\(fixture.name)")
        if getenv("SPYGLASS_RENEW_ENCODED") != nil { try write(file, to: path) }
        let kept = contents(path)
        try #require(!kept.isEmpty)
        if Self.isRecordedVersion { #expect(file == kept) }
        let decoded = { bytes in try ImageDecoder().decode(.bytes(bytes), to: .original).pixels }
        #expect(try decoded(file) == decoded(kept))
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"), "cannot write \(path)")
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}

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

@Suite("ImageComment")
struct ImageCommentTests {
    private func find(_ bytes: [UInt8]) -> String? { ImageComment.find(in: bytes.span) }

    private let formats: [ImageEncoder.Format] = [.jpeg(.init()), .jpeg(.init(isProgressive: true)), .png]

    @Test("The encoder's comment is found in the first kilobyte of any image")
    func written() throws {
        let long = String(repeating: "0123456789", count: 90)
        for (format, comment) in formats.flatMap({ format in ["spyglass 1 00ff", " ~", long].map { (format, $0) } }) {
            let exif: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            let encoder = ImageEncoder(format, comment: comment, exif: exif)
            for picture in [PixelBuffer.slopes(100, 100), .colors(256, 60, 60), .colors(2, 1, 1)] {
                #expect(try find(Array(encoder.encode(picture).prefix(1024))) == comment)
            }
        }
    }

    @Test("An empty or missing comment is nil")
    func none() throws {
        for format in formats {
            #expect(try find(ImageEncoder(format).encode(.slopes(9, 9))) == nil)
            #expect(try find(ImageEncoder(format, comment: "").encode(.slopes(9, 9))) == nil)
        }
        #expect(find([]) == nil)
        #expect(find(Array("a text".utf8)) == nil)
    }

    @Test("Unprintable characters become question marks, and long text is cut")
    func cleaned() throws {
        for format in formats {
            let odd = ImageEncoder(format, comment: "a\u{1B}[2J\u{7F}\n\0é漢b")
            #expect(odd.comment == "a?[2J?????b")
            #expect(try find(odd.encode(.slopes(9, 9))) == "a?[2J?????b")
            let long = ImageEncoder(format, comment: String(repeating: "x", count: 70_000))
            #expect(try find(long.encode(.slopes(9, 9))) == String(repeating: "x", count: 900))
        }
    }

    @Test("Another program's comment is found and sanitised")
    func foreign() {
        #expect(find([0xFF, 0xD8, 0xFF, 0xFF, 0xFF, 0xFE, 0, 5, 0x41, 0x1B, 0x42]) == "A?B")
        // Nothing after a scan is read.
        #expect(find([0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0xFF, 0xFE, 0, 3, 0x41]) == nil)
        var file = PNGFile(width: 1, height: 1)
        file.chunk("tEXt", Array("Title\0no".utf8))
        file.chunk("tEXt", Array("Comment".utf8))
        file.chunk("tEXt", Array("Comment\0yes\u{1}".utf8))
        file.chunk("tEXt", Array("Comment\0second".utf8))
        #expect(find(file.bytes) == "yes?")
    }
}

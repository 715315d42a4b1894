import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

/// WebP and AVIF, which libraries encode.
@Suite(
    "WebPEncoding, AVIFEncoding",
    .enabled(if: WorkerLibrary.webp.isInstalled && AVIFLibrary.system != nil, "needs libwebp7 and libavif15"))
struct EncodingLibraryTests {
    private static let formats: [FilePlan.Format] = [
        .webp(quality: 90, effort: 4), .webp(quality: nil, effort: 0), .avif(quality: 90, effort: 0),
    ]
    private let decoder = ImageDecoder(workers: .inProcess)

    private func made(
        _ image: PixelBuffer, _ format: FilePlan.Format, _ metadata: FileMetadata = FileMetadata(comment: "mark")
    ) throws -> [UInt8] {
        switch format {
        case .webp(let quality, let effort):
            try WebPEncoding(quality: quality, effort: effort).encoded(image, metadata)
        case .avif(let quality, let effort):
            try AVIFEncoding(quality: quality, effort: effort).encoded(image, metadata)
        default: []
        }
    }

    private func picture(_ width: Int, _ height: Int, alpha: Bool) -> PixelBuffer {
        var image = PixelBuffer(size: PixelSize(width: width, height: height))
        for y in 0..<height {
            for x in 0..<width {
                let level = UInt8(40 + (x * 3 + y * 2) % 160)
                image[x, y] = RGBA(level, 200 - level / 2, 90, alpha ? UInt8(128 + (x + y) % 128) : 255)
            }
        }
        return image
    }

    @Test("Colours and alpha are kept, lossless WebP exactly", arguments: formats, [true, false])
    func pixels(format: FilePlan.Format, alpha: Bool) throws {
        let image = picture(33, 27, alpha: alpha)
        let file = try made(image, format)
        #expect(FileKind.sniff(file.span) == .image(format.image))
        let decoded = try decoder.decode(.bytes(file), to: .original)
        #expect(decoded.info.hasAlpha == alpha)
        let differences = zip(image.bytes, decoded.pixels.bytes).map { abs(Int($0) - Int($1)) }
        #expect(differences.max() ?? 255 <= (format == .webp(quality: nil, effort: 0) ? 0 : 40))
        let alphas = stride(from: 3, to: image.bytes.count, by: 4).map { differences[$0] }
        #expect(alphas.max() == 0)
        #expect(try made(image, format) == file)
    }

    @Test("The comment is found in the file, with its length, behind a profile and EXIF", arguments: formats)
    func comment(format: FilePlan.Format) throws {
        var metadata = FileMetadata(comment: "mark <1>")
        metadata.exif = ExifBlock.camera(main: [(0x010F, .text("Maker"))])
        metadata.profile = [UInt8](repeating: 7, count: 5001)
        let file = try made(picture(5, 4, alpha: true), format, metadata)
        let comment = ImageComment.find { (count, offset) in Array(file.dropFirst(offset).prefix(count)) }
        #expect(comment == ImageComment(text: "mark ?1>", fileBytes: file.count))
        #expect(try decoder.metadata(of: .bytes(file)).info.size == PixelSize(width: 5, height: 4))
        for end in stride(from: 0, to: file.count, by: 61) {
            let cut = ImageComment.find { (count, offset) in Array(file[..<end].dropFirst(offset).prefix(count)) }
            #expect(cut == nil || cut == comment)
        }
    }

    @Test(
        "Sides from 1 to the format's limit are written, larger ones are refused",
        arguments: [FilePlan.Format.webp(quality: 50, effort: 0), .avif(quality: 50, effort: 0)])
    func sizes(format: FilePlan.Format) throws {
        for (width, height) in [(1, 1), (16_383, 1), (1, 16_383), (2, 3)] {
            let file = try made(picture(width, height, alpha: false), format)
            #expect(try decoder.probe(.bytes(file)).size == PixelSize(width: width, height: height))
        }
        let tooWide = format.image == .webp ? 16_384 : 65_536
        let error = #expect(throws: CodecError.self) { try made(picture(tooWide, 1, alpha: false), format) }
        #expect(error?.kind == .limit)
    }
}

@Suite("KeptMetadata", .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips))
struct KeptMetadataTests {
    private let picture = ColorFixture.picture("p3.jpg")

    @Test("A profile is kept with its pixels, or else they are converted to sRGB")
    func profile() throws {
        func made(_ kept: KeptMetadata, _ format: FilePlan.Format) throws -> DecodedImage {
            let encoding = FilePlan.Encoding(
                format, comment: "one", commentWithoutColor: "two", background: RGBA(255, 255, 255))
            let files = try ImageDecoder().files(
                [FilePlan(.original, encoding: encoding)], of: .bytes(picture), opened: nil, filter: .area,
                isExact: false, keeping: kept, encoding: EncodingMemory())
            let file = try #require(files.files.first??.bytes)
            let found = ImageComment.find { (count, offset) in Array(file.dropFirst(offset).prefix(count)) }
            #expect(found?.text == "one")
            #expect(try (ImageDecoder().metadata(of: .bytes(file)).profile != nil) == kept.contains(.profile))
            return try ImageDecoder().decode(.bytes(file), to: .original)
        }
        // Decoding applies the kept profile.
        let (one, other) = (try made(.profile, .png).pixels.bytes, try made([], .png).pixels.bytes)
        #expect(zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
        _ = try made(.profile, .jpeg(.init()))
    }

    @Test("The position is overwritten, the rest of EXIF stays", arguments: [true, false])
    func position(isBigEndian: Bool) throws {
        var block = ExifBlock(isBigEndian: isBigEndian)
        let positionAt = 8 + 2 + 3 * 12 + 4
        let valueAt = positionAt + 2 + 12 + 4
        block.directory([(0x0112, 3, 1, 6), (0x8825, 4, 1, positionAt), (0x0131, 2, 4, 0x41424300)])
        block.directory([(2, 5, 1, valueAt)])
        block.bytes += [UInt8](repeating: 9, count: 8)
        let clean = try #require(Exif.withoutPosition(block.bytes))
        var expected = ExifBlock(isBigEndian: isBigEndian)
        expected.directory([(0x0112, 3, 1, 6), (0x0131, 2, 4, 0x41424300)])
        #expect(clean.starts(with: expected.bytes))
        #expect(clean.count == block.bytes.count && clean[expected.bytes.count...].allSatisfy { $0 == 0 })
        #expect(Exif.withoutPosition(expected.bytes) == expected.bytes)
    }

    @Test("A position that cannot be found drops the block", arguments: [0, 7, 8, 1000])
    func lostPosition(offset: Int) throws {
        var block = ExifBlock(isBigEndian: true)
        block.directory([(0x0112, 3, 1, 6), (0x8825, 4, 1, offset)])
        let clean = Exif.withoutPosition(block.bytes).flatMap(Exif.upright)
        #expect(clean == nil)
    }
}

import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
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
        PixelBuffer(width, height) { x, y in
            let level = UInt8(40 + (x * 3 + y * 2) % 160)
            return RGBA(level, 200 - level / 2, 90, alpha ? UInt8(128 + (x + y) % 128) : 255)
        }
    }

    @Test("Colours and alpha are kept, lossless WebP exactly", arguments: formats, [true, false])
    func pixels(format: FilePlan.Format, alpha: Bool) throws {
        let image = picture(33, 27, alpha: alpha)
        let file = try made(image, format)
        let decoded = try decoder.decode(.bytes(file), to: .original)
        #expect(decoded.info.format == format.image && decoded.info.hasAlpha == alpha)
        let differences = zip(image.bytes, decoded.pixels.bytes).map { abs(Int($0) - Int($1)) }
        #expect(differences.max() ?? 255 <= (format == .webp(quality: nil, effort: 0) ? 0 : 40))
        #expect(decoded.pixels.colors.map(\.alpha) == image.colors.map(\.alpha))
        #expect(try made(image, format) == file)
    }

    @Test("The comment is found in the file, with its length, also after a profile and EXIF", arguments: formats)
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

    @Test("An AVIF that needs more than the work memory is refused, and a lower effort needs less")
    func workMemory() throws {
        let png = try ImageEncoder(.png).encode(picture(400, 300, alpha: false))
        let decoder = ImageDecoder(memory: WorkMemory(limit: 32 << 20), workers: .inProcess)
        func made(effort: Int) throws -> EncodedFiles {
            let encoding = FilePlan.Encoding(
                .avif(quality: 60, effort: effort), comment: "", commentWithoutColor: "", background: RGBA(0, 0, 0))
            return try decoder.files(
                [FilePlan(.original, encoding: encoding)], of: .bytes(png), opened: nil, filter: .area,
                isExact: false, keeping: [])
        }
        let error = #expect(throws: CodecError.self) { try made(effort: 4) }
        #expect(error?.kind == .limit && error?.exceeded != nil)
        #expect(try made(effort: 0).files.count == 1)
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
                isExact: false, keeping: kept)
            let file = try #require(files.files.first??.bytes)
            let found = ImageComment.find { (count, offset) in Array(file.dropFirst(offset).prefix(count)) }
            let profile = try ImageDecoder().metadata(of: .bytes(file)).profile
            #expect(found?.text == "one" && (profile != nil) == kept.contains(.profile))
            return try ImageDecoder().decode(.bytes(file), to: .original)
        }
        // Decoding applies the kept profile.
        let (one, other) = (try made(.profile, .png).pixels.bytes, try made([], .png).pixels.bytes)
        #expect(zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
        _ = try made(.profile, .jpeg(.init()))
    }

    @Test(
        "Without the position, and the maker's notes that may hold it, the rest of EXIF stays",
        arguments: [true, false])
    func position(isBigEndian: Bool) throws {
        let main: [(tag: Int, value: ExifBlock.Value)] = [(0x010F, .text("Maker")), (0x0112, .short(6))]
        let exif: [(tag: Int, value: ExifBlock.Value)] = [(0x829A, .fraction(1, 50)), (0x9003, .text("2026:01:01"))]
        let position = 8 + ExifBlock.byteCount(main) + 2 * 12 + 2
        var block = ExifBlock(isBigEndian: isBigEndian)
        let positionEntries: [(tag: Int, value: ExifBlock.Value)] = [(1, .text("N")), (2, .fraction(0x5345_4352, 7))]
        let exifAt = position + ExifBlock.byteCount(positionEntries)
        block.directory(main + [(0x8769, .long(exifAt)), (0x8825, .long(position))])
        block.bytes += [0, 0]
        block.directory(positionEntries)
        block.directory(exif + [(0x927C, .bytes(Array("SECRET".utf8)))])
        block.bytes += Array("SECRET".utf8)
        let clean = try #require(Exif.withoutPosition(block.bytes))
        let expected = ExifBlock.camera(isBigEndian: isBigEndian, main: main, exif: exif)
        let tags = try #require(TIFFBlock(clean[...]))
        let first = try #require(tags.firstDirectory)
        #expect(tags.integer(0x0112, in: first) == 6)
        let second = try #require(tags.entry(0x8769, in: first).flatMap { tags.number32(at: $0 + 8) })
        let texts = [tags.entry(0x010F, in: first), tags.entry(0x9003, in: second)].map { $0.flatMap(tags.text) }
        #expect(texts == ["Maker", "2026:01:01"])
        #expect(tags.entry(0x829A, in: second).flatMap(tags.fraction) == 0.02)
        #expect(tags.entry(0x8825, in: first) == nil && tags.entry(0x927C, in: second) == nil)
        #expect(!["SEC", "CES"].contains { clean.firstRange(of: Array($0.utf8)) != nil })
        #expect(clean.count <= expected.count + 2 && Exif.upright(clean).flatMap(Exif.withoutPosition) != nil)
    }

    @Test("Directories that point to each other, or to ever more values, drop the block")
    func hostile() {
        var loop = ExifBlock(isBigEndian: true)
        loop.directory([(0x8769, 4, 1, 8)])
        #expect(Exif.withoutPosition(loop.bytes) == nil)
        var large = ExifBlock(isBigEndian: true)
        large.directory((0..<100).map { (0x9000 + $0, 7, 1000, 8) })
        #expect(large.bytes.count > 1008 && Exif.withoutPosition(large.bytes) == nil)
        for count in 0..<large.bytes.count { #expect(Exif.withoutPosition(Array(large.bytes.prefix(count))) == nil) }
    }

    @Test("Entries of a position are removed from directories where they do not belong, and so are GeoTIFF's")
    func misplacedPosition() throws {
        var block = ExifBlock(isBigEndian: false)
        let main: [(tag: Int, value: ExifBlock.Value)] = [
            (2, .text("SECRET")), (0x010F, .text("Maker")), (0x87B1, .text("SECRET")),
        ]
        let exif: [(tag: Int, value: ExifBlock.Value)] = [(4, .text("SECRET")), (0x9003, .text("2026"))]
        let exifAt = 8 + ExifBlock.byteCount(main) + 12
        let otherAt = exifAt + ExifBlock.byteCount(exif) + 12
        block.directory(main + [(0x8769, .long(exifAt))])
        block.directory(exif + [(0xA005, .long(otherAt))])
        block.directory([(2, .text("SECRET"))])
        let clean = try #require(Exif.withoutPosition(block.bytes))
        #expect(clean.firstRange(of: Array("SECRET".utf8)) == nil)
        let tags = try #require(TIFFBlock(clean[...]))
        let second = try #require(
            tags.firstDirectory.flatMap { tags.entry(0x8769, in: $0) }.flatMap { tags.number32(at: $0 + 8) })
        #expect(try tags.text(#require(tags.entry(0x9003, in: second))) == "2026")
    }

    @Test("A link to a position is removed wherever it leads, and so are unknown types", arguments: [0, 7, 8, 1000])
    func lostPosition(offset: Int) throws {
        var block = ExifBlock(isBigEndian: true)
        block.directory([(0x0112, 3, 1, 6), (0x8825, 4, 1, offset), (0x0131, 99, 1, 0)])
        var expected = ExifBlock(isBigEndian: true)
        expected.directory([(0x0112, 3, 1, 6)])
        #expect(Exif.withoutPosition(block.bytes) == expected.bytes)
    }
}

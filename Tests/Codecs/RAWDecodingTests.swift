import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("RAWDecoding")
struct RAWDecodingTests {
    private let decoder = ImageDecoder()

    private static func jpeg(_ width: Int, _ height: Int, blue: UInt8 = 0) throws -> [UInt8] {
        let picture = PixelBuffer(width, height) { x, y in RGBA(UInt8(x % 256), UInt8(y % 256), blue) }
        return try ImageEncoder(.jpeg(.init())).encode(picture)
    }

    private static let large = Result { try jpeg(320, 240) }
    private static let small = Result { try jpeg(160, 120, blue: 200) }

    /// A TIFF whose first image is a reduced one, with JPEG files in the first directory and in the next one.
    static func tiff(_ first: [UInt8], _ second: [UInt8], isBigEndian: Bool = true) -> [UInt8] {
        var main: [(tag: Int, value: ExifBlock.Value)] = [
            (254, .long(1)), (256, .short(8)), (257, .short(8)), (259, .short(6)), (0x0110, .text("Model 7")),
            (0x0112, .short(6)), (273, .long(0)), (279, .long(first.count)),
        ]
        var next: [(tag: Int, value: ExifBlock.Value)] = [(0x0201, .long(0)), (0x0202, .long(second.count))]
        let filesAt = 8 + ExifBlock.byteCount(main) + ExifBlock.byteCount(next)
        main[6].value = .long(filesAt)
        next[0].value = .long(filesAt + first.count)
        var block = ExifBlock(isBigEndian: isBigEndian)
        block.directory(main, hasNext: true)
        block.directory(next)
        return block.bytes + first + second
    }

    @Test("The largest JPEG is shown as the first directory turns it", arguments: [true, false])
    func largest(isBigEndian: Bool) throws {
        let (large, small) = try (Self.large.get(), Self.small.get())
        let whole = try decoder.decode(.bytes(large), to: .original).pixels
        for file in [Self.tiff(large, small, isBigEndian: isBigEndian), Self.tiff(small, large)] {
            let image = try decoder.decode(.bytes(file), to: .original)
            #expect(image.info.format == .raw && image.info.orientation == .right)
            #expect(image.pixels == whole.oriented(.right))
            #expect(try decoder.metadata(of: .bytes(file)).camera == "Model 7")
        }
    }

    @Test("The smaller JPEG comes first where it suffices")
    func embedded() throws {
        let file = try Self.tiff(Self.large.get(), Self.small.get())
        let preview = try #require(try decoder.embeddedPreview(of: .bytes(file), for: .box(80, 80)))
        #expect(preview.completeness == .degraded && preview.pixels.size == PixelSize(width: 60, height: 80))
        #expect(try decoder.embeddedPreview(of: .bytes(file), for: .box(200, 200)) == nil)
    }

    @Test("A smaller preview in place of a damaged one is damaged, too; without one, or above a limit, it is the error")
    func nextBest() throws {
        let (large, small) = try (Self.large.get(), Self.small.get())
        let damaged = [UInt8](repeating: 7, count: large.count)
        let size = PixelSize(width: 120, height: 160)
        let image = try decoder.decode(.bytes(Self.tiff(damaged, small)), to: .original)
        #expect(image.info.size == size && image.completeness == .degraded)
        #expect(image.firstWarning?.contains("Not a JPEG file") == true)
        #expect(
            decoder.failure(.bytes(Self.tiff(damaged, [])))?.description
                == "corrupt RAW: its preview: Not a JPEG file: starts with 0x07 0x07")
        var limits = ImageLimits()
        limits.pixels = 160 * 120
        let strict = ImageDecoder(limits: limits)
        #expect(strict.failure(.bytes(Self.tiff(large, small)))?.exceeded == .pixels(needing: 320 * 240))
    }

    @Test("The largest preview is decoded as far as the file goes, also if a smaller one is whole")
    func cut() throws {
        let (large, small) = try (Self.large.get(), Self.small.get())
        let image = try decoder.decode(.bytes(Self.tiff(small, large).dropLast(99).map(\.self)), to: .original)
        #expect(image.info.size == PixelSize(width: 240, height: 320) && image.completeness != .complete)
        var lacking = Self.tiff(large, small)
        // The first directory's link to the next one, which follows the eight entries and their values.
        let link = 8 + 2 + 12 * 8
        #expect(lacking[link..<link + 3].allSatisfy { $0 == 0 } && lacking[link + 3] > 0)
        lacking[link] = 1
        #expect(try decoder.decode(.bytes(lacking), to: .original).completeness == .degraded)
    }

    @Test("Only a sensor's colours or compression, DNG, or a lone preview make a TIFF a RAW file")
    func isRAW() throws {
        func isRAW(_ first: [(Int, Int, Int, Int)], _ second: [(Int, Int, Int, Int)] = []) throws -> Bool {
            var file = ExifBlock(isBigEndian: false)
            file.directory(first, next: second.isEmpty ? 0 : 8 + 2 + 12 * first.count + 4)
            if !second.isEmpty { file.directory(second) }
            return RAWFile.isRAW(try ByteReader(.bytes(file.bytes)))
        }
        let reduced = [(254, 4, 1, 1), (256, 3, 1, 8), (257, 3, 1, 8), (272, 2, 4, 0)]
        let whole = [(254, 4, 1, 0), (256, 3, 1, 80), (257, 3, 1, 80)]
        #expect(try !isRAW(reduced, whole) && !isRAW(reduced) && !isRAW(whole, reduced))
        #expect(try isRAW(reduced, whole + [(262, 3, 1, 32803)]) && isRAW([(50706, 1, 4, 1)]))
        #expect(try isRAW(whole + [(259, 3, 1, 34713)]))
        #expect(try isRAW(reduced + [(513, 4, 1, 99)]) && !isRAW(reduced + [(513, 4, 1, 99)], whole))
    }

    @Test("Files of Fujifilm and Panasonic have it at places of their own")
    func otherPlaces() throws {
        let large = try Self.large.get()
        var raf = Array("FUJIFILMCCD-RAW 0201".utf8) + [UInt8](repeating: 0, count: 64)
        raf += [0, 0, 0, 92] + withUnsafeBytes(of: UInt32(large.count).bigEndian) { Array($0) } + large
        #expect(try RAWFile(ByteReader(.bytes(raf))).previews == [92..<raf.count])
        var rw2 = ExifBlock(isBigEndian: false)
        rw2.directory([(0x002E, .bytes(large)), (0x0112, .short(3))])
        rw2.bytes[2] = 0x55
        #expect(try decoder.decode(.bytes(rw2.bytes), to: .original).info.orientation == .down)
    }

    @Test("A file without a preview is refused by name, also where its data is lossless JPEG")
    func none() throws {
        let lossless: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC3, 0, 11, 8, 0, 4, 0, 4, 1, 1, 0x11, 0]
        for content in [[], lossless] {
            let file = Self.tiff(content, [])
            #expect(throws: CodecError.unsupported(.raw, "it has no preview, and sensor data cannot be decoded")) {
                try decoder.decode(.bytes(file), to: .original)
            }
        }
    }

    @Test("Every truncation gives an error or an image")
    func truncated() throws {
        let bytes = try Self.tiff(Self.jpeg(16, 16), Self.jpeg(8, 8))
        for count in 0..<bytes.count {
            do throws(CodecError) { _ = try decoder.decode(.bytes(Array(bytes[..<count])), to: .original) } catch {
                #expect(isOneLine(error.description), "\(count): \(error)")
            }
        }
    }
}

@Suite(
    "RAW files of cameras",
    .enabled(if: TestData.shared.map { TestData.exists("\($0)/corpora") } ?? false, "needs the shared test files"))
struct RAWCorporaTests {
    private func file(_ name: String) throws -> (input: ByteReader, previews: [[UInt8]]) {
        let path = "\(TestData.shared ?? "")/corpora/exiftool+exiftool/t_images_\(name)"
        let input = try ByteReader(.file(path))
        let previews = try RAWFile(input).previews
        return (input, try previews.map { try input.bytes($0.count, at: $0.lowerBound) })
    }

    @Test(
        "Previews are those that exiftool extracts, by their lengths",
        arguments: [
            ("CanonRaw.cr2", [28, 26]), ("CanonRaw.cr3", [26]), ("DNG.dng", [29, 26]), ("Nikon.nef", [29]),
            ("FujiFilm.raf", [12167]), ("Panasonic.rw2", [10785]),
        ])
    func lengths(name: String, counts: [Int]) throws {
        let lengths = try file(name).previews.map(\.count)
        #expect(counts.allSatisfy(lengths.contains), "\(lengths)")
    }

    @Test("Whole previews are decoded", arguments: ["FujiFilm.raf", "Panasonic.rw2"])
    func decoded(name: String) throws {
        let input = try file(name).input
        #expect(try ImageDecoder().decode(input, DecodeSpec(.original, isExact: false)).completeness == .complete)
    }

    @Test("A CR3 states camera, exposure and orientation in boxes of its own")
    func metadata() throws {
        let raw = try RAWFile(file("CanonRaw.cr3").input)
        #expect(raw.orientation == .up)
        var metadata = ImageMetadata(info: .unknown)
        metadata.read(exif: try #require(raw.exif)[...])
        #expect(metadata.camera?.hasPrefix("Canon") == true && metadata.exposureTime != nil)
    }
}

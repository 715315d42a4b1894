import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("TIFFDecoding: header")
struct TIFFHeaderTests {
    private func file(_ name: String) -> [UInt8] { FormatFixture(name: name, format: .tiff).bytes }

    @Test("The header is read without the library", arguments: FormatFixture.all(.tiff, ".tif"))
    func header(file: FormatFixture) throws {
        let info = try ImageFormat.tiff.metadata(file.bytes).info
        #expect(info.storedSize == PixelSize(width: 33, height: 27))
        #expect(info.hasAlpha == file.name.contains("alpha"))
        let digit = file.name.hasPrefix("orientation-") ? file.name.dropFirst(12).first : "1"
        #expect(info.orientation.rawValue == digit?.wholeNumberValue)
    }

    @Test("Colours are described and profiles named")
    func description() throws {
        for (name, description) in [
            ("rgb", "RGB, 8 bits"), ("grey16", "grey, 16 bits"), ("bilevel", "grey, 1 bit"),
            ("palette", "palette, 8 bits"), ("cmyk", "CMYK, 8 bits"), ("jpeg", "YCbCr, 8 bits"),
            ("alpha", "RGB and alpha, 8 bits"), ("bigtiff", "RGB, 8 bits"),
        ] { #expect(try ImageFormat.tiff.metadata(file("\(name).tif")).info.colorDescription == description) }
        #expect(try ImageFormat.tiff.metadata(file("profile.tif")).profile == "sRGB built-in")
    }

    @Test("What a camera states is read, wherever in the file it is", arguments: [false, true])
    func exif(isBigEndian: Bool) throws {
        let note = [UInt8](repeating: 0xAB, count: 100)
        func file(_ exifAt: Int) -> ExifBlock {
            var file = ExifBlock(isBigEndian: isBigEndian, directoryAt: 5000)
            file.directory([
                (256, .short(4)), (257, .short(3)), (0x0110, .text("Model 7")), (0x0112, .short(6)),
                (0x8769, .long(exifAt)),
            ])
            return file
        }
        var whole = file(file(0).bytes.count)
        whole.directory([(0x829A, .fraction(1, 250)), (0x8827, .short(640)), (0x927C, .bytes(note))])
        let metadata = try ImageFormat.tiff.metadata(whole.bytes)
        #expect(metadata.camera == "Model 7" && metadata.exposureTime == 0.004 && metadata.iso == 640)
        #expect(metadata.info.orientation == .right)
        let block = try #require(try TIFFDirectory(ByteReader(.bytes(whole.bytes), isCancelled: { false })).exif())
        #expect(block.count < 200 && !block.contains(0xAB))
        #expect(Exif.upright(block) != nil && Exif.orientation(in: block[...]) == nil)
        for count in 5000..<whole.bytes.count {
            _ = try? ImageFormat.tiff.metadata(Array(whole.bytes[..<count]))
        }
    }
}

@Suite("TIFFDecoding", .enabled(if: WorkerLibrary.tiff.isInstalled, "needs libtiff6"))
struct TIFFDecodingTests {
    private static let files = FormatFixture.all(.tiff, ".tif")

    @Test("An image equals Pillow's", arguments: files)
    func pixels(file: FormatFixture) throws {
        let image = try ImageFormat.tiff.decode(file.bytes)
        #expect(image.completeness == .complete && image.warnings == 0)
        #expect(image.colorWarning == nil)
        // JPEG decoders differ by a step.
        #expect(image.pixels.greatestDifference(to: try file.expected()) <= (file.name == "jpeg.tif" ? 2 : 0))
    }

    @Test("Every truncation gives an error or rows", arguments: files)
    func truncated(file: FormatFixture) throws {
        let bytes = file.bytes
        for count in 0..<bytes.count {
            guard let error = ImageFormat.tiff.failure(Array(bytes[..<count])) else { continue }
            #expect(
                [.corrupt, .unsupported].contains(error.kind) && isOneLine(error.description), "\(count): \(error)")
        }
    }

    @Test("Strips that end early give the rows before them")
    func cutStrips() throws {
        // The directory is at the end: only the strips' bytes are damaged.
        var bytes = FormatFixture(name: "strips.tif", format: .tiff).bytes
        for at in bytes.count / 2..<bytes.count / 2 + 200 { bytes[at] = 0xFF }
        let image = try ImageFormat.tiff.decode(bytes)
        #expect(image.rows > 4 && image.rows < 27 && image.firstWarning != nil)
        let whole = try FormatFixture(name: "strips.tif", format: .tiff).expected()
        #expect(image.bytes(ofRows: 4) == whole.bytes[..<(4 * whole.stride)])
    }

    @Test("Samples of two bits that the library does not convert are unsupported")
    func narrowSamples() {
        var file = ExifBlock(isBigEndian: false, directoryAt: 32)
        file.directory([
            (256, .short(4)), (257, .short(3)), (258, .short(2)), (259, .short(1)), (262, .short(2)), (273, .long(8)),
            (277, .short(3)), (278, .short(3)), (279, .long(9)),
        ])
        let message = "Sorry, can not handle image"
        #expect(ImageFormat.tiff.failure(file.bytes) == .unsupported(.tiff, message))
    }

    @Test("Tiles with more pixels than a number can hold are an error")
    func largestTiles() {
        var bytes = FormatFixture(name: "tiles.tif", format: .tiff).bytes
        let directory = (0..<4).reduce(0) { $0 | Int(bytes[4 + $1]) << (8 * $1) }
        for entry in 0..<Int(bytes[directory]) {
            let at = directory + 2 + 12 * entry
            // TileWidth and TileLength become 4,294,967,280, as 32 bits.
            guard [66, 67].contains(bytes[at]), bytes[at + 1] == 1 else { continue }
            bytes.replaceSubrange(at + 2..<at + 12, with: [4, 0, 1, 0, 0, 0, 0xF0, 0xFF, 0xFF, 0xFF])
        }
        #expect(ImageFormat.tiff.failure(bytes)?.kind == .corrupt)
    }
}

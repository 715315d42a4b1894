import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("HEIFDecoding: header")
struct HEIFHeaderTests {
    static let files = FormatFixture.all(.avif, ".avif") + FormatFixture.all(.heif, ".heic")

    private func file(_ name: String) -> FormatFixture {
        FormatFixture(name: name, format: name.hasSuffix(".avif") ? .avif : .heif)
    }

    @Test("The header is read without the library", arguments: files)
    func header(file: FormatFixture) throws {
        let info = try file.format.metadata(file.bytes).info
        #expect(try info.size == file.expected().size && info.hasAlpha == file.name.hasPrefix("alpha"))
        #expect(FileKind.sniff(file.bytes.span) == .image(file.format))
    }

    @Test("Turns and mirrors of the file become an orientation")
    func orientations() throws {
        for (name, orientation) in [
            ("plain.avif", Orientation.up), ("rotation-1.avif", .left), ("rotation-3-mirrored.avif", .leftMirrored),
            ("rotation-2.heic", .down), ("rotation-3.heic", .right), ("mirrored.heic", .upMirrored),
            ("mirrored.avif", .downMirrored),
        ] { #expect(try file(name).format.metadata(file(name).bytes).info.orientation == orientation, "\(name)") }
    }

    @Test("EXIF is read, also in several parts of the file")
    func exif() throws {
        var exif = ExifBlock(isBigEndian: true)
        exif.directory([(0x0110, .text("Model 7"))])
        let parts = [[0, 0, 0, 0] + exif.bytes[..<20], exif.bytes[20...]].map { Array($0) }
        func file(_ dataAt: Int) -> [UInt8] {
            let extents = [(dataAt, parts[0].count), (dataAt + parts[0].count + 9, parts[1].count)]
            let places = extents.flatMap { HEIFFile.number($0, 4) + HEIFFile.number($1, 4) }
            return HEIFFile.withExif([0, 0, 0, 0, 0x44, 0, 0, 1, 0, 2, 0, 0, 0, 2] + places)
        }
        let bytes = file(file(0).count) + parts[0] + [UInt8](repeating: 7, count: 9) + parts[1]
        for bytes in [self.file("exif.heic").bytes, bytes] {
            #expect(try ImageFormat.heif.metadata(bytes).camera == "Model 7")
        }
    }

    @Test("Extents whose lengths add up to more than any file are no EXIF")
    func hugeExtents() throws {
        let extents = (0..<32_768).flatMap { _ in HEIFFile.number(0, 4) + HEIFFile.number((1 << 48) - 1, 8) }
        let bytes = HEIFFile.withExif([0, 0, 0, 0, 0x48, 0, 0, 1, 0, 2, 0, 0, 0x80, 0] + extents)
        let metadata = try ImageFormat.heif.metadata(bytes)
        #expect(metadata.info.size == PixelSize(width: 4, height: 3) && metadata.camera == nil)
    }

    @Test("Thousands of references that state more items than they hold cost no time")
    func references() throws {
        let reference = HEIFFile.box("auxl", [0, 3, 0xFF, 0xFF])
        let bytes = HEIFFile.withExif([0, 0, 0, 0], (0..<4096).flatMap { _ in reference })
        let start = ContinuousClock.now
        let size = try ImageFormat.heif.metadata(bytes).info.size
        // Unclamped: 268 million items, above ten seconds.
        #expect(size == PixelSize(width: 4, height: 3) && ContinuousClock.now - start < .seconds(2))
    }

    @Test(
        "A box with a length of 64 bits is read, also the last one, and a header that extends to the end of the file",
        arguments: ["pitm", "ispe", "iloc"])
    func longLengths(name: String) throws {
        var bytes = HEIFFile.withExif([0, 0, 0, 0], brand: "avif")
        var open = bytes
        open.replaceSubrange(12..<16, with: [0, 0, 0, 0])
        let at = try #require(bytes.firstRange(of: Array(name.utf8))).lowerBound - 4
        let count = Int(bytes[at + 3])
        bytes.replaceSubrange(at..<at + 8, with: [0, 0, 0, 1] + Array(name.utf8) + HEIFFile.number(count + 8, 8))
        for parent in ["meta", "iprp", "ipco"] {
            let start = try #require(bytes.firstRange(of: Array(parent.utf8))).lowerBound - 4
            let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
            guard start < at, parent == "meta" || name == "ispe" else { continue }
            bytes.replaceSubrange(start..<start + 4, with: HEIFFile.number(length + 8, 4))
        }
        let sizes = try [bytes, open].map { try ImageFormat.avif.metadata($0).info.size }
        #expect(sizes == Array(repeating: PixelSize(width: 4, height: 3), count: 2))
    }

    @Test("The header of a sequence without a still image is that of its first track")
    func sequence() throws {
        let info = try ImageFormat.avif.metadata(HEIFFile.sequence(brand: "avis")).info
        #expect(
            info
                == ImageInfo(
                    format: .avif, storedSize: PixelSize(width: 64, height: 48), colorDescription: "YCbCr, 10 bits"))
        let transparent = HEIFFile.sequence(brand: "avis", handlers: ["soun", "auxv", "pict"])
        #expect(try ImageFormat.avif.metadata(transparent).info.hasAlpha)
        for (format, entry) in [(ImageFormat.heif, "hvc1"), (.avif, "hvc1"), (.heif, "av01")] {
            let error = format.failure(HEIFFile.sequence(brand: "msf1", entry: entry))
            #expect(
                error == .unsupported(format, "an image sequence without a still image"), "\(format) \(entry)")
        }
    }

    @Test("A header that ends early, or is a box without contents, is an error")
    func truncated() throws {
        for file in [file("alpha.heic"), file("odd.avif")] {
            for count in 0..<200 {
                #expect(throws: CodecError.self, "\(file) \(count)") {
                    try file.format.metadata(Array(file.bytes[..<count]))
                }
            }
        }
        let bytes = Array("\0\0\0\u{10}ftypavif\0\0\0\0".utf8) + [0, 0, 0, 8] + Array("meta".utf8)
        #expect(ImageFormat.avif.failure(bytes) == CodecError(.corrupt, "corrupt AVIF: a header of 0 bytes"))
    }

    @Test("A flipped byte of the header gives metadata or an error", arguments: files)
    func flipped(file: FormatFixture) {
        let masks: [UInt8] = [0x01, 0x80, 0xFF]
        for at in file.bytes.indices {
            var bytes = file.bytes
            bytes[at] ^= masks[at % masks.count]
            do throws(CodecError) {
                _ = try file.format.metadata(bytes)
            } catch {
                #expect(isOneLine(error.description), "\(at)")
            }
        }
    }
}

@Suite("HEIFDecoding", .enabled(if: WorkerLibrary.heif.isInstalled, "needs libheif1"))
struct HEIFDecodingTests {
    @Test("An image equals that of another program", arguments: HEIFHeaderTests.files)
    func pixels(file: FormatFixture) throws {
        let image = try file.format.decode(file.bytes)
        #expect(image.completeness == .complete && image.colorWarning == nil)
        let difference = image.pixels.meanSquaredDifference(to: try file.expected())
        // libheif and libavif enlarge the chroma planes of odd sizes by different filters: 33 dB. Others: 45 dB.
        #expect(difference <= (file.name.hasPrefix("odd") ? 65 : 2), "\(difference)")
    }

    @Test("Every truncation gives an error or an image", arguments: HEIFHeaderTests.files)
    func truncated(file: FormatFixture) {
        for count in stride(from: 0, to: file.bytes.count, by: 7) {
            if let error = file.format.failure(Array(file.bytes[..<count])) {
                #expect(isOneLine(error.description), "\(count): \(error)")
            }
        }
    }

    @Test(
        "libavif gives the pixels of libheif", .enabled(if: AVIFLibrary.system != nil, "needs libavif15"),
        arguments: FormatFixture.all(.avif, ".avif"))
    func libraries(file: FormatFixture) throws {
        let image = try ImageFormat.avif.decode(file.bytes)
        // Under the name of the other format it goes through libheif.
        let other = try ImageFormat.heif.decode(file.bytes)
        #expect(image.info.size == other.info.size && image.info.orientation == other.info.orientation)
        // The two round colours by other rules: 55 dB. Divided by alpha, the difference grows: 51 dB.
        let difference = image.pixels.meanSquaredDifference(to: other.pixels)
        #expect(difference <= (file.name == "alpha-premultiplied.avif" ? 0.6 : 0.25), "\(difference)")
    }

    @Test("What libavif refuses is left to libheif", .enabled(if: AVIFLibrary.system != nil, "needs libavif15"))
    func refused() throws {
        // A damaged track, which the brand makes libavif read.
        let plain = FormatFixture(name: "plain.avif", format: .avif)
        var bytes = plain.bytes
        bytes.replaceSubrange(8..<12, with: Array("avis".utf8))
        bytes += HEIFFile.box("moov", HEIFFile.box("trak", HEIFFile.box("mdia", [1, 2, 3])))
        let spec = DecodeSpec(.original, isExact: false)
        let decoding = try HEIFDecoding(ByteReader(.bytes(bytes), isCancelled: { false }), ImageLimits(), .avif)
        #expect(throws: CodecError.needsLibheif) { _ = try decoding.decode(spec) }
        let difference = try ImageFormat.avif.decode(bytes).pixels.meanSquaredDifference(to: plain.expected())
        #expect(difference <= 2, "\(difference)")
    }

    @Test("A header that extends to the end of the file is closed for the library")
    func openHeader() throws {
        let plain = FormatFixture(name: "plain.avif", format: .avif)
        var bytes = plain.bytes
        func size(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        let metaAt = size(0)
        let meta = bytes[metaAt..<metaAt + size(metaAt)]
        let dataAt = metaAt + meta.count + 8
        // The data moves before the header, whose extents follow it.
        var moved = Array(meta)
        moved.replaceSubrange(0..<4, with: [0, 0, 0, 0])
        for at in 0..<moved.count - 4 where Array(moved[at..<at + 4]) == HEIFFile.number(dataAt, 4) {
            moved.replaceSubrange(at..<at + 4, with: HEIFFile.number(dataAt - meta.count, 4))
        }
        bytes.removeSubrange(metaAt..<metaAt + meta.count)
        #expect(try ImageFormat.avif.decode(bytes + moved).pixels == ImageFormat.avif.decode(plain.bytes).pixels)
    }

    @Test("What an image needs above the limit of memory is refused by its name", arguments: HEIFHeaderTests.files)
    func workBytes(file: FormatFixture) throws {
        var limits = ImageLimits()
        limits.workBytes = file.bytes.count
        let error = try #require(file.format.failure(file.bytes, limits))
        guard case .workMemory(let needed) = error.exceeded else {
            Issue.record(error)
            return
        }
        limits.workBytes = needed
        #expect(file.format.failure(file.bytes, limits) == nil)
    }
}

@Suite(
    "HEIFDecoding of other programs' files",
    .enabled(if: WorkerLibrary.heif.isInstalled && AVIFLibrary.system != nil, "needs libheif1 and libavif15"),
    .enabled(if: TestData.shared.map { TestData.exists("\($0)/corpora") } ?? false, "needs the shared test files"))
struct HEIFCorporaTests {
    private static let folder = "\(TestData.shared ?? "")/corpora"

    private func decode(_ format: ImageFormat, _ name: String) throws -> DecodedImage {
        let image = try format.decode(contents("\(Self.folder)/\(name)"))
        #expect(image.completeness == .complete)
        return image
    }

    @Test("AVIFs with alpha are decoded with it")
    func alpha() throws {
        let folder = "link-u+avif-sample-images"
        let all = names(in: "\(Self.folder)/\(folder)").filter { $0.contains("small") && $0.contains("alpha-full") }
        #expect(!all.isEmpty)
        let grid = "AOMediaCodec+libavif/tests_data_color_grid_alpha_nogrid.avif"
        for name in all.map({ "\(folder)/\($0)" }) + [grid] {
            let image = try decode(.avif, name)
            #expect(!image.pixels.isOpaque && (name == grid || image.info.hasAlpha), "\(name)")
        }
    }

    @Test("Where a damaged HEIC has no pixels, nothing of an image before it is seen")
    func damagedAfterAnother() throws {
        let whole = contents("\(Self.folder)/nokiatech+heif_conformance/conformance_files_multilayer001.heic")
        var damaged = whole
        damaged[3610] = 125
        let first = try ImageFormat.heif.decode(damaged).pixels
        for _ in 0..<3 {
            _ = try ImageFormat.heif.decode(whole)
            #expect(try ImageFormat.heif.decode(damaged).pixels == first)
        }
    }

    @Test("Tiles have the order in which the grid refers to them")
    func tiles() throws {
        let plain = try decode(.avif, "AOMediaCodec+libavif/tests_data_sofa_grid1x5_420.avif").pixels
        let name = "AOMediaCodec+libavif/tests_data_sofa_grid1x5_420_reversed_dimg_order.avif"
        let tile = plain.size.height / 5 * plain.stride
        let bytes = (0..<5).reversed().flatMap { plain.bytes[$0 * tile..<($0 + 1) * tile] }
        let turned = PixelBuffer(size: plain.size, bytes: bytes)
        #expect(try decode(.avif, name).pixels.meanSquaredDifference(to: turned) < 2)
    }

    @Test(
        "Sequences, files with a sound track, an open header, or other sizes, brands and layers show their first image",
        arguments: [
            ("android_jni_avifandroidjni_src_androidTest_assets_animated_avif_Chimera-AV1-10bit-480x270", 480, 270),
            ("tests_data_colors-animated-8bpc-audio", 150, 150), ("tests_data_draw_points_idat_metasize0", 33, 11),
            ("tests_data_draw_points_idat_progressive_metasize0", 33, 11), ("C005", 128, 72),
            ("multilayer001", 1024, 512), ("multilayer005", 512, 256),
        ])
    func sequences(name: String, width: Int, height: Int) throws {
        let image =
            name.contains("_")
            ? try decode(.avif, "AOMediaCodec+libavif/\(name).avif")
            : try decode(.heif, "nokiatech+heif_conformance/conformance_files_\(name).heic")
        #expect(image.pixels.size == PixelSize(width: width, height: height))
    }

    @Test("An image of a type that the library does not know is unsupported")
    func otherTypes() {
        let error = ImageFormat.heif.failure(
            contents("\(Self.folder)/strukturag+libheif/tests_data_uncompressed_comp_ABGR.heif"))
        #expect(error == nil || error?.kind == .unsupported)
    }
}

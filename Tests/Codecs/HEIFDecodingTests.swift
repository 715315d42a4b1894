import SpyglassPixels
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
        #expect(info.size == (try file.expected().size))
        #expect(info.hasAlpha == file.name.hasPrefix("alpha"))
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

    @Test("EXIF is read")
    func exif() throws {
        #expect(try ImageFormat.heif.metadata(file("exif.heic").bytes).camera == "Model 7")
    }

    @Test("EXIF in several parts of the file is read")
    func exifInParts() throws {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let size = content.count + 8
            return [0, 0, UInt8(size >> 8), UInt8(size & 255)] + Array(name.utf8) + content
        }
        var exif = ExifBlock(isBigEndian: true)
        exif.directory([(0x0110, .text("Model 7"))])
        let parts = [[0, 0, 0, 0] + exif.bytes[..<20], exif.bytes[20...]].map { Array($0) }
        func file(_ dataAt: Int) -> [UInt8] {
            let extents = [(dataAt, parts[0].count), (dataAt + parts[0].count + 9, parts[1].count)]
            let places = extents.flatMap { start, count -> [UInt8] in
                [0, 0, UInt8(start >> 8), UInt8(start & 255), 0, 0, 0, UInt8(count)]
            }
            let boxes =
                box("pitm", [0, 0, 0, 0, 0, 1])
                + box("iinf", [0, 0, 0, 0, 0, 1] + box("infe", [2, 0, 0, 0, 0, 2, 0, 0] + Array("Exif".utf8) + [0]))
                + box("iref", [0, 0, 0, 0] + box("cdsc", [0, 2, 0, 1, 0, 1]))
                + box(
                    "iprp",
                    box("ipco", box("ispe", [0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3]))
                        + box("ipma", [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1]))
                + box("iloc", [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 2, 0, 0, 0, 2] + places)
            return box("ftyp", Array("heic".utf8)) + box("meta", [0, 0, 0, 0] + boxes)
        }
        let bytes = file(file(0).count) + parts[0] + [UInt8](repeating: 7, count: 9) + parts[1]
        #expect(try ImageFormat.heif.metadata(bytes).camera == "Model 7")
    }

    @Test("A header that ends early is an error")
    func truncated() throws {
        for file in [file("alpha.heic"), file("odd.avif")] {
            for count in 0..<200 {
                #expect(throws: CodecError.self, "\(file) \(count)") {
                    try file.format.metadata(Array(file.bytes[..<count]))
                }
            }
        }
    }

    @Test("A box without contents is an error")
    func emptyBox() {
        let bytes = Array("\0\0\0\u{10}ftypavif\0\0\0\0".utf8) + [0, 0, 0, 8] + Array("meta".utf8)
        #expect(ImageFormat.avif.failure(bytes) == CodecError(.corrupt, "corrupt AVIF: a header of 0 bytes"))
    }

    @Test("A flipped byte of the header gives metadata or an error", arguments: files)
    func flipped(file: FormatFixture) {
        for at in file.bytes.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = file.bytes
                bytes[at] ^= mask
                do throws(CodecError) {
                    _ = try file.format.metadata(bytes)
                } catch {
                    #expect(isOneLine(error.description), "\(at)")
                }
            }
        }
    }

    @Test("A size above a limit is refused before the library is opened")
    func limits() {
        var limits = ImageLimits()
        limits.pixels = 890
        for file in [file("odd.avif"), file("odd.heic")] {
            #expect(
                file.format.failure(file.bytes, limits)
                    == CodecError(.pixels(needing: 891), "33x27 is 891 pixels, above the limit of 890"))
        }
    }

    @Test("A missing library is one line with its package")
    func missing() {
        #expect(AVIFLibrary.open("libnone.so.15") == nil)
        guard case .failure(let error) = HEIFLibrary.open("libnone.so.1") else {
            Issue.record("opened")
            return
        }
        #expect(error == CodecError(.unsupported, "HEIC and AVIF need libheif1: apt install libheif1"))
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

    @Test("A region equals that part of the whole image", arguments: HEIFHeaderTests.files)
    func region(file: FormatFixture) throws { try file.expectRegion() }

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

    @Test("A file above the limit of bytes is refused")
    func bodyBytes() {
        var limits = ImageLimits()
        limits.bodyBytes = 200
        let bytes = FormatFixture(name: "odd.heic", format: .heif).bytes
        #expect(ImageFormat.heif.failure(bytes, limits) == CodecError(.bodyBytes, "a file of more than 200 bytes"))
    }
}

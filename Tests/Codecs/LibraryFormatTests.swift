import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

/// A file of `Fixtures/formats`, and what another program decodes from it.
struct FormatFixture: CustomTestStringConvertible {
    let name: String
    let format: ImageFormat

    var testDescription: String { name }
    var bytes: [UInt8] { contents(TestData.fixture("formats/files/\(name)")) }

    static func all(_ format: ImageFormat, _ ending: String) -> [FormatFixture] {
        SpyglassCodecsTests.names(in: TestData.fixture("formats/files")).filter { $0.hasSuffix(ending) }
            .map { FormatFixture(name: $0, format: format) }
    }

    func expected(_ frame: Int? = nil) throws -> PixelBuffer {
        let path = TestData.fixture("formats/expected/\(name)\(frame.map { ".\($0)" } ?? "").png")
        return try ImageDecoder().decode(.file(path), to: .original).pixels
    }

    /// Expects that a region is the same as that part of the whole image.
    func expectRegion() throws {
        let region = ImageRegion(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
        let part = try format.decode(bytes, region: region).pixels
        let whole = try format.decode(bytes).pixels
        let isEqual = part == whole.cropped(to: region.area(in: whole.size))
        #expect(isEqual)
    }
}

extension ImageFormat {
    /// Decodes in this process, whatever the first bytes are.
    func decode(
        _ bytes: [UInt8], _ limits: ImageLimits = ImageLimits(), region: ImageRegion = .whole,
        to target: TargetSize = .original
    ) throws(CodecError) -> DecodedImage {
        var spec = DecodeSpec(target, isExact: false)
        spec.region = region
        return try ImageDecoder.decode(
            ByteReader(.bytes(bytes), isCancelled: { false }), self, limits, ReadingOptions(), spec)
    }

    func metadata(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) throws(CodecError) -> ImageMetadata {
        try entry.open(ByteReader(.bytes(bytes), isCancelled: { false }), limits, ReadingOptions()).metadata
    }

    func failure(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) -> CodecError? {
        do throws(CodecError) {
            _ = try decode(bytes, limits)
            return nil
        } catch {
            return error
        }
    }

    /// Decodes a file with one byte flipped, for every byte and three masks: an image or an error in one line.
    func flipEveryByte(of file: [UInt8]) {
        let masks: [UInt8] = [0x01, 0x80, 0xFF]
        for at in file.indices {
            var bytes = file
            bytes[at] ^= masks[at % masks.count]
            var limits = ImageLimits()
            limits.pixels = 1 << 20
            guard let error = failure(bytes, limits), !isOneLine(error.description) else { continue }
            Issue.record("byte \(at): \(error)")
        }
    }
}

extension FrameDecoding {
    /// The current frame, on its canvas.
    var canvas: PixelBuffer {
        var bytes: [UInt8] = []
        for y in 0..<info.storedSize.height { withRow(y) { row in bytes += row.withUnsafeBufferPointer { Array($0) } } }
        return PixelBuffer(size: info.storedSize, bytes: bytes)
    }
}

extension PixelBuffer {
    /// The mean squared difference of a byte; 65 is a PSNR of 30 dB.
    func meanSquaredDifference(to other: PixelBuffer) -> Double {
        guard size == other.size else { return .infinity }
        var sum = 0
        for (byte, otherByte) in zip(bytes, other.bytes) {
            let difference = Int(byte) - Int(otherByte)
            sum += difference * difference
        }
        return Double(sum) / Double(bytes.count)
    }
}

@Suite("Formats of libraries")
struct LibraryFormatTests {
    /// The files whose library is there; animations have tests of their own.
    private static let files = [
        (ImageFormat.webp, ".webp", WorkerLibrary.webp), (.tiff, ".tif", .tiff), (.avif, ".avif", .heif),
        (.heif, ".heic", .heif), (.jxl, ".jxl", .jxl),
    ].filter { $0.2.isInstalled }.flatMap { FormatFixture.all($0.0, $0.1) }.filter { !$0.name.hasPrefix("animated.") }

    @Test("A region equals that part of the whole image", arguments: files)
    func region(file: FormatFixture) throws { try file.expectRegion() }

    @Test(
        "A file with a flipped byte gives an image or an error",
        arguments: files.filter { [.webp, .tiff].contains($0.format) && !$0.name.hasPrefix("orientation") })
    func flipped(file: FormatFixture) { file.format.flipEveryByte(of: file.bytes) }

    @Test(
        "A file above the limit of bytes is refused",
        arguments: files.filter { ["lossy.webp", "odd.heic"].contains($0.name) })
    func bodyBytes(file: FormatFixture) {
        var limits = ImageLimits()
        limits.bodyBytes = 200
        #expect(file.format.failure(file.bytes, limits) == CodecError(.bodyBytes, "a file of more than 200 bytes"))
    }

    @Test(
        "A size above a limit is refused before the library is opened",
        arguments: [
            ("lossy.webp", ImageFormat.webp), ("lossless.webp", .webp), ("lossy-alpha.webp", .webp),
            ("animated.webp", .webp), ("tiles.tif", .tiff), ("odd.avif", .avif), ("odd.heic", .heif),
        ])
    func limits(name: String, format: ImageFormat) {
        var limits = ImageLimits()
        limits.pixels = 890
        let error = format.failure(FormatFixture(name: name, format: format).bytes, limits)
        #expect(error == CodecError(.pixels(needing: 891), "33x27 is 891 pixels, above the limit of 890"))
    }

    @Test("A missing library is one line with its package")
    func missing() {
        var errors: [CodecError] = []
        if case .failure(let error) = WebPLibrary.open("libnone.so.7", demux: "libnone.so.2") { errors.append(error) }
        if case .failure(let error) = TIFFLibrary.open("libnone.so.6") { errors.append(error) }
        if case .failure(let error) = HEIFLibrary.open("libnone.so.1") { errors.append(error) }
        if case .failure(let error) = JXLLibrary.open("libnone.so.0.7") { errors.append(error) }
        #expect(
            errors.map(\.description) == [
                "WebP needs libwebp7: apt install libwebp7", "TIFF needs libtiff6: apt install libtiff6",
                "HEIC and AVIF need libheif1: apt install libheif1", "JPEG XL needs libjxl0.7: apt install libjxl0.7",
            ])
        #expect(errors.allSatisfy { $0.kind == .unsupported } && AVIFLibrary.open("libnone.so.15") == nil)
    }
}

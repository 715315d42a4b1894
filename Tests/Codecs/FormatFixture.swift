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
        let area = region.area(in: whole.size)
        #expect(part.size == area.size)
        for y in 0..<area.size.height {
            for x in 0..<area.size.width where part[x, y] != whole[area.x + x, area.y + y] {
                Issue.record("\(x), \(y)")
                return
            }
        }
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
        return try entry.open(ByteReader(.bytes(bytes), isCancelled: { false }), limits, 1 << 16).decode(spec)
    }

    func metadata(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) throws(CodecError) -> ImageMetadata {
        try entry.open(ByteReader(.bytes(bytes), isCancelled: { false }), limits, 1 << 16).metadata
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
        for at in file.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = file
                bytes[at] ^= mask
                var limits = ImageLimits()
                limits.pixels = 1 << 20
                guard let error = failure(bytes, limits), !isOneLine(error.description) else { continue }
                Issue.record("byte \(at), mask \(mask): \(error)")
            }
        }
    }
}

extension PixelBuffer {
    /// The mean squared difference of a byte; 65 is a PSNR of 30 dB.
    func meanSquaredDifference(to other: PixelBuffer) -> Double {
        guard size == other.size else { return .infinity }
        let squares = zip(bytes, other.bytes).map { (Int($0) - Int($1)) * (Int($0) - Int($1)) }
        return Double(squares.reduce(0, +)) / Double(squares.count)
    }
}

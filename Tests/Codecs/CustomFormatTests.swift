import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

/// Squares of one colour: `SQ`, the side, and three bytes of colour.
private struct Square: ImageFormatDecoding {
    var name: String { "Square" }
    func recognizes(_ head: Span<UInt8>) -> Bool {
        head.count > 1 && head[0] == UInt8(ascii: "S") && head[1] == UInt8(ascii: "Q")
    }

    func decode(_ bytes: [UInt8], _ limits: ImageLimits) throws(CodecError) -> PixelBuffer {
        guard bytes.count == 6 else { throw CodecError(.corrupt, "six bytes are a square") }
        let size = try limits.size(width: Int(bytes[2]), height: Int(bytes[2]))
        return PixelBuffer(size.width, size.height) { _, _ in RGBA(bytes[3], bytes[4], bytes[5]) }
    }
}

@Suite("ImageFormatDecoding")
struct CustomFormatTests {
    private let file = EncodedImage.bytes([0x53, 0x51, 40, 200, 100, 50])

    @Test("A format of one's own is decoded at the needed size, in part, and several times")
    func decodes() throws {
        let decoder = ImageDecoder(formats: [Square()])
        #expect(try decoder.probe(file).size == PixelSize(width: 40, height: 40))
        #expect(try decoder.metadata(of: file).info.colorDescription == "Square")
        let small = TargetSize(box: PixelSize(width: 8, height: 30))
        let image = try decoder.decode(file, to: small)
        #expect(image.pixels.size == PixelSize(width: 8, height: 8) && image.pixels[3, 3] == RGBA(200, 100, 50))
        #expect(image.info.format == .custom && image.completeness == .complete)
        let part = ImageRegion(x: 0.5, y: 0, width: 0.5, height: 1)
        #expect(try decoder.decode(file, region: part, to: .original).pixels.size == PixelSize(width: 20, height: 40))
        #expect(try decoder.decode(file, to: [small, .original]).buffers.count == 2)
    }

    @Test("Its errors and limits hold, and other formats stay what they are")
    func fails() throws {
        let decoder = ImageDecoder(formats: [Square()])
        for bytes: [UInt8] in [[0x53, 0x51], [0x53, 0x51, 0, 1, 2, 3]] {
            let error = #expect(throws: CodecError.self) { try decoder.decode(.bytes(bytes), to: .original) }
            #expect(error?.kind == .corrupt)
        }
        var limits = ImageLimits()
        limits.pixels = 100
        let error = #expect(throws: CodecError.self) {
            try ImageDecoder(limits: limits, formats: [Square()]).decode(file, to: .original)
        }
        #expect(error?.kind == .limit)
        #expect(throws: CodecError.self) { try ImageDecoder().decode(file, to: .original) }
        let jpeg = EncodedImage.file(TestData.fixture("images/jpeg/420.jpg"))
        #expect(try decoder.decode(jpeg, to: .original).info.format == .jpeg)
    }
}

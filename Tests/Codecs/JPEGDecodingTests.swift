import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("JPEGDecoding")
struct JPEGDecodingTests {
    private func decode(_ bytes: [UInt8], windowBytes: Int) throws -> DecodedImage {
        try ImageDecoder(windowBytes: windowBytes).decode(.bytes(bytes), to: .original)
    }

    @Test(
        "An image does not depend on the size of the chunks",
        arguments: [
            "420", "410", "grey", "cmyk", "restart-blocks", "arithmetic", "arithmetic-progressive", "sequential-scans",
            "progressive-420", "restart-progressive", "fill-bytes", "large-420", "large-progressive",
        ], [1, 7, 1000])
    func pieces(name: String, windowBytes: Int) throws {
        let bytes = contents(TestData.fixture("images/jpeg/\(name).jpg"))
        let whole = try decode(bytes, windowBytes: bytes.count)
        let pieced = try decode(bytes, windowBytes: windowBytes)
        #expect(pieced.pixels == whole.pixels)
        #expect(pieced.completeness == .complete && pieced.warnings == 0)
    }

    @Test(
        "A truncated image does not depend on the size of the chunks",
        arguments: ["420", "444", "progressive-420"])
    func cutPieces(name: String) throws {
        let bytes = contents(TestData.fixture("images/jpeg/\(name).jpg"))
        let half = Array(bytes[..<(bytes.count * 3 / 4)])
        let whole = try decode(half, windowBytes: half.count)
        let pieced = try decode(half, windowBytes: 1)
        #expect(pieced.pixels == whole.pixels)
        #expect(pieced.completeness == whole.completeness)
        #expect(whole.completeness != .complete)
    }

    @Test(
        "A damaged image and its warnings do not depend on the chunks",
        arguments: names(in: TestData.fixture("images/damaged")).filter { $0.hasSuffix(".jpg") })
    func damagedPieces(name: String) {
        let bytes = contents(TestData.fixture("images/damaged/\(name)"))
        let whole = Result { try decode(bytes, windowBytes: max(bytes.count, 1)) }
        for windowBytes in [1, 7, 100] {
            switch (whole, Result { try decode(bytes, windowBytes: windowBytes) }) {
            case (.success(let whole), .success(let pieced)):
                #expect(pieced.pixels == whole.pixels)
                #expect(pieced.completeness == whole.completeness)
                #expect(pieced.warnings == whole.warnings)
                #expect(pieced.firstWarning == whole.firstWarning)
            case (.failure(let whole), .failure(let pieced)):
                #expect(pieced as? CodecError == whole as? CodecError)
            case (let whole, let pieced):
                Issue.record("\(whole) from the whole, \(pieced) from pieces of \(windowBytes) bytes")
            }
        }
    }

    @Test("JPEG-LS is unsupported, and named; its marker after the header of another JPEG is damage")
    func jpegLS() throws {
        let frame: [UInt8] = [0xFF, 0xF7, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
        let error = #expect(throws: CodecError.self) { try decode([0xFF, 0xD8] + frame, windowBytes: 1000) }
        #expect(error?.description == "unsupported JPEG: JPEG-LS")
        var bytes = contents(TestData.fixture("images/jpeg/grey.jpg"))
        let scan = try #require(bytes.firstRange(of: [0xFF, 0xDA])).lowerBound
        bytes.insert(contentsOf: frame, at: scan)
        #expect(throws: CodecError.self) { try decode(bytes, windowBytes: 1000) }
    }

    @Test("Metadata longer than the window is skipped, and EXIF after it is found")
    func longMetadata() throws {
        let bytes = contents(TestData.fixture("images/jpeg/420.jpg"))
        let comment: [UInt8] = [0xFF, 0xFE, 0xFF, 0xFF] + [UInt8](repeating: 0xFF, count: 65_533)
        let tiff = Array("MM\0*\0\0\0\u{8}\0\u{1}".utf8) + [1, 0x12, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0]
        let exif = [0xFF, 0xE1, 0, UInt8(2 + 6 + tiff.count)] + Array("Exif\0\0".utf8) + tiff
        let file = bytes[..<2] + comment + comment + exif + bytes[2...]
        for windowBytes in [100, 65_536] {
            let image = try decode(Array(file), windowBytes: windowBytes)
            #expect(image.info.orientation == .down)
            #expect(image.pixels == (try decode(bytes, windowBytes: 1000)).pixels.oriented(.down))
        }
    }
}

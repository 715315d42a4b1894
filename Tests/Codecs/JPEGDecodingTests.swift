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
        "An image, its warnings or its error do not depend on the size of the chunks, also if it is truncated or damaged",
        arguments: [
            "420", "444", "410", "grey", "cmyk", "restart-blocks", "arithmetic", "arithmetic-progressive",
            "sequential-scans", "progressive-420", "restart-progressive", "fill-bytes", "large-420",
            "large-progressive",
        ].map { "jpeg/\($0).jpg" }
            + names(in: TestData.fixture("images/damaged")).filter { $0.hasSuffix(".jpg") }.map { "damaged/\($0)" })
    func pieces(name: String) {
        let bytes = contents(TestData.fixture("images/\(name)"))
        let isWhole = name.hasPrefix("jpeg/")
        let isCut = ["jpeg/420.jpg", "jpeg/444.jpg", "jpeg/progressive-420.jpg"].contains(name)
        if isWhole {
            let image = try? decode(bytes, windowBytes: 7)
            #expect(image?.completeness == .complete && image?.warnings == 0)
        }
        for bytes in isCut ? [bytes, Array(bytes[..<(bytes.count * 3 / 4)])] : [bytes] {
            let whole = Result { try decode(bytes, windowBytes: max(bytes.count, 1)) }
            for windowBytes in [1, 7, 1000] {
                switch (whole, Result { try decode(bytes, windowBytes: windowBytes) }) {
                case (.success(let whole), .success(let pieced)):
                    #expect(pieced.pixels == whole.pixels && pieced.completeness == whole.completeness)
                    #expect((pieced.warnings, pieced.firstWarning) == (whole.warnings, whole.firstWarning))
                case (.failure(let whole), .failure(let pieced)):
                    #expect(pieced as? CodecError == whole as? CodecError && !isWhole)
                case (let whole, let pieced):
                    Issue.record("\(whole) from the whole, \(pieced) from pieces of \(windowBytes) bytes")
                }
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
        let exif = [UInt8].segment(0xE1, Array("Exif\0\0".utf8) + ExifBlock.turned(3))
        let file = bytes[..<2] + comment + comment + exif + bytes[2...]
        for windowBytes in [100, 65_536] {
            let image = try decode(Array(file), windowBytes: windowBytes)
            #expect(image.info.orientation == .down)
            #expect(image.pixels == (try decode(bytes, windowBytes: 1000)).pixels.oriented(.down))
        }
    }
}

import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@Suite("ProgressiveJPEGDecoder")
struct ProgressiveJPEGDecoderTests {
    private func fixture(_ name: String) -> [UInt8] { contents(TestData.fixture("images/jpeg/\(name).jpg")) }

    /// Feeds a file in chunks, with a preview after each; returns the previews and the error that ends them.
    private func feed(
        _ bytes: [UInt8], pieceBytes: Int, limits: ImageLimits = ImageLimits()
    ) -> (previews: [DecodedImage], isComplete: Bool, error: CodecError?) {
        var previews: [DecodedImage] = []
        do throws(CodecError) {
            var decoder = try ProgressiveJPEGDecoder(target: .original, limits: limits)
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                try decoder.append(bytes.span.extracting(start..<min(start + pieceBytes, bytes.count)))
                if let preview = try decoder.preview() { previews.append(preview) }
            }
            return (previews, decoder.isComplete, nil)
        } catch {
            return (previews, false, error)
        }
    }

    /// The error of a decode of the whole file.
    private func decodeError(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) -> CodecError? {
        #expect(throws: CodecError.self) { try ImageDecoder(limits: limits).decode(.bytes(bytes), to: .original) }
    }

    @Test("Any number of fill bytes changes nothing and is read once")
    func fillBytes() throws {
        let file = ScansFile(side: 64, scans: [1, 2, 3, 1])
        let fill = [UInt8](repeating: 0xFF, count: 4_000_000)
        let whole = try ImageDecoder().decode(.bytes(file.bytes), to: .original)
        // After the data of the first scan; before the marker of the header's last segment.
        for start in [file.scanStarts[1], file.scanStarts[0]] {
            let bytes = Array(file.bytes[..<start] + fill + file.bytes[start...])
            // Read again with every chunk, they would take minutes.
            #expect(feed(bytes, pieceBytes: 500).isComplete)
            let image = try ImageDecoder().decode(.bytes(bytes), to: .original)
            #expect((image.pixels, image.warnings) == (whole.pixels, whole.warnings))
        }
    }

    @Test("Bytes after the end of the image are dropped")
    func tail() throws {
        let bytes = fixture("progressive-420")
        var decoder = try ProgressiveJPEGDecoder(target: .original)
        try decoder.append(bytes.span.extracting(droppingLast: 1))
        expect(decoder, .progressive, isComplete: false)
        try decoder.append(bytes.span.extracting(last: 1))
        let noise = [UInt8](repeating: 0xFF, count: 1_000_000)
        try decoder.append(noise.span)
        expect(decoder, .progressive, isComplete: true)
    }

    @Test("A damaged file has degraded previews, or an error of one line")
    func damaged() {
        for name in names(in: TestData.fixture("images/damaged")) where name.hasSuffix(".jpg") {
            let fed = feed(contents(TestData.fixture("images/damaged/\(name)")), pieceBytes: 7)
            let isShown = fed.error.map { isOneLine($0.description) } ?? true
            #expect(isShown && fed.previews.allSatisfy { $0.completeness == .degraded }, "\(name)")
        }
    }

    @Test(
        "Every preview is at least as close to the image as the previous one",
        arguments: ["progressive-420", "large-progressive"])
    func closer(name: String) throws {
        let bytes = fixture(name)
        let previews = feed(bytes, pieceBytes: 64).previews
        let final = try ImageDecoder().decode(.bytes(bytes), to: .original).pixels
        #expect(previews.allSatisfy { $0.completeness == .degraded && $0.pixels.isOpaque })
        let errors = previews.map { $0.pixels.meanSquaredDifference(to: final) }
        #expect(errors == errors.sorted(by: >) && errors.count >= 4)
        #expect(try #require(errors.last) < errors[0] / 8)
    }

    @Test("A preview needs a complete scan of every component")
    func colors() throws {
        let file = ScansFile(side: 20, scans: [1, 1, 2, 3, 1])
        let bytes = file.bytes
        var decoder = try ProgressiveJPEGDecoder(target: .original)
        let lastColorEnds = file.scanStarts[4]
        // The library recognises the end of a scan by the next marker.
        try decoder.append(bytes.span.extracting(0..<lastColorEnds))
        try expectPreview(&decoder, false)
        try decoder.append(bytes.span.extracting(lastColorEnds..<lastColorEnds + 2))
        try expectPreview(&decoder, true)
        // The header of the next scan adds nothing.
        try decoder.append(bytes.span.extracting(lastColorEnds + 2..<lastColorEnds + 11))
        try expectPreview(&decoder, false)
    }

    @Test("A thousand scans fail at the limit, with the error of a plain decode")
    func tooManyScans() throws {
        let order: [UInt8] = (0..<1000).map { UInt8($0 % 3 + 1) }
        let bytes = ScansFile(side: 8, scans: order).bytes
        let (previews, _, error) = feed(bytes, pieceBytes: 1)
        #expect(previews.count == 98)
        #expect(
            [error, decodeError(bytes)]
                == Array(repeating: CodecError(.scans(needing: 101), "more than 100 scans"), count: 2))
    }

    @Test("A cancelled preview leaves the decoder usable")
    func cancelled() throws {
        let bytes = fixture("large-progressive")
        var decoder = try ProgressiveJPEGDecoder(target: .original)
        try decoder.append(bytes.span.extracting(0..<bytes.count / 2))
        let cancellation = Cancellation()
        cancellation.cancel()
        do throws(CodecError) {
            _ = try decoder.preview(cancellation: cancellation)
            Issue.record("no error")
        } catch {
            #expect(error.kind == .cancelled)
        }
        try expectPreview(&decoder, true)
        try decoder.append(bytes.span.extracting(bytes.count / 2..<bytes.count))
        expect(decoder, .progressive, isComplete: true)
    }

    @Test(
        "Any file but a Huffman-coded progressive JPEG is other, not an error",
        arguments: ["jpeg/420.jpg", "jpeg/sequential-scans.jpg", "jpeg/arithmetic-progressive.jpg", "png/rgb-8.png"])
    func other(name: String) throws {
        var decoder = try ProgressiveJPEGDecoder(target: .original)
        expect(decoder, .unknown)
        for byte in contents(TestData.fixture("images/\(name)")) {
            let piece = [byte]
            try decoder.append(piece.span)
        }
        expect(decoder, .other)
        let info = decoder.info
        #expect(info == nil)
        try expectPreview(&decoder, false)
    }

    @Test("The kind and the size are known after the header")
    func header() throws {
        let bytes = fixture("progressive-420")
        var decoder = try ProgressiveJPEGDecoder(target: .original)
        try decoder.append(bytes.span.extracting(0..<100))
        expect(decoder, .unknown)
        try decoder.append(bytes.span.extracting(100..<300))
        expect(decoder, .progressive)
        let info = decoder.info
        #expect(info == (try ImageDecoder().probe(.bytes(bytes))))
    }

    @Test("Coefficients above the limit are rejected with the header and later")
    func coefficients() throws {
        let bytes = fixture("large-progressive")
        var limits = ImageLimits()
        limits.coefficientBytes = 1000
        let (previews, _, error) = feed(bytes, pieceBytes: 100, limits: limits)
        #expect(previews.isEmpty && error != nil)
        #expect(error == decodeError(bytes, limits: limits))
        var decoder = try ProgressiveJPEGDecoder(target: .original, limits: limits)
        for _ in 0..<2 {
            do throws(CodecError) {
                try decoder.append(bytes.span)
                Issue.record("no error")
            } catch {
                guard case .coefficientBytes = error.exceeded else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    private func expect(
        _ decoder: borrowing ProgressiveJPEGDecoder, _ kind: ProgressiveJPEGDecoder.Kind, isComplete: Bool = false
    ) {
        let found = (decoder.kind, decoder.isComplete)
        #expect(found == (kind, isComplete))
    }

    private func expectPreview(_ decoder: inout ProgressiveJPEGDecoder, _ isExpected: Bool) throws {
        let preview = try decoder.preview()
        #expect((preview != nil) == isExpected)
    }
}

import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@Suite("ProgressiveJPEGDecoder")
struct ProgressiveJPEGDecoderTests {
    static let progressive = [
        "progressive-420", "progressive-410", "progressive-grey", "restart-progressive", "large-progressive",
    ]

    private func fixture(_ name: String) -> [UInt8] { contents(TestData.fixture("images/jpeg/\(name).jpg")) }

    /// Feeds a file in chunks, with a preview after each; returns the previews and the outcome.
    private func feed(
        _ bytes: [UInt8], pieceBytes: Int, to target: TargetSize = .original, limits: ImageLimits = ImageLimits(),
        isExact: Bool = false
    ) -> (previews: [DecodedImage], end: Result<DecodedImage, CodecError>) {
        var previews: [DecodedImage] = []
        do throws(CodecError) {
            var decoder = try ProgressiveJPEGDecoder(target: target, limits: limits, isExact: isExact)
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                try decoder.append(bytes.span.extracting(start..<min(start + pieceBytes, bytes.count)))
                if let preview = try decoder.preview() { previews.append(preview) }
            }
            return (previews, .success(try decoder.finish()))
        } catch {
            return (previews, .failure(error))
        }
    }

    private func decode(
        _ bytes: [UInt8], to target: TargetSize = .original, limits: ImageLimits = ImageLimits(), isExact: Bool = false
    ) -> Result<DecodedImage, CodecError> {
        do throws(CodecError) {
            return .success(try ImageDecoder(limits: limits).decode(.bytes(bytes), to: target, isExact: isExact))
        } catch {
            return .failure(error)
        }
    }

    private func expectSame(
        _ one: Result<DecodedImage, CodecError>, _ other: Result<DecodedImage, CodecError>, _ comment: Comment? = nil
    ) {
        switch (one, other) {
        case (.success(let one), .success(let other)):
            #expect(one.pixels == other.pixels, comment)
            #expect(one.info == other.info, comment)
            #expect(one.completeness == other.completeness, comment)
            #expect(one.warnings == other.warnings, comment)
            #expect(one.firstWarning == other.firstWarning, comment)
        case (.failure(let one), .failure(let other)): #expect(one == other, comment)
        default: Issue.record("\(one) is not \(other)")
        }
    }

    // MARK: The image

    @Test(
        "The image equals a plain decode, whatever the chunks and previews",
        arguments: progressive, [1, 7, 1000, 65_536])
    func sameAtTheEnd(name: String, pieceBytes: Int) {
        let bytes = fixture(name)
        for target in [TargetSize.original, .box(7, 7)] {
            let (_, end) = feed(bytes, pieceBytes: pieceBytes, to: target)
            expectSame(end, decode(bytes, to: target))
        }
        let (_, end) = feed(bytes, pieceBytes: pieceBytes, to: .box(7, 7), isExact: true)
        expectSame(end, decode(bytes, to: .box(7, 7), isExact: true))
    }

    @Test(
        "A damaged file gives the result of a plain decode, with its warnings",
        arguments: names(in: TestData.fixture("images/damaged")).filter { $0.hasSuffix(".jpg") })
    func damaged(name: String) {
        let bytes = contents(TestData.fixture("images/damaged/\(name)"))
        for pieceBytes in [1, 7, 1000] {
            let (_, end) = feed(bytes, pieceBytes: pieceBytes)
            if case .failure(let error) = end, error.description.contains("not progressive") { continue }
            expectSame(end, decode(bytes), "\(pieceBytes)")
        }
    }

    @Test(
        "Every truncation gives the result of a plain decode",
        arguments: ["progressive-420", "restart-progressive"])
    func everyLength(name: String) {
        let bytes = fixture(name)
        for count in 0..<bytes.count {
            let cut = Array(bytes[..<count])
            expectSame(feed(cut, pieceBytes: 50).end, decode(cut), "\(count) bytes")
        }
    }

    @Test(
        "Recorded files give the result of a plain decode",
        .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"),
        arguments: ["nasa", "hostile/jpeg-odd", "hostile/jpeg-broken"])
    func recorded(folder: String) {
        let path = "\(TestData.shared ?? "")/images/\(folder)"
        var progressive = 0
        for name in names(in: path) where name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") {
            let bytes = contents("\(path)/\(name)")
            let (_, end) = feed(bytes, pieceBytes: max(bytes.count / 20, 7), to: .box(61, 46))
            if case .failure(let error) = end,
                error.description.contains("not progressive") || error.kind == .notAnImage
            {
                continue
            }
            progressive += 1
            expectSame(end, decode(bytes, to: .box(61, 46)), "\(name)")
        }
        #expect(progressive > 0)
    }

    @Test("Any number of fill bytes changes nothing and is read once")
    func fillBytes() {
        let file = ScansFile(side: 64, scans: [1, 2, 3, 1])
        let fill = [UInt8](repeating: 0xFF, count: 4_000_000)
        let whole = decode(file.bytes)
        // After the data of the first scan; before the marker of the header's last segment.
        for start in [file.scanStarts[1], file.scanStarts[0]] {
            let bytes = file.bytes[..<start] + fill + file.bytes[start...]
            // Read again with every chunk, they would take minutes.
            expectSame(feed(Array(bytes), pieceBytes: 500).end, whole)
            expectSame(decode(Array(bytes)), whole)
        }
    }

    @Test("Bytes after the end of the image are dropped")
    func tail() throws {
        let bytes = fixture("progressive-420")
        var decoder = try ProgressiveJPEGDecoder(target: .original)
        try decoder.append(bytes.span.extracting(droppingLast: 1))
        expect(decoder, .progressive, isComplete: false)
        try decoder.append(bytes.span.extracting(last: 1))
        expect(decoder, .progressive, isComplete: true)
        let noise = [UInt8](repeating: 0xFF, count: 1_000_000)
        try decoder.append(noise.span)
        expectSame(.success(try decoder.finish()), decode(bytes))
    }

    // MARK: Previews

    @Test(
        "Every preview is at least as close to the image as the previous one",
        arguments: ["progressive-420", "large-progressive"])
    func closer(name: String) throws {
        let bytes = fixture(name)
        let (previews, end) = feed(bytes, pieceBytes: 64)
        let final = try end.get()
        #expect(previews.count >= 4)
        var last = Double.infinity
        let first = try #require(previews.first).pixels.meanSquaredDifference(to: final.pixels)
        for preview in previews {
            #expect(preview.pixels.size == final.pixels.size)
            #expect(preview.completeness == .degraded)
            #expect(preview.pixels.isOpaque)
            let error = preview.pixels.meanSquaredDifference(to: final.pixels)
            #expect(error <= last)
            last = error
        }
        #expect(last < first / 8)
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
        try decoder.append(bytes.span.extracting(lastColorEnds + 11..<bytes.count))
        expectSame(.success(try decoder.finish()), decode(bytes))
    }

    @Test("A thousand scans fail at the limit, with the error of a plain decode")
    func tooManyScans() throws {
        let order: [UInt8] = (0..<1000).map { UInt8($0 % 3 + 1) }
        let bytes = ScansFile(side: 8, scans: order).bytes
        let (previews, end) = feed(bytes, pieceBytes: 1)
        #expect(previews.count == 98)
        #expect(throws: CodecError(.scans(needing: 101), "more than 100 scans")) { try end.get() }
        expectSame(end, decode(bytes))
    }

    @Test("A cancelled preview leaves the decoder usable")
    func cancelled() throws {
        let bytes = fixture("large-progressive")
        var decoder = try ProgressiveJPEGDecoder(target: .original)
        try decoder.append(bytes.span.extracting(0..<bytes.count / 2))
        var error: CodecError?
        let cancellation = Cancellation()
        cancellation.cancel()
        do throws(CodecError) {
            _ = try decoder.preview(cancellation: cancellation)
        } catch let thrown {
            error = thrown
        }
        #expect(error?.kind == .cancelled)
        try expectPreview(&decoder, true)
        try decoder.append(bytes.span.extracting(bytes.count / 2..<bytes.count))
        expectSame(.success(try decoder.finish()), decode(bytes))
    }

    // MARK: Kind

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
        do throws(CodecError) {
            _ = try decoder.finish()
            Issue.record("a picture")
        } catch {
            #expect(error.unsupportedFormat == "JPEG: not progressive")
        }
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
        let (previews, end) = feed(bytes, pieceBytes: 100, limits: limits)
        #expect(previews.isEmpty)
        expectSame(end, decode(bytes, limits: limits))
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

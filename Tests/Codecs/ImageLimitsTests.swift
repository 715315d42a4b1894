import SpyglassCodecs
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("ImageLimits")
struct ImageLimitsTests {
    private func decoder(_ change: (inout ImageLimits) -> Void) -> ImageDecoder {
        var limits = ImageLimits()
        change(&limits)
        return ImageDecoder(limits: limits)
    }

    private let small = PNGFile.gray(width: 10, height: 4) { x, y in UInt8(x * y) }

    @Test("What a limit states is allowed, one more is rejected")
    func exact() {
        // Scans of the script of cjpeg's default progression.
        let progressive = EncodedImage.bytes(Self.progressive)
        for (file, limit, allowed, error) in [
            (.bytes(small), \.pixels, 40, CodecError(.pixels(needing: 40), "10x4 is 40 pixels, above the limit of 39")),
            (.bytes(small), \.side, 10, CodecError(.side(needing: 10), "10x4 has a side above the limit of 9 pixels")),
            (progressive, \.scans, 10, CodecError(.scans(needing: 10), "more than 9 scans")),
        ] as [(EncodedImage, WritableKeyPath<ImageLimits, Int>, Int, CodecError)] {
            #expect(decoder { $0[keyPath: limit] = allowed }.failure(file) == nil)
            #expect(decoder { $0[keyPath: limit] = allowed - 1 }.failure(file) == error)
        }
    }

    @Test("A file of 4 GiB is allowed, a larger one is rejected unless bodies may be as large")
    func fileBytes() throws {
        let folder = try TemporaryFolder()
        let (limit, path) = (4 << 30, folder.path("large.png"))
        try folder.write("large.png", small, byteCount: limit)
        #expect(try ImageDecoder().probe(.file(path)).size == PixelSize(width: 10, height: 4))
        try folder.write("large.png", small, byteCount: limit + 1)
        let refused = CodecError(
            .bodyBytes, "a file of 4294967297 bytes, above the limit of 4294967296 bytes")
        let file = EncodedImage.file(path)
        let uses: [(ImageDecoder) throws -> Void] = [
            { _ = try $0.probe(file) }, { _ = try $0.frameCount(of: file) }, { _ = try $0.metadata(of: file) },
            { _ = try $0.animation(of: file, to: .original) }, { _ = try $0.decode(file, to: .original) },
        ]
        for use in uses { #expect(throws: refused) { try use(ImageDecoder()) } }
        #expect(try decoder { $0.bodyBytes = limit + 1 }.probe(.file(path)).size == PixelSize(width: 10, height: 4))
    }

    @Test("The header suffices to reject an image, with readable numbers")
    func numbers() {
        let gigantic = PNGFile(width: 30_000, height: 30_000, color: .rgba).ended()
        let message = "30000x30000 is 900 M pixels, above the limit of 100 M"
        #expect(
            ImageDecoder().failure(.bytes(gigantic)) == CodecError(.pixels(needing: 900_000_000), message))
        let justAbove = PNGFile(width: 10_000, height: 10_001).ended()
        #expect(ImageDecoder().failure(.bytes(justAbove))?.description.contains("is 100.1 M pixels") == true)
        #expect(throws: CodecError(.pixels(needing: 900_000_000), message)) {
            try ImageDecoder().probe(.bytes(gigantic))
        }
    }

    @Test(
        "Without limits an image beyond counting is still rejected",
        arguments: [(1 << 24, 1 << 24), (1 << 26, 1), (1, 0x7FFF_FFFF)])
    func beyond(width: Int, height: Int) {
        let file = PNGFile(width: width, height: height, depth: 16, color: .rgba).ended()
        let unlimited = decoder { ($0.pixels, $0.side) = (.max, .max) }
        let error = unlimited.failure(.bytes(file), to: .box(80, 46))
        // No option helps.
        #expect(error?.kind == .limit && error?.exceeded == nil)
    }

    @Test("Without limits the output is still limited")
    func beyondTarget() {
        var file = PNGFile(width: 1 << 20, height: 1 << 20)
        file.chunk("IDAT", [])
        let unlimited = decoder { ($0.pixels, $0.side) = (.max, .max) }
        #expect(unlimited.failure(.bytes(file.ended()))?.kind == .limit)
    }

    @Test("A limit of 0 allows nothing")
    func nothing() {
        let limits: [WritableKeyPath<ImageLimits, Int>] = [\.pixels, \.side, \.scans, \.coefficientBytes]
        for limit in limits {
            #expect(decoder { $0[keyPath: limit] = 0 }.failure(.bytes(Self.progressive))?.kind == .limit)
        }
    }

    @Test("The output is checked against the pixel limit, too")
    func target() {
        let box = TargetSize(box: PixelSize(width: 20_000, height: 20_000), allowsUpscaling: true)
        #expect(ImageDecoder().failure(.bytes(small), to: box)?.kind == .limit)
        #expect(
            ImageDecoder().failure(
                .bytes(small), to: TargetSize(box: PixelSize(width: 100, height: 100), allowsUpscaling: true)) == nil)
    }

    @Test("A chunk of the limit's size is allowed, a larger one is rejected")
    func chunkBytes() {
        var file = PNGFile(width: 1, height: 1)
        file.chunk("eXIf", Array("MM\0*".utf8) + [UInt8](repeating: 0, count: 96))
        file.pixels([[5]])
        let bytes = file.ended()
        #expect(decoder { $0.pngChunkBytes = 100 }.failure(.bytes(bytes)) == nil)
        for limit in [99, 0] {
            #expect(decoder { $0.pngChunkBytes = limit }.failure(.bytes(bytes))?.exceeded == .pngChunkBytes)
        }
    }

    @Test("Warnings below the limit are counted, and at the limit decoding fails")
    func warnings() throws {
        var file = PNGFile(width: 1, height: 1)
        // Each is misplaced, which libpng warns about.
        for _ in 0..<5 { file.chunk("gAMA", [0, 0, 0, 0]) }
        file.pixels([[5]])
        let bytes = file.ended()
        let image = try ImageDecoder().decode(.bytes(bytes), to: .original)
        let count = image.warnings
        #expect(image.completeness == .complete && image.firstWarning?.isEmpty == false && count >= 5)
        #expect(decoder { $0.warnings = count + 1 }.failure(.bytes(bytes)) == nil)
        let error = decoder { $0.warnings = count }.failure(.bytes(bytes))
        #expect(error?.kind == .corrupt && error?.description.contains("\(count) warnings") == true)
    }

    @Test("A file without an image is read up to the body limit")
    func header() {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: 400_000)
        var file = PNGFile(width: 1, height: 1)
        for _ in 0..<4 { file.chunk("juNK", [UInt8](repeating: 0, count: 100_000)) }
        file.pixels([[5]])
        for bytes in [jpeg, file.ended()] {
            #expect(decoder { $0.bodyBytes = 200_000 }.failure(.bytes(bytes))?.kind == .limit)
            #expect(decoder { $0.bodyBytes = bytes.count }.failure(.bytes(bytes))?.kind != .limit)
        }
        #expect(decoder { $0.bodyBytes = 500_000 }.failure(.bytes(file.ended())) == nil)
    }

    private static let progressive = contents(TestData.fixture("images/jpeg/progressive-420.jpg"))

    @Test("The coefficient limit is allowed; a byte less fails before allocation")
    func coefficients() {
        // 33x27 at 4:2:0: three by two rows of MCUs, each of six blocks of 64 coefficients.
        let needed = 3 * 2 * 6 * 64 * 2
        let source = EncodedImage.bytes(Self.progressive)
        #expect(decoder { $0.coefficientBytes = needed }.failure(source) == nil)
        let error = decoder { $0.coefficientBytes = needed - 1 }.failure(source)
        #expect(error?.exceeded == .coefficientBytes(needing: needed))
    }

    @Test("An arithmetic-coded JPEG is checked against the body limit")
    func arithmetic() {
        let bytes = contents(TestData.fixture("images/jpeg/arithmetic.jpg"))
        #expect(decoder { $0.bodyBytes = bytes.count }.failure(.bytes(bytes)) == nil)
        #expect(decoder { $0.bodyBytes = bytes.count - 1 }.failure(.bytes(bytes))?.kind == .limit)
    }
}

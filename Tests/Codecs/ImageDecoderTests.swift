import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCodecs

@Suite("ImageDecoder")
struct ImageDecoderTests {
    private let decoder = ImageDecoder()

    @Test("A grey PNG at its own size is decoded byte for byte")
    func identity() throws {
        let file = PNGFile.gray(width: 16, height: 16) { x, y in UInt8(y * 16 + x) }
        let image = try decoder.decode(.bytes(file), to: .original)
        #expect(image.completeness == .complete && image.warnings == 0 && image.firstWarning == nil)
        #expect(image.pixels.colors == (0...255).map { RGBA($0, $0, $0) })
    }

    @Test("The probe reads the header without decoding, even without pixels")
    func probe() throws {
        let png = PNGFile(width: 40, height: 30, depth: 16, color: .rgba, interlaced: true)
        var headerOnly = png
        headerOnly.chunk("IDAT", [])
        let info = try decoder.probe(.bytes(headerOnly.bytes))
        #expect(
            info
                == ImageInfo(
                    format: .png, storedSize: PixelSize(width: 40, height: 30), isProgressive: true, hasAlpha: true,
                    colorDescription: "RGB and alpha, 16 bits"))
    }

    @Test(
        "The probe describes the colours of a JPEG",
        arguments: [
            ("grey", "grey, 8 bits"), ("420", "YCbCr, 8 bits"), ("rgb", "RGB, 8 bits"), ("cmyk", "CMYK, 8 bits"),
            ("ycck", "YCCK, 8 bits"),
        ])
    func colors(name: String, description: String) throws {
        let info = try decoder.probe(.file(TestData.fixture("images/jpeg/\(name).jpg")))
        #expect(info == ImageInfo(format: .jpeg, storedSize: info.size, colorDescription: description))
    }

    @Test("A rotated image is fitted as it is displayed")
    func sideways() throws {
        var file = PNGFile(width: 40, height: 20)
        file.chunk("eXIf", ExifBlock.turned(6))
        file.pixels((0..<20).map { y in [UInt8](repeating: UInt8(y), count: 40) })
        let image = try decoder.decode(.bytes(file.ended()), to: .box(10, 10))
        #expect(image.info.orientation == .right)
        #expect(
            [image.info.size, image.pixels.size] == [PixelSize(width: 20, height: 40), PixelSize(width: 5, height: 10)])
        #expect(image.pixels[0, 0].red > image.pixels[4, 0].red)
    }

    @Test("Sixteen bits are rounded to eight, not truncated")
    func sixteenBits() throws {
        var file = PNGFile(width: 3, height: 1, depth: 16)
        file.pixels([[0x00, 0x80, 0x01, 0x81, 0xFE, 0xFF]])
        let image = try decoder.decode(.bytes(file.ended()), to: .original)
        // 128, 385 and 65,279 of 65,535.
        #expect((0..<3).map { image.pixels[$0, 0].red } == [0, 1, 254])
    }

    @Test("A gAMA chunk counts if it differs from sRGB, without an sRGB chunk")
    func gamma() throws {
        func middleGrey(_ chunks: [(String, [UInt8])]) throws -> UInt8 {
            var file = PNGFile(width: 1, height: 1)
            for (type, content) in chunks { file.chunk(type, content) }
            file.pixels([[128]])
            return try decoder.decode(.bytes(file.ended()), to: .original).pixels[0, 0].red
        }
        let linear: (String, [UInt8]) = ("gAMA", [0, 1, 0x86, 0xA0])  // 100,000: linear light
        let close: (String, [UInt8]) = ("gAMA", [0, 0, 0xB1, 0x8F])  // 45,455: 1/2.2
        let greys = try [[], [linear], [close], [("sRGB", [0]), linear]].map(middleGrey)
        #expect(greys == [128, 188, 128, 128])
    }

    @Test("Library messages that quote the file are printable ASCII")
    func quotedWords() throws {
        var file = PNGFile(width: 1, height: 1)
        // A profile whose name has an escape sequence and invalid UTF-8, and whose zlib stream is too short.
        let name: [UInt8] = [0x41, 0xC3, 0xA9, 0xFF, 0x42]
        let content: [UInt8] = [0, 0, 0, 132] + [UInt8](repeating: 0x9B, count: 128)
        file.chunk("iCCP", name + [0, 0] + PNGFile.zlib(content))
        file.pixels([[0]])
        let image = try decoder.decode(.bytes(file.ended()), to: .original)
        let warning = try #require(image.firstWarning)
        #expect(warning.contains("A") && warning.contains("B") && isOneLine(warning))
    }

    @Test("An iPhone's PNG variant is unsupported")
    func cgbi() {
        var file = PNGFile(width: 1, height: 1)
        let header = Array(file.bytes[8...])
        file.bytes.removeLast(header.count)
        file.chunk("CgBI", [0, 0, 0, 0])
        file.bytes += header
        #expect(decoder.failure(.bytes(file.ended()))?.kind == .unsupported)
    }

    @Test("Other formats and other kinds of file are named")
    func foreign() {
        let errors = ["8BPS", "<html>404"].map { decoder.failure(.bytes(Array($0.utf8)))?.description }
        #expect(errors == ["not supported: Photoshop", "a web page, not an image"])
    }

    @Test(
        "A cancelled decode stops between rows",
        arguments: ["png", "png-adam7", "jpeg"], [1, 3, 5])
    func cancelled(kind: String, at call: Int) {
        // In each, a row of pixels or of blocks exceeds what is decoded at a time.
        let file: [UInt8]
        switch kind {
        case "jpeg": file = JPEGFile(width: 65_000, height: 80).bytes
        default:
            var png = PNGFile(width: 65_000, height: 24, interlaced: kind == "png-adam7")
            // Zeros are rows of both, each with its filter.
            png.pixels([[UInt8](repeating: 0, count: 24 * 65_000 + 100)])
            file = png.ended()
        }
        var limits = ImageLimits()
        limits.pixels = .max
        let decoder = ImageDecoder(limits: limits)
        let (checks, error) = cancelling(at: call, file) { (input) throws(CodecError) in
            _ = try decoder.decode(input, DecodeSpec(.box(4, 4), isExact: false))
        }
        #expect(error == .cancelled && checks == call)
    }

    @Test("A cancelled probe stops within an endless header", arguments: ["png", "jpeg"])
    func cancelledHeader(kind: String) {
        var png = PNGFile(width: 1, height: 1)
        for _ in 0..<20 { png.chunk("juNK", [UInt8](repeating: 0, count: 60_000)) }
        let comments = (0..<20).flatMap { _ in [0xFF, 0xFE, 0xEA, 0x60] + [UInt8](repeating: 0, count: 0xEA60 - 2) }
        let file = kind == "png" ? png.ended() : [0xFF, 0xD8] + comments
        let (checks, error) = cancelling(at: 5, file) { (input) throws(CodecError) in _ = try decoder.probe(input) }
        #expect(error == .cancelled && checks == 5)
    }

    @Test("Images that are kept hold no work memory, so that later decodes do not wait", arguments: ["png", "jpeg"])
    func kept(kind: String) throws {
        // 2 MiB of pixels each.
        let (width, height) = (1024, 512)
        let file =
            kind == "png"
            ? PNGFile.gray(width: width, height: height) { _, _ in 0 }
            : JPEGFile(width: width, height: height).bytes
        let memory = WorkMemory(limit: 8 << 20)
        let decoder = ImageDecoder(memory: memory)
        var kept: [DecodedImage] = []
        for number in 0..<5 {
            let image =
                number == 0
                ? try decoder.decode(.bytes(file), to: [.original]) : try decoder.decode(.bytes(file), to: .original)
            kept.append(image)
            try #require(memory.reserveIfFree(memory.limit) != nil)
        }
        withExtendedLifetime(kept) {}
    }

    @Test("A decode on a thread pool is cancelled with its task, which passes nothing on")
    func cancelledOnThread() async throws {
        let memory = WorkMemory(limit: 40 << 20)
        let decoder = ImageDecoder(memory: memory)
        let file = PNGFile.gray(width: 1024, height: 512) { _, _ in 0 }
        let first = try memory.reserve(memory.limit)
        let asked = AsyncGate()
        let task = Task {
            try await ThreadPool(count: 1).run { _ in
                asked.open()
                return try decoder.decode(.bytes(file), to: .original)
            }
        }
        try await asked.wait()
        task.cancel()
        let error = await #expect(throws: CodecError.self) { try await task.value }
        #expect(error?.kind == .cancelled)
        withExtendedLifetime(first) {}
    }

    @Test("Any limits and windows end in an image or an error", arguments: [Int.min, -1, 0, 1, .max])
    func extremes(number: Int) {
        var limits = ImageLimits()
        limits.bodyBytes = number
        limits.coefficientBytes = number
        limits.warnings = number
        limits.scans = number
        limits.pngChunkBytes = number
        limits.workBytes = number
        limits.frames = number
        limits.framePixels = number
        for name in ["jpeg/arithmetic-progressive.jpg", "jpeg/large-progressive.jpg", "png/rgb-8-adam7.png"] {
            let file = EncodedImage.file(TestData.fixture("images/\(name)"))
            for box in [PixelSize(width: number, height: number), PixelSize(width: 8, height: 8)] {
                for allowsUpscaling in [true, false] {
                    let target = TargetSize(box: box, allowsUpscaling: allowsUpscaling)
                    _ = try? ImageDecoder(limits: limits, windowBytes: number).decode(file, to: target)
                    _ = try? ImageDecoder().decode(file, to: target)
                    _ = try? ImageDecoder(windowBytes: number).decode(file, to: [target, .original, .percent(number)])
                }
            }
        }
    }

    @Test("A cancelled task throws")
    func cancelledTask() async {
        let file = PNGFile.gray(width: 4, height: 4) { _, _ in 0 }
        let task = Task { () -> CodecError? in
            withUnsafeCurrentTask { $0?.cancel() }
            return ImageDecoder().failure(.bytes(file))
        }
        #expect(await task.value?.kind == .cancelled)
    }

    @Test("Any image can be reduced to one pixel")
    func onePixel() throws {
        for name in ["jpeg/420.jpg", "jpeg/large-420.jpg", "png/side-65535.png", "png/rgb-8-adam7.png"] {
            let image = try decoder.decode(.file(TestData.fixture("images/\(name)")), to: .box(1, 1))
            #expect(image.pixels.size == PixelSize(width: 1, height: 1))
        }
    }

    @Test("Bytes after the image are ignored", arguments: ["jpeg/420.jpg", "png/rgb-8.png"])
    func trailing(name: String) throws {
        let bytes = contents(TestData.fixture("images/\(name)"))
        let image = try decoder.decode(.bytes(bytes + [UInt8](repeating: 0xFF, count: 200_000)), to: .original)
        let expected = try decoder.decode(.bytes(bytes), to: .original).pixels
        #expect(image.completeness == .complete && image.pixels == expected)
    }
}

@Suite("ImageDecoder, several sizes")
struct SeveralSizesTests {
    private let decoder = ImageDecoder()
    private static let files = [
        "jpeg/420.jpg", "jpeg/progressive-420.jpg", "jpeg/cmyk.jpg", "png/rgba-8.png", "png/rgb-8-adam7.png",
    ]

    @Test(
        "One decode gives the result of each size alone, in order", arguments: files,
        ResampleFilter.allCases)
    func alike(name: String, filter: ResampleFilter) throws {
        let file = EncodedImage.file(TestData.fixture("images/\(name)"))
        let sizes = [TargetSize.box(10, 10), .original, .box(4, 7), .box(10, 10)]
        let images = try decoder.decode(file, to: sizes, filter: filter, isExact: true)
        let alone = try sizes.map { try decoder.decode(file, to: [$0], filter: filter, isExact: true).pixels }
        #expect(images.completeness == .complete && images.buffers == alone)
        if filter == .area { #expect(try images.buffers[1] == decoder.decode(file, to: .original).pixels) }
    }

    @Test("Without sizes the completeness is still reported")
    func none() throws {
        let whole = try decoder.decode(.file(TestData.fixture("images/jpeg/420.jpg")), to: [])
        #expect(whole.completeness == .complete && whole.buffers.isEmpty)
        let cut = try decoder.decode(.file(TestData.fixture("images/damaged/cut-444-60.jpg")), to: [])
        #expect(cut.completeness != .complete)
    }

    @Test("The most demanding size decides a JPEG's scale, in any order")
    func scale() {
        let source = PixelSize(width: 6_400, height: 6_400)
        let (small, large) = (PixelSize(width: 100, height: 100), PixelSize(width: 800, height: 800))
        let scales = [[small], [small, large], [large, small]].map { DCTScale.fitting(source, to: $0, .area).eighths }
        #expect(scales == [1, 8, 8])
    }

    @Test("Sizes within the limit can exceed it together")
    func limit() {
        var limits = ImageLimits()
        limits.pixels = 1_500
        let file = EncodedImage.file(TestData.fixture("images/jpeg/420.jpg"))  // 33 x 27
        let decoder = ImageDecoder(limits: limits)
        #expect(throws: Never.self) { try decoder.decode(file, to: [.original]) }
        #expect(
            throws: CodecError(
                .pixels(needing: 1_782), "the sizes together are 1782 pixels, above the limit of 1500")
        ) { try decoder.decode(file, to: [.original, .original]) }
    }

    @Test("EXIF is returned as a TIFF block without prefix, only on request")
    func exif() throws {
        let file = EncodedImage.file(TestData.fixture("images/exif/6-big.jpg"))
        #expect(try decoder.decode(file, to: [.original]).exif == nil)
        let block = try #require(try decoder.decode(file, to: [.original], readsMetadata: true).exif)
        #expect(block.starts(with: Array("MM\0*".utf8)) && Exif.orientation(in: block[...]) == .right)
        let png = EncodedImage.file(TestData.fixture("images/png/exif-6.png"))
        #expect(try decoder.decode(png, to: [.original], readsMetadata: true).exif.map { $0.count > 8 } == true)
        let none = EncodedImage.file(TestData.fixture("images/exif/no-tiff.jpg"))
        #expect(try decoder.decode(none, to: [.original], readsMetadata: true).exif == nil)
    }
}

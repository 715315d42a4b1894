import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCodecs

@Suite("DecodingNeeds")
struct DecodingNeedsTests {
    private func needs(_ bytes: [UInt8]) -> [Bool] {
        let needs = DecodingNeeds(bytes)
        return [needs.usesColorManagement, needs.mayNeedWorker, needs.mayBeTransparent]
    }

    @Test("A PNG needs what the chunks before its pixels say")
    func png() {
        func file(_ color: PNGFile.Color, _ chunks: String...) -> [UInt8] {
            var file = PNGFile(width: 1, height: 1, color: color)
            for chunk in chunks { file.chunk(chunk, [0, 0, 0]) }
            file.chunk("IDAT", [])
            return file.bytes
        }
        let files = [file(.gray), file(.gray, "iCCP"), file(.palette, "PLTE", "tRNS"), file(.gray).dropLast(12)]
        let (none, alpha) = ([false, false, false], [false, false, true])
        #expect(files.map(needs) == [none, [true, false, false], alpha, [true, false, true]])
    }

    @Test("GIF has no profile, WebP and FITS need a worker, other files need nothing")
    func others() {
        for (start, expected) in [
            ("SIMPLE  =", [false, true, true]), ("GIF89a", [false, false, true]),
            ("RIFF\0\0\0\0WEBPVP8 ", [false, true, true]), ("<html>", [false, false, false]),
        ] { #expect(needs(Array(start.utf8)) == expected) }
    }
}

@Suite("DecodeSpec")
struct DecodeSpecTests {
    @Test("The rows of a target row count: few if both sides shrink alike, all if only the height shrinks")
    func rowsOfWindow() {
        func bytes(_ source: PixelSize, _ target: PixelSize, _ filter: ResampleFilter = .lanczos) -> Int {
            DecodeSpec.byteCount([target], of: source, copies: 1, filter) - target.pixelCount * 4
        }
        let (tall, flat) = (PixelSize(width: 1500, height: 65_500), PixelSize(width: 1500, height: 1))
        #expect(bytes(tall, flat) > 1500 * 65_500 * 8)
        let few = [bytes(tall, PixelSize(width: 15, height: 655)), bytes(tall, flat, .area)]
        #expect(few == Array(repeating: 1500 * DecodeSpec.rowBytes, count: 2))
        let line = PixelSize(width: 1, height: 65_500)
        #expect(bytes(line, PixelSize(width: 1, height: 1)) > 16 * 65_500 * 8, "A row has sixteen samples at least")
    }

    @Test(
        "Small images in memory are copied twice for a worker that shares it, others once, files never",
        arguments: [true, false])
    func copies(isShared: Bool) throws {
        let limit = WorkerConnection.minSharedBytes
        for (count, times) in [(100, 2), (limit, 2), (limit + 1, 1)] {
            let input = try ByteReader(.bytes([UInt8](repeating: 0, count: count)))
            #expect(input.copiedBytes(ImageLimits(), isShared: isShared) == count * (isShared ? times : 1))
        }
        let file = try ByteReader(.file("/proc/self/exe"))
        #expect(file.copiedBytes(ImageLimits(), isShared: isShared) == 0)
    }

    @Test(
        "A part reads alike in memory and in a file",
        arguments: [0..<10, 5..<3_000, 2_990..<9_000, 3_000..<3_001, 7..<7])
    func parts(range: Range<Int>) throws {
        let bytes = (0..<3_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let folder = try TemporaryFolder()
        try folder.write("a", String(decoding: bytes.map { $0 & 0x7F }, as: UTF8.self))
        let inputs = [try ByteReader(.bytes(bytes.map { $0 & 0x7F })), try ByteReader(.file(folder.path("a")))]
        let found = try inputs.map { input -> [[UInt8]] in
            let part = try ByteReader(2..<2_000, of: ByteReader(range, of: input))
            var all: [UInt8] = []
            try ByteWindow(part).append(5_000, to: &all)
            return [
                all, part.head, try part.bytes(100, at: 3), try part.bytes(5_000, at: 0),
                try part.bytes(1, at: 1 << 40),
                [UInt8](repeating: 0, count: try part.byteCount()),
            ]
        }
        #expect(found[0] == found[1])
        #expect(
            found[0][0].elementsEqual(bytes[range.clamped(to: 0..<3_000)].dropFirst(2).prefix(1_998).map { $0 & 0x7F }))
    }

    @Test("The memory that an error names is enough for the whole decoding")
    func namedMemory() throws {
        let size = PixelSize(width: 10_000, height: 100)
        var limits = ImageLimits()
        limits.workBytes = 1 << 20
        var spec = DecodeSpec(.original, isExact: false)
        (spec.sharedCopies, spec.copiedBytes) = (2, 1 << 20)
        func reserve() throws(CodecError) -> WorkMemory.Share? {
            try spec.reserve([size], of: size, copies: 2, work: 2 << 20, within: limits)
        }
        let error = try #require(#expect(throws: CodecError.self) { try reserve() })
        guard case .workMemory(let needed) = error.exceeded else {
            Issue.record(error)
            return
        }
        limits.workBytes = needed
        spec.grant = WorkMemory(limit: needed).grantToDecode(nil)
        #expect(try reserve() != nil)
        spec.grant = WorkMemory(limit: needed - 1).grantToDecode(nil)
        #expect(throws: CodecError.self) { try reserve() }
    }
}

@Suite("DCTScale")
struct DCTScaleTests {
    @Test(
        "A scale leaves the resampler at least eight times the target, sixteen times that of a thumbnail",
        arguments: [
            (100, 100, 8), (1_599, 100, 8), (1_600, 100, 4), (3_199, 100, 4), (3_200, 100, 2), (6_399, 100, 2),
            (6_400, 100, 1), (65_500, 1, 1), (50, 100, 8), (1_535, 48, 8), (1_536, 48, 4), (3_072, 48, 2),
            (6_144, 48, 1), (784, 49, 4),
        ])
    func eighths(source: Int, target: Int, eighths: Int) {
        let scale = DCTScale.fitting(
            PixelSize(width: source, height: source), to: PixelSize(width: target, height: target))
        #expect(scale.eighths == eighths)
    }

    @Test(
        "Half size leaves Lanczos twice the target, smaller scales three times",
        arguments: [(3, 8), (4, 4), (11, 4), (12, 2), (23, 2), (24, 1)])
    func lanczos(ratio: Int, eighths: Int) {
        let target = PixelSize(width: 40, height: 40)
        let scale = DCTScale.fitting(PixelSize(width: 40 * ratio, height: 40 * ratio), to: target, .lanczos)
        #expect(scale.eighths == eighths)
    }

    @Test("Chroma is interpolated only where fewer than two pixels become one")
    func upsampling() {
        let target = PixelSize(width: 100, height: 100)
        let scales = [199, 200].map { DCTScale.fitting(PixelSize(width: $0, height: $0), to: target) } + [.full]
        #expect(scales.map(\.fancyUpsampling) == [true, false, true])
    }
}

@Suite("Samples/kubernetes")
struct SampleContainerTests {
    @Test("The container has the libraries of all formats that the tests need")
    func libraries() throws {
        func text(_ path: String) -> String { String(decoding: contents("\(TestData.root)/\(path)"), as: UTF8.self) }
        let line = try #require(text("Makefile").split(separator: "\n").first { $0.hasPrefix("TEST_LIBRARIES") })
        let packages = line.split(separator: " ").dropFirst(2)
        let installed = Set(text("packaging/Containerfile").split { " \n\\".contains($0) })
        #expect(packages.count >= 6 && packages.allSatisfy(installed.contains), "\(packages)")
    }
}

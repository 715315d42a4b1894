import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCodecs

/// What a test expects of a frame: a digit a pixel for the colours of `GIFFile`, a point where it is transparent.
extension AnimationFrame {
    var text: String {
        let digits = pixels.gifIndices.map { $0.map(String.init) ?? "." }
        let width = pixels.size.width
        return stride(from: 0, to: digits.count, by: width).map { digits[$0..<$0 + width].joined() }
            .joined(separator: " ")
    }
}

extension Animation {
    /// The frames that are left.
    func frames() throws -> [AnimationFrame] {
        var frames: [AnimationFrame] = []
        while let frame = try next() { frames.append(frame) }
        return frames
    }
}

@Suite("GIFFrames")
struct GIFFramesTests {
    private let decoder = ImageDecoder()

    private func open(_ file: [UInt8], _ decoder: ImageDecoder? = nil) throws(CodecError) -> Animation? {
        try (decoder ?? self.decoder).animation(of: .bytes(file), to: .original)
    }

    private func frames(_ file: [UInt8], _ decoder: ImageDecoder? = nil) throws -> [AnimationFrame] {
        try #require(try open(file, decoder)).frames()
    }

    /// A canvas of 3x2 in colour 1, then a pixel of colour 2 with a disposal, then one of colour 3.
    private func disposing(_ disposal: UInt8, first: UInt8 = 0) -> [UInt8] {
        var file = GIFFile(width: 3, height: 2)
        file.control(GIFFile.Control(disposal: first))
        file.image(width: 3, height: 2, [1, 1, 1, 1, 1, 1])
        file.control(GIFFile.Control(disposal: disposal))
        file.image(x: 1, width: 1, height: 2, [2, 2])
        file.image(x: 2, y: 1, width: 1, height: 1, [3])
        return file.ended()
    }

    @Test(
        "A frame's area is kept, cleared to transparent or restored",
        arguments: [(0, "121 123"), (1, "121 123"), (2, "1.1 1.3"), (3, "111 113"), (4, "111 113"), (7, "121 123")])
    func disposal(method: Int, third: String) throws {
        let frames = try frames(disposing(UInt8(method)))
        #expect(frames.map(\.text) == ["111 111", "121 121", third])
    }

    @Test("Frames are counted without decoding them")
    func frameCount() throws {
        let counts = try [.max, 2].map { try decoder.frameCount(of: .bytes(disposing(0)), upTo: $0) }
        #expect(counts == [3, 2])
    }

    @Test("After the first frame, restoring means clearing")
    func firstRestored() throws {
        #expect(try frames(disposing(0, first: 3)).map(\.text) == ["111 111", ".2. .2.", ".2. .23"])
    }

    @Test("A transparent index leaves what is below, and a control holds for one image")
    func transparent() throws {
        var file = GIFFile(width: 2, height: 1)
        file.image(width: 2, height: 1, [1, 2])
        file.control(GIFFile.Control(transparent: 3))
        file.image(width: 2, height: 1, [3, 0])
        file.image(width: 2, height: 1, [3, 3])
        #expect(try frames(file.ended()).map(\.text) == ["12", "10", "33"])
    }

    @Test("Images are clipped at the canvas, also those that are wholly outside or have no pixels")
    func clipped() throws {
        var file = GIFFile(width: 2, height: 2)
        file.image(width: 2, height: 2, [1, 1, 1, 1])
        file.image(x: 1, y: 1, width: 3, height: 2, [2, 2, 2, 2, 2, 2])
        file.image(x: 9, y: 0, width: 1, height: 1, [3])
        file.image(width: 0, height: 1, [])
        file.image(x: 0, y: 1, width: 1, height: 8, [3, 0, 0, 0, 0, 0, 0, 0], interlaced: true)
        #expect(try frames(file.ended()).map(\.text) == ["11 11", "11 12", "11 12", "11 12", "11 32"])
    }

    @Test("A local palette holds for its image, and an index beyond it is transparent")
    func palettes() throws {
        var file = GIFFile(width: 2, height: 1)
        file.image(width: 2, height: 1, [1, 1])
        file.image(width: 2, height: 1, [0, 2], colors: [GIFFile.colors[3], GIFFile.colors[2]])
        file.image(x: 1, width: 1, height: 1, [0])
        #expect(try frames(file.ended()).map(\.text) == ["11", "31", "30"])
    }

    @Test("The first frame is the still image, also of a region and at a small size")
    func first() throws {
        let file = EncodedImage.bytes(disposing(2))
        for (region, target) in [
            (ImageRegion.whole, TargetSize.original), (.whole, .box(2, 2)),
            (ImageRegion(x: 0.3, y: 0, width: 0.4, height: 0.5), .original),
        ] {
            let still = try decoder.decode(file, region: region, to: target)
            let animation = try #require(try decoder.animation(of: file, region: region, to: target))
            #expect(try animation.info == still.info && animation.next()?.pixels == still.pixels)
        }
    }

    @Test(
        "Delays are hundredths of a second; 0 and 1 are 100 ms",
        arguments: [(0, 100), (1, 100), (2, 20), (10, 100), (65_535, 655_350)])
    func delays(stated: Int, milliseconds: Int) throws {
        var file = GIFFile(width: 1, height: 1)
        for _ in 0..<2 {
            file.control(GIFFile.Control(delay: stated))
            file.image(width: 1, height: 1, [0])
        }
        #expect(try frames(file.ended()).map(\.duration) == [.milliseconds(milliseconds), .milliseconds(milliseconds)])
    }

    @Test("Loops are counted after the first play; without an extension there is one")
    func loops() throws {
        func plays(_ write: (inout GIFFile) -> Void) throws -> Int? {
            var file = GIFFile(width: 1, height: 1)
            write(&file)
            for _ in 0..<2 { file.image(width: 1, height: 1, [0]) }
            return try #require(try open(file.ended())).plays
        }
        let plays = try [
            plays { _ in }, plays { $0.loop(0) }, plays { $0.loop(3) }, plays { $0.loop(65_535, name: "ANIMEXTS1.0") },
            plays { $0.loop(5, name: "SOMETHING1.") },
        ]
        #expect(plays == [1, nil, 4, 65_536, 1])
    }

    @Test("An image alone is still")
    func still() throws {
        var file = GIFFile(width: 1, height: 1)
        file.loop(0)
        file.image(width: 1, height: 1, [0])
        for still in [
            file.ended(), file.ended() + Array("GIF89a,".utf8), PNGFile.gray(width: 1, height: 1) { _, _ in 1 },
        ] { #expect(try open(still) == nil) }
    }

    @Test("Frames that are skipped are drawn, and a restart starts with an empty canvas")
    func skip() throws {
        let animation = try #require(try open(disposing(0)))
        for _ in 0..<2 {
            let skipped = try [animation.skip(), animation.skip()]
            let frames = try animation.frames().map(\.text)
            #expect(skipped == [.milliseconds(100), .milliseconds(100)] && frames == ["121 123"])
            #expect(try animation.skip() == nil)
            animation.restart()
        }
        #expect(try animation.next()?.text == "111 111")
        animation.restart()
        #expect(try animation.next()?.text == "111 111")
    }

    @Test("A cut file has the frames and rows that are there")
    func cut() throws {
        var file = GIFFile(width: 4, height: 4)
        file.image(width: 4, height: 4, [UInt8](repeating: 1, count: 16))
        let first = file.bytes.count
        file.image(width: 4, height: 4, (0..<16).map { UInt8($0 / 4) })
        let whole = try frames(file.ended()).map(\.text)
        #expect(whole == ["1111 1111 1111 1111", "0000 1111 2222 3333"])
        var seen: Set<String> = []
        for count in first..<file.bytes.count {
            let cut = Array(file.bytes[..<count])
            guard let animation = try open(cut) else { continue }
            let texts = try animation.frames().map(\.text)
            #expect(texts.first == whole[0] && texts.count <= 2)
            seen.formUnion(texts.dropFirst())
        }
        #expect(
            seen.isSuperset(of: ["0000 1111 1111 1111", whole[1]]) && seen.allSatisfy { $0.hasPrefix("0000 1111") })
    }

    @Test("A damaged frame ends the animation, unless it is the first")
    func damaged() throws {
        func file(_ good: Int) -> [UInt8] {
            var file = GIFFile(width: 4, height: 4)
            for _ in 0..<good { file.image(width: 4, height: 4, [UInt8](repeating: 1, count: 16)) }
            file.image(width: 4, height: 4, [2])
            file.image(width: 4, height: 4, [UInt8](repeating: 3, count: 16))
            return file.ended()
        }
        #expect(try frames(file(2)).count == 2)
        let animation = try #require(try open(file(0)))
        #expect(throws: CodecError(.corrupt, "corrupt GIF: the image data ends before the first row")) {
            try animation.next()
        }
    }

    @Test("65,535 frames exceed the limit of frames, and play up to it")
    func manyFrames() throws {
        var file = GIFFile(width: 1, height: 1)
        let start = file.bytes.count
        file.image(width: 1, height: 1, [1])
        let image = Array(file.bytes[start...])
        for _ in 1..<65_535 { file.bytes += image }
        let animation = try #require(try open(file.ended()))
        var count = 0
        let error = #expect(throws: CodecError.self) { while try animation.skip() != nil { count += 1 } }
        #expect(count == 20_000 && error?.exceeded == .frames(needing: 20_001) && isOneLine(error?.description ?? ""))
    }

    @Test("The sum of all frames' pixels is limited, also where they are outside the canvas")
    func bomb() throws {
        var limits = ImageLimits()
        limits.framePixels = 350
        var file = GIFFile(width: 10, height: 10)
        for _ in 0..<4 { file.image(width: 10, height: 10, [UInt8](repeating: 1, count: 100)) }
        let animation = try #require(try open(file.ended(), ImageDecoder(limits: limits)))
        for _ in 0..<3 { #expect(try animation.next() != nil) }
        #expect(
            throws: CodecError(.framePixels(needing: 400), "its first 4 frames are 400 pixels, above the limit of 350")
        ) {
            try animation.next()
        }
        animation.restart()
        #expect(try animation.next() != nil)
        file = GIFFile(width: 1, height: 20)
        for _ in 0..<2 { file.image(width: 1, height: 20, [UInt8](repeating: 1, count: 20)) }
        file.image(width: 65_535, height: 20, [1])
        #expect(throws: CodecError.self) { _ = try frames(file.ended()) }
    }

    @Test("Memory is reserved while an animation lives, and more than is free is an error")
    func memory() throws {
        var file = GIFFile(width: 600, height: 400)
        for _ in 0..<2 { file.image(width: 600, height: 400, [UInt8](repeating: 1, count: 240_000)) }
        let bytes = EncodedImage.bytes(file.ended())
        let small = ImageDecoder(memory: WorkMemory(limit: 1 << 20))
        let error = #expect(throws: CodecError.self) { _ = try small.animation(of: bytes, to: .original) }
        guard case .workMemory = error?.exceeded else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        let decoder = ImageDecoder(memory: WorkMemory(limit: 12 << 20))
        var held: [Animation?] = []
        for _ in 0..<2 { held.append(try decoder.animation(of: bytes, to: .original)) }
        #expect(try held[1]?.next() != nil)
        #expect(throws: CodecError(.outOfMemory, "not enough memory to animate it")) {
            _ = try decoder.animation(of: bytes, to: .original)
        }
        held.removeLast()
        #expect(try decoder.animation(of: bytes, to: .original) != nil)
    }

    @Test("A cancelled animation throws")
    func cancelled() throws {
        let cancellation = Cancellation()
        let animation = try #require(
            try decoder.animation(of: .bytes(disposing(0)), to: .original, cancellation: cancellation))
        #expect(try animation.next() != nil)
        animation.restart()
        cancellation.cancel()
        #expect(throws: CodecError(.cancelled, "cancelled")) { try animation.next() }
    }
}

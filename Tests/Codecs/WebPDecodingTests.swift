import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("WebPDecoding: header")
struct WebPHeaderTests {
    private func file(_ name: String) -> [UInt8] { FormatFixture(name: name, format: .webp).bytes }

    @Test("The header is read without the library", arguments: FormatFixture.all(.webp, ".webp"))
    func header(file: FormatFixture) throws {
        let info = try ImageFormat.webp.metadata(file.bytes).info
        let orientation = file.name == "exif.webp" ? Orientation.right : .up
        #expect(info.storedSize == PixelSize(width: 33, height: 27) && info.orientation == orientation)
        #expect(info.hasAlpha == file.name.contains("alpha"))
        #expect(info.colorDescription.hasPrefix("RGB") == (file.name.contains("less") || file.name == "animated.webp"))
    }

    @Test("The first frame of an animation tells whether there is transparency", arguments: [nil, 0x50, 24])
    func firstFrameAlpha(change: Int?) throws {
        // The file states alpha, for a later frame. 0x50: the first one's; 24: the width of the canvas.
        var bytes = file("animated.webp")
        if let change { bytes[change] |= 0x10 }
        let hasAlpha = try ImageFormat.webp.metadata(bytes).info.hasAlpha
        #expect(bytes[20] & 0x10 != 0 && hasAlpha == (change != nil))
    }

    @Test("EXIF and the profile's name are read")
    func metadata() throws {
        #expect(try ImageFormat.webp.metadata(file("exif.webp")).camera == "Model 7")
        #expect(try ImageFormat.webp.metadata(file("profile.webp")).profile == "sRGB built-in")
    }

    @Test("Frames are counted")
    func frameCount() throws {
        let decoder = ImageDecoder(workers: .inProcess)
        let files = [("animated.webp", Int.max), ("animated.webp", 2), ("lossy.webp", .max)]
        let counts = try files.map { try decoder.frameCount(of: .bytes(file($0)), upTo: $1) }
        #expect(counts == [3, 2, 1])
    }

    @Test("A header that ends early is an error")
    func truncated() throws {
        for (name, headerBytes) in [("lossy.webp", 30), ("lossless-alpha.webp", 25)] {
            for count in 0..<headerBytes {
                #expect(throws: CodecError.self) { try ImageFormat.webp.metadata(Array(file(name)[..<count])) }
            }
        }
    }

    @Test("A lossless image of one pixel has a header of 28 bytes")
    func smallest() throws {
        // One code of one symbol in each of five tables; the green one's is 1 (RFC 9649, section 3.7).
        let bytes =
            Array("RIFF\u{14}\0\0\0WEBPVP8L\u{8}\0\0\0".utf8) + [0x2F, 0, 0, 0, 0, 0b1100_1000, 0b1000_1000, 0b1000]
        let size = try ImageFormat.webp.metadata(bytes).info.size
        #expect(bytes.count == 28 && size == PixelSize(width: 1, height: 1))
        guard WorkerLibrary.webp.isInstalled else { return }
        #expect(try ImageFormat.webp.decode(bytes).pixels[0, 0] == RGBA(0, 1, 0))
    }

    @Test("A count of frames ends after thousands of chunks that are none")
    func emptyChunks() throws {
        var bytes = Array(file("animated.webp").prefix(30)) + [UInt8](repeating: 0, count: 1 << 20)
        bytes.replaceSubrange(4..<8, with: [0, 0, 0x10, 0])
        var reads = 0
        let folder = try TemporaryFolder()
        try folder.write("chunks.webp", bytes)
        let input = try ByteReader(.file(folder.path("chunks.webp"))) {
            reads += 1
            return false
        }
        let header = try WebPHeader(ByteReader(.bytes(file("animated.webp")), isCancelled: { false }), ImageLimits())
        let count = try header.countFrames(in: input, upTo: .max)
        #expect(count == 0 && reads < 10_000)
    }

    @Test("A canvas of another size than its image is corrupt")
    func lyingCanvas() {
        var bytes = file("lossy-alpha.webp")
        bytes[24] += 1
        #expect(
            ImageFormat.webp.failure(bytes)
                == CodecError(.corrupt, "corrupt WebP: an image of 33x27 on a canvas of 34x27"))
    }
}

@Suite("WebPDecoding", .enabled(if: WorkerLibrary.webp.isInstalled, "needs libwebp7"))
struct WebPDecodingTests {
    private static let stills = FormatFixture.all(.webp, ".webp").filter { $0.name != "animated.webp" }

    @Test("An image equals Pillow's", arguments: stills)
    func pixels(file: FormatFixture) throws {
        let image = try ImageFormat.webp.decode(file.bytes)
        #expect(image.completeness == .complete && image.colorWarning == nil)
        #expect(try image.pixels == file.expected())
    }

    @Test("Every truncation gives an error or rows, more from longer files", arguments: stills)
    func truncated(file: FormatFixture) throws {
        let bytes = file.bytes
        let whole = try file.expected()
        var rows = 0
        for count in 0..<bytes.count {
            do throws(CodecError) {
                let image = try ImageFormat.webp.decode(Array(bytes[..<count]))
                #expect(image.rows >= rows, "\(count) bytes")
                rows = image.rows
                // The EXIF block that turns an image comes after its rows.
                let isEqual = image.bytes(ofRows: rows) == whole.bytes[..<(rows * whole.stride)]
                #expect(isEqual || file.name == "exif.webp", "\(count) bytes")
            } catch {
                #expect(rows == 0 && error.kind == .corrupt && isOneLine(error.description), "\(count): \(error)")
            }
        }
        #expect(rows > 0)
    }

    @Test("Rows are exact where the memory of earlier ones is freed")
    func tall() throws {
        let image = try ImageFormat.webp.decode(contents(TestData.fixture("formats/tall.webp"))).pixels
        let expected = PixelBuffer(512, 3_000) { x, y in RGBA(UInt8(x / 2), UInt8(y & 255), UInt8((x ^ y) & 255)) }
        let isEqual = image == expected
        #expect(isEqual)
    }
}

@Suite("WebPFrames", .enabled(if: WorkerLibrary.webp.isInstalled, "needs libwebp7 and libwebpdemux2"))
struct WebPFramesTests {
    private let file = FormatFixture(name: "animated.webp", format: .webp)

    private func frames(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) throws(CodecError) -> WebPFrames {
        try WebPFrames(WebPDecoding(ByteReader(.bytes(bytes), isCancelled: { false }), limits))
    }

    /// The durations of all frames, each after a look at the canvas.
    private func durations(_ frames: WebPFrames, _ look: (Int, PixelBuffer) throws -> Void = { _, _ in }) throws
        -> [Int]
    {
        var durations: [Int] = []
        while let duration = try frames.nextFrame() {
            try look(durations.count, frames.canvas)
            durations.append(Int(duration / .milliseconds(1)))
        }
        return durations
    }

    @Test("Frames equal what was encoded, and 0 ms count as 100")
    func pixels() throws {
        let frames = try frames(file.bytes)
        #expect(frames.plays == 3)
        for _ in 0..<2 {
            let durations = try durations(frames) { index, canvas in
                let expected = try file.expected(index)
                #expect(canvas == expected)
            }
            #expect(durations == [40, 100, 200])
            frames.restart()
        }
    }

    @Test("A still image of it is the first frame")
    func still() throws {
        #expect(try ImageFormat.webp.decode(file.bytes).pixels == file.expected(0))
    }

    @Test("A cut file gives the frames that are there, in order")
    func truncated() throws {
        let bytes = file.bytes
        var most = 0
        for count in 30..<bytes.count {
            do throws(CodecError) {
                let frames = try frames(Array(bytes[..<count]))
                var shown = 0
                while try frames.nextFrame() != nil { shown += 1 }
                #expect(shown >= most, "\(count) bytes")
                most = shown
            } catch {
                #expect(most == 0 && error.kind == .corrupt, "\(count): \(error)")
            }
        }
        #expect(most == 2)
    }

    @Test("Frames and their pixels have limits")
    func limits() throws {
        var limits = ImageLimits()
        limits.frames = 2
        #expect(throws: CodecError.self) { try durations(try frames(file.bytes, limits)) }
    }

    @Test("A file with a flipped byte gives frames or an error")
    func flipped() {
        for at in file.bytes.indices {
            var bytes = file.bytes
            bytes[at] ^= 0xFF
            var limits = ImageLimits()
            limits.pixels = 1 << 20
            do throws(CodecError) {
                let frames = try frames(bytes, limits)
                while try frames.nextFrame() != nil {}
            } catch {
                #expect(isOneLine(error.description))
            }
        }
    }
}

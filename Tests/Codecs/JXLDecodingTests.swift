import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("JXLDecoding", .enabled(if: WorkerLibrary.jxl.isInstalled, "needs libjxl0.7"))
struct JXLDecodingTests {
    private static let files = FormatFixture.all(.jxl, ".jxl").filter { $0.name != "animated.jxl" }

    private func file(_ name: String) -> FormatFixture { FormatFixture(name: name, format: .jxl) }

    @Test("An image equals djxl's", arguments: files)
    func pixels(file: FormatFixture) throws {
        let image = try ImageFormat.jxl.decode(file.bytes)
        #expect(image.completeness == .complete && image.warnings == 0 && image.colorWarning == nil)
        // Later versions round otherwise.
        #expect(image.pixels.greatestDifference(to: try file.expected()) <= (file.name == "lossy.jxl" ? 2 : 0))
    }

    @Test("The header states size, orientation, colours and alpha")
    func header() throws {
        for (name, description) in [
            ("lossless", "RGB, 8 bits"), ("lossy", "RGB, 8 bits"), ("alpha", "RGB and alpha, 8 bits"),
            ("grey", "grey, 8 bits"),
        ] {
            let info = try ImageFormat.jxl.metadata(file("\(name).jxl").bytes).info
            #expect(info.storedSize == PixelSize(width: 33, height: 27) && info.orientation == .up)
            #expect(info.colorDescription == description && info.hasAlpha == (name == "alpha"))
        }
    }

    @Test("A recompressed JPEG is upright, and its packed EXIF is read")
    func recompressed() throws {
        let metadata = try ImageFormat.jxl.metadata(file("jpeg.jxl").bytes)
        #expect(metadata.info.orientation == .right)
        #expect(metadata.camera == "Model 7" && metadata.iso == 640)
    }

    @Test("Every truncation gives an error or an image", arguments: FormatFixture.all(.jxl, ".jxl"))
    func truncated(file: FormatFixture) throws {
        for count in 0..<file.bytes.count {
            guard let error = ImageFormat.jxl.failure(Array(file.bytes[..<count])) else { continue }
            #expect(error.kind == .corrupt && isOneLine(error.description), "\(count): \(error)")
        }
    }

    @Test("Memory is declared before it is taken, and more after a crash")
    func workBytes() throws {
        let decoding = try JXLDecoding(ByteReader(.bytes(file("lossless.jxl").bytes)), ImageLimits())
        var spec = DecodeSpec(.original, isExact: false)
        let usual = decoding.workBytes(spec)
        spec.hasCrashed = true
        #expect(usual > 33 * 27 * 9 && decoding.workBytes(spec) > usual)
    }
}

@Suite("JXLFrames", .enabled(if: WorkerLibrary.jxl.isInstalled, "needs libjxl0.7"))
struct JXLFramesTests {
    private let file = FormatFixture(name: "animated.jxl", format: .jxl)

    @Test("Frames equal what was encoded, with their durations, as often as they are shown")
    func frames() throws {
        let frames = try #require(try JXLFrames(ByteReader(.bytes(file.bytes)), ImageLimits()))
        #expect(frames.plays == nil)
        for _ in 0..<2 {
            var durations: [Duration] = []
            while let duration = try frames.nextFrame() {
                // Transparent pixels may have colours.
                let found = frames.canvas.colors.map { $0.alpha == 0 ? RGBA(0, 0, 0, 0) : $0 }
                #expect(try found == file.expected(durations.count).colors)
                durations.append(duration)
            }
            #expect(durations == [.milliseconds(50), .milliseconds(100), .milliseconds(150)])
            frames.restart()
        }
    }

    @Test("Frames are counted without decoding them; a still image has one")
    func count() throws {
        let decoder = ImageDecoder(workers: .inProcess)
        let still = FormatFixture(name: "lossy.jxl", format: .jxl).bytes
        let counts = try [(file.bytes, Int.max), (file.bytes, 2), (still, .max)].map {
            try decoder.frameCount(of: .bytes($0), upTo: $1)
        }
        #expect(counts == [3, 2, 1])
        #expect(try decoder.animation(of: .bytes(still), to: .original) == nil)
    }
}

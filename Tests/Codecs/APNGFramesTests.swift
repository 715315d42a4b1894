import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("APNGFrames")
struct APNGFramesTests {
    private let decoder = ImageDecoder()

    private func frames(_ file: File) throws -> [String] {
        try frames(file.png.ended()).map(\.text)
    }

    /// Writes grey frames, of four levels that stand for the colours of `GIFFile` in a palette.
    private struct File {
        var png: PNGFile
        private var sequence = 0

        init(width: Int, height: Int, frames: Int, plays: Int = 0) {
            png = PNGFile(width: width, height: height, color: .palette)
            png.chunk("acTL", [UInt8](frames, bytes: 4) + [UInt8](plays, bytes: 4))
            png.chunk("PLTE", GIFFile.colors.flatMap { $0 } + [0, 0, 0, 0, 0, 0])
            png.chunk("tRNS", [255, 255, 255, 255, 0, 128])
        }

        struct Control {
            var x = 0
            var y = 0
            var width: Int
            var height: Int
            var delay = (1, 10)
            var disposal: UInt8 = 0
            var blend: UInt8 = 0
        }

        mutating func control(_ control: Control) {
            var bytes = [sequence, control.width, control.height, control.x, control.y].flatMap {
                [UInt8]($0, bytes: 4)
            }
            for number in [control.delay.0, control.delay.1] { bytes += [UInt8](number, bytes: 2) }
            png.chunk("fcTL", bytes + [control.disposal, control.blend])
            sequence += 1
        }

        mutating func image(_ rows: [[UInt8]]) { png.pixels(rows) }

        mutating func frame(_ control: Control, _ rows: [[UInt8]], pieces: Int = 1) {
            self.control(control)
            let data = PNGFile.zlib(rows.flatMap { [0] + $0 })
            let piece = (data.count + pieces - 1) / pieces
            for start in stride(from: 0, to: data.count, by: piece) {
                png.chunk("fdAT", [UInt8](sequence, bytes: 4) + data[start..<min(start + piece, data.count)])
                sequence += 1
            }
        }

        /// Leaves a number out.
        mutating func skip() { sequence += 1 }
    }

    private func frames(_ file: [UInt8]) throws -> [AnimationFrame] {
        try #require(try decoder.animation(of: .bytes(file), to: .original)).frames()
    }

    /// A canvas of 3x2 in colour 1, a pixel of colour 2 with a disposal, then one of colour 3.
    private func disposing(_ disposal: UInt8, first: UInt8 = 0, pieces: Int = 1, stated: Int = 3) -> File {
        var file = File(width: 3, height: 2, frames: stated)
        file.control(File.Control(width: 3, height: 2, disposal: first))
        file.image([[1, 1, 1], [1, 1, 1]])
        file.frame(File.Control(x: 1, width: 1, height: 2, disposal: disposal), [[2], [2]], pieces: pieces)
        file.frame(File.Control(x: 2, y: 1, width: 1, height: 1), [[3]], pieces: pieces)
        return file
    }

    @Test("A frame's area is kept, cleared or restored", arguments: [(0, "121 123"), (1, "1.1 1.3"), (2, "111 113")])
    func disposal(method: Int, third: String) throws {
        #expect(try frames(disposing(UInt8(method))) == ["111 111", "121 121", third])
    }

    @Test("Frames are counted without decoding them")
    func frameCount() throws {
        let files = [disposing(0).png.ended(), PNGFile.gray(width: 2, height: 1) { _, _ in 0 }]
        #expect(try files.map { try decoder.frameCount(of: .bytes($0)) } == [3, 1])
    }

    @Test("After the first frame, restoring means clearing")
    func firstRestored() throws {
        #expect(try frames(disposing(0, first: 2)) == ["111 111", ".2. .2.", ".2. .23"])
    }

    @Test("The data of a frame may be in many chunks")
    func pieces() throws {
        #expect(try frames(disposing(0, pieces: 9)) == frames(disposing(0)))
    }

    @Test("Empty chunks of a frame take no memory")
    func emptyChunks() throws {
        var file = File(width: 3, height: 2, frames: 2)
        file.control(File.Control(width: 3, height: 2))
        for _ in 0..<1000 { file.png.chunk("IDAT", []) }
        file.image([[1, 1, 1], [1, 1, 1]])
        file.frame(File.Control(width: 1, height: 1), [[3]])
        #expect(try frames(file) == ["111 111", "311 111"])
        let input = try ByteReader(.bytes(file.png.ended()), isCancelled: { false })
        var reader = try #require(try APNGReader(input, canvas: PixelSize(width: 3, height: 2)))
        #expect(try #require(try reader.nextFrame()).png.count < 1000)
    }

    @Test("A frame replaces what is below, or is blended over it")
    func blending() throws {
        var file = File(width: 2, height: 1, frames: 3)
        file.control(File.Control(width: 2, height: 1))
        file.image([[1, 3]])
        file.frame(File.Control(width: 2, height: 1, blend: 1), [[4, 5]])
        file.frame(File.Control(width: 2, height: 1), [[4, 5]])
        let frames = try frames(file.png.ended()).map(\.pixels.colors)
        // Half of black, which the palette lacks, over blue.
        #expect(frames[1] == [RGBA(255, 0, 0), RGBA(0, 0, 127)])
        #expect(frames[2][0].alpha == 0 && frames[2][1] == RGBA(0, 0, 0, 128))
    }

    @Test("An image without a control is not a frame, and stays the still image")
    func defaultImage() throws {
        var file = File(width: 1, height: 1, frames: 2)
        file.image([[0]])
        file.frame(File.Control(width: 1, height: 1), [[1]])
        file.frame(File.Control(width: 1, height: 1), [[2]])
        #expect(try frames(file) == ["1", "2"])
        #expect(try decoder.decode(.bytes(file.png.ended()), to: .original).pixels[0, 0] == RGBA(0, 0, 0))
    }

    @Test("Without its first frame the still image is the only one", arguments: [false, true])
    func noFirstFrame(hasData: Bool) throws {
        var file = File(width: 2, height: 1, frames: 2)
        file.image([[2, 3]])
        file.skip()
        if hasData { file.frame(File.Control(width: 2, height: 1), [[1, 1]]) }
        #expect(try frames(file) == ["23"])
    }

    @Test(
        "Delays are fractions of a second; a denominator of 0 is 100, up to 10 ms are 100",
        arguments: [(1, 10, 100), (0, 0, 100), (3, 0, 30), (1, 100, 100), (1, 50, 20), (65_535, 1, 65_535_000)])
    func delays(delay: Int, unit: Int, milliseconds: Int) throws {
        var file = File(width: 1, height: 1, frames: 2, plays: 7)
        file.control(File.Control(width: 1, height: 1, delay: (delay, unit)))
        file.image([[0]])
        file.frame(File.Control(width: 1, height: 1, delay: (delay, unit)), [[1]])
        #expect(
            try frames(file.png.ended()).map(\.duration) == [.milliseconds(milliseconds), .milliseconds(milliseconds)])
        #expect(try decoder.animation(of: .bytes(file.png.ended()), to: .original)?.plays == 7)
    }

    @Test("Frames end at a wrong sequence number, checksum or area")
    func wrong() throws {
        /// The number of frames, of four, of which the file states `stated`.
        func count(stated: Int = 4, _ change: (inout File) -> Void) throws -> Int {
            var file = disposing(0, stated: stated)
            change(&file)
            file.frame(File.Control(width: 3, height: 2), [[0, 0, 0], [0, 0, 0]])
            return try frames(file).count
        }
        let counts = try [
            count(stated: 3) { _ in }, count { _ in }, count { $0.skip() },
            count { $0.control(File.Control(x: 1, width: 3, height: 2)) },
            count { $0.png.bytes[$0.png.bytes.count - 1] ^= 1 },
        ]
        #expect(counts == [3, 4, 3, 3, 2])
    }

    @Test("A first control that is not the whole canvas, or a second one, makes the image still")
    func wrongFirst() throws {
        for controls in [
            [File.Control(width: 1, height: 1)],
            [File.Control(width: 2, height: 1), File.Control(width: 2, height: 1)],
        ] {
            var file = File(width: 2, height: 1, frames: 2)
            for control in controls { file.control(control) }
            file.image([[1, 1]])
            file.frame(File.Control(width: 1, height: 1), [[2]])
            #expect(try decoder.animation(of: .bytes(file.png.ended()), to: .original) == nil)
        }
    }

    @Test("A cut file has the frames and rows that are there, and every cut is safe")
    func cut() throws {
        var file = File(width: 40, height: 40, frames: 2)
        file.control(File.Control(width: 40, height: 40))
        file.image((0..<40).map { _ in [UInt8](repeating: 1, count: 40) })
        file.frame(File.Control(width: 40, height: 40), (0..<40).map { _ in [UInt8](repeating: 2, count: 40) })
        let bytes = file.png.ended()
        var rows: Set<Int> = []
        for count in stride(from: 0, to: bytes.count, by: 3) {
            do throws(CodecError) {
                guard let animation = try decoder.animation(of: .bytes(Array(bytes[..<count])), to: .original) else {
                    continue
                }
                guard try animation.next() != nil, let frame = try animation.next() else { continue }
                #expect(try animation.next() == nil)
                rows.insert((0..<40).prefix { frame.pixels[39, $0] == RGBA(0, 255, 0) }.count)
            } catch {
                #expect(isOneLine(error.description) && (error.kind == .corrupt || count < 12))
            }
        }
        #expect(rows.contains(20) && rows.contains(40))
    }

    @Test("The orientation of the file holds for every frame")
    func orientation() throws {
        let file = PNGFile.inserting("eXIf", ExifBlock.turned(3), in: disposing(0).png.ended())
        let frames = try frames(file)
        #expect(frames.map(\.text) == ["111 111", "121 121", "321 121"])
    }
}

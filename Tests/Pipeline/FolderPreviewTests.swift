import Glibc
import SpyglassCodecs
import SpyglassFiles
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@Suite("FolderPreview")
struct FolderPreviewTests {
    private let folder: TemporaryFolder
    private let log = CallRecorder<PipelineEvent>()
    private static let colors = [
        RGBA(255, 0, 0), RGBA(0, 255, 0), RGBA(0, 0, 255), RGBA(255, 255, 0), RGBA(0, 255, 255),
    ]

    init() throws {
        folder = try TemporaryFolder()
        mkdir(folder.path("album"), 0o755)
    }

    private func add(_ name: String, _ color: RGBA) throws {
        var pixels = PixelBuffer(size: PixelSize(width: 30, height: 30))
        for y in 0..<30 { for x in 0..<30 { pixels[x, y] = color } }
        try folder.write("album/\(name)", try ImageEncoder(.png).encode(pixels))
    }

    private func frame(_ pipeline: ImagePipeline? = nil) async throws -> ImageResponse {
        let pipeline = pipeline ?? ImagePipeline(transport: ScriptedTransport(body: []))
        let album = try LocalFile(Array(folder.path("album").utf8))
        return try await pipeline.image(
            for: ImageRequest(.folder(album), target: TargetSize(box: PixelSize(width: 41, height: 41))))
    }

    /// The colours in the middle of the four quarters.
    private func quarters(_ frame: ImageResponse) -> [RGBA] {
        [(10, 10), (31, 10), (10, 31), (31, 31)].map { frame.pixels[$0, $1] }
    }

    @Test("The first four pictures in natural order, in two rows of two")
    func four() async throws {
        let names = ["1.png", "2.PNG", "9.png", "10.png", "11.png"]
        for (name, color) in zip(names, Self.colors).reversed() { try add(name, color) }
        let frame = try await frame()
        #expect(frame.pixels.size == PixelSize(width: 41, height: 41))
        #expect(quarters(frame) == Array(Self.colors.prefix(4)))
        #expect(frame.pixels[20, 20] == RGBA(0, 0, 0, 0))
    }

    @Test("One picture is in the centre, and two are side by side")
    func fewer() async throws {
        try add("1.png", Self.colors[0])
        #expect(try await frame().pixels[20, 20] == Self.colors[0])
        try add("2.png", Self.colors[1])
        let two = try await frame()
        #expect([(10, 20), (31, 20)].map { two.pixels[$0, $1] } == Array(Self.colors.prefix(2)))
    }

    @Test("Other files, hidden ones, links and damaged pictures are skipped")
    func others() async throws {
        try add("3.png", Self.colors[0])
        try add(".1.png", Self.colors[1])
        try add("1.txt", Self.colors[1])
        try add(".in/2.png", Self.colors[1])
        try folder.write("outside.png", try folder.read("album/3.png"))
        try folder.link("album/2.png", to: "../outside.png")
        try folder.write("album/2a.png", "no picture")
        try folder.pipe("album/2b.png")
        #expect(Set(quarters(try await frame())).subtracting([RGBA(0, 0, 0, 0)]) == [Self.colors[0]])
    }

    @Test("A folder with few pictures shows those three levels down, too, its own first")
    func inner() async throws {
        try add("a/in/deep/1.png", Self.colors[1])
        try add("b/2.png", Self.colors[2])
        try add("a/in/deep/deeper/3.png", Self.colors[3])
        try folder.link("album/a/up", to: "..")
        let two = try await frame()
        #expect([(10, 20), (31, 20)].map { two.pixels[$0, $1] } == [Self.colors[1], Self.colors[2]])
        try add("z.png", Self.colors[0])
        #expect(quarters(try await frame()).prefix(3) == [Self.colors[0], Self.colors[1], Self.colors[2]])
    }

    @Test("The first names are found among many, with every extension of a JPEG")
    func many() async throws {
        for (name, color) in zip(["1.jpe", "2.JFIF", "3.jpeg", "4.png"], Self.colors) { try add(name, color) }
        for number in 5...30 { try add("\(number).png", Self.colors[4]) }
        for number in 0..<1200 { try folder.write("album/\(number).txt", "") }
        #expect(quarters(try await frame()) == Array(Self.colors.prefix(4)))
    }

    @Test("Another folder in its place is an error, and a changed one is not kept")
    func changed() async throws {
        try add("1.png", Self.colors[0])
        let pipeline = ImagePipeline(transport: ScriptedTransport(body: []))
        let album = try LocalFile(Array(folder.path("album").utf8))
        let request = ImageRequest(.folder(album), target: TargetSize(box: PixelSize(width: 41, height: 41)))
        // The file system's clock advances in ticks.
        var number = 1
        while try LocalFile(album.path).modified == album.modified {
            number += 1
            try add("\(number).png", Self.colors[1])
        }
        for _ in 0..<2 { #expect(try await pipeline.image(for: request).origin == .decoded(nil)) }
        rename(folder.path("album"), folder.path("other"))
        try add("1.png", Self.colors[0])
        await #expect(throws: ImageError.decode(CodecError(.unreadable, "changed since it was found"), request.source))
        {
            try await pipeline.image(for: request)
        }
    }

    @Test("A box beyond the limits is an error")
    func limits() async throws {
        try add("1.png", Self.colors[0])
        let album = try LocalFile(Array(folder.path("album").utf8))
        let small = ImageDecoder(memory: WorkMemory(limit: 2 << 20))
        for (side, decoder) in [(1 << 15, ImageDecoder()), (1 << 10, small)] {
            let pipeline = ImagePipeline(transport: ScriptedTransport(body: []), decoder: decoder)
            let target = TargetSize(box: PixelSize(width: side, height: side))
            let error = await failure { try await pipeline.image(for: ImageRequest(.folder(album), target: target)) }
            #expect(error?.codecError?.kind == .limit)
        }
    }

    @Test("A folder without pictures is an error that says so")
    func empty() async throws {
        #expect(await failure { try await frame() }?.codecError == CodecError(.empty, "no images in this folder"))
        rmdir(folder.path("album"))
        await #expect(throws: (any Error).self) { try await frame() }
    }

    @Test("A sheet stays in memory until the folder changes")
    func memory() async throws {
        let pipeline = ImagePipeline(transport: ScriptedTransport(body: []))
        try add("1.png", Self.colors[0])
        let first = try await frame(pipeline)
        let album = try LocalFile(Array(folder.path("album").utf8))
        #expect(try await frame(pipeline).origin == .memory)
        // The file system's clock advances in ticks.
        var number = 1
        while try LocalFile(album.path).modified == album.modified {
            number += 1
            try add("\(number).png", Self.colors[1])
        }
        let second = try await frame(pipeline)
        #expect(second.origin == .decoded(nil) && second.pixels != first.pixels)
    }

    @Test("A box too small for four pictures shows fewer")
    func small() async throws {
        for (number, color) in Self.colors.enumerated() { try add("\(number).png", color) }
        let album = try LocalFile(Array(folder.path("album").utf8))
        let pipeline = ImagePipeline(transport: ScriptedTransport(body: []))
        for (width, height) in [(1, 1), (2, 1), (1, 40), (3, 3)] {
            let size = PixelSize(width: width, height: height)
            let frame = try await pipeline.image(for: ImageRequest(.folder(album), target: TargetSize(box: size)))
            #expect(frame.pixels.size == size)
            #expect(frame.pixels.bytes.contains { $0 != 0 })
        }
    }
}

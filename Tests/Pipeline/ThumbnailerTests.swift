import SpyglassCodecs
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@Suite("Thumbnailer")
struct ThumbnailerTests {
    @Test("One call makes every variant, with its size and format")
    func variants() async throws {
        let made = try await Thumbnailer().thumbnails(
            of: .bytes(Fixture.progressive),
            [.fit(32, 32), .cover(16, 16), .cover(4000, 3000, enlarges: true), .fit(20, 20, format: .png)])
        let sizes = made.map(\.size)
        #expect(max(sizes[0].width, sizes[0].height) == 32)
        #expect(sizes[1] == PixelSize(width: 16, height: 16) && sizes[2] == PixelSize(width: 4000, height: 3000))
        #expect(made.map(\.format) == [.jpeg, .jpeg, .jpeg, .png])
        for thumbnail in made {
            let image = try ImageDecoder().decode(.bytes(thumbnail.bytes), to: .original)
            #expect(image.pixels.size == thumbnail.size && image.info.format == thumbnail.format)
        }
    }

    @Test("An image that may be transparent becomes a PNG, and keeps its transparency")
    func alpha() async throws {
        var pixels = PixelBuffer(size: PixelSize(width: 8, height: 8))
        pixels[0, 0] = RGBA(255, 0, 0)
        let png = try ImageEncoder(.png).encode(pixels)
        let made = try await Thumbnailer().thumbnails(of: .bytes(png), [.fit(8, 8)])
        #expect(made.map(\.format) == [.png])
        #expect(try ImageDecoder().decode(.bytes(made[0].bytes), to: .original).pixels == pixels)
    }

    @Test(
        "Workers make WebP and AVIF in one call, in the order of the variants",
        .enabled(
            if: ThisProcess.program("spyglass") != nil && WorkerLibrary.webp.isInstalled
                && WorkerLibrary.avif.isInstalled))
    func libraries() async throws {
        let workers = WorkerPool(executable: try #require(ThisProcess.program("spyglass")), count: 1)
        let formats: [Thumbnailer.Variant.Format] = [.avif(quality: 60), .png, .webp(quality: 70), .automatic]
        let made = try await Thumbnailer(workers: workers).thumbnails(
            of: .bytes(Fixture.thumbnail), formats.map { .fit(16, 16, format: $0) })
        #expect(made.map(\.format) == [.avif, .png, .webp, .jpeg])
        let decoder = ImageDecoder(workers: workers)
        for thumbnail in made { #expect(try decoder.probe(.bytes(thumbnail.bytes)).format == thumbnail.format) }
    }

    @Test(
        "AVIFs of a smooth image are made within the memory that was reserved, below and above two megapixels",
        .enabled(if: ThisProcess.program("spyglass") != nil && WorkerLibrary.avif.isInstalled),
        arguments: [PixelSize(width: 1200, height: 1000), PixelSize(width: 1600, height: 1400)])
    func smooth(size: PixelSize) async throws {
        let workers = WorkerPool(executable: try #require(ThisProcess.program("spyglass")), count: 1)
        let (width, height) = (size.width, size.height)
        let levels = (0..<size.pixelCount).map { index in
            let (x, y) = (index % width, index / width)
            return UInt8((x * x + y * y) * 255 / (width * width + height * height))
        }
        let image = Array("P5 \(width) \(height) 255\n".utf8) + levels
        let made = try await Thumbnailer(workers: workers).thumbnails(
            of: .bytes(image), [.fit(width, height, format: .avif(quality: 60))])
        #expect(made.map(\.size) == [size])
    }

    @Test("A part of an image is refused, with how many rows there are, unless it is accepted")
    func rows() async throws {
        var pixels = PixelBuffer(size: PixelSize(width: 64, height: 240))
        for at in 0..<64 * 240 { pixels[at % 64, at / 64] = RGBA(UInt8(at * 7 & 255), UInt8(at * 13 & 255), 9) }
        let png = try ImageEncoder(.png).encode(pixels)
        let cut = Array(png.prefix(png.count * 3 / 4))
        guard case .truncated(let rows, 240) = try ImageDecoder().decode(.bytes(cut), to: .original).completeness else {
            Issue.record("not truncated")
            return
        }
        let error = await failure { try await Thumbnailer().thumbnails(of: .bytes(cut), [.fit(8, 8)]) }
        #expect(error?.description == "truncated: \(rows) of 240 rows")
        #expect(try await Thumbnailer().thumbnails(of: .bytes(cut), [.fit(8, 8)], acceptsPartial: true).count == 1)
    }

    @Test("A thumbnailer decodes within a budget that others may share")
    func sharedMemory() async throws {
        let memory = WorkMemory(limit: 1 << 20)
        let pipeline = ImagePipeline(.init(workMemory: memory))
        let wide = try ImageEncoder(.png).encode(PixelBuffer(size: PixelSize(width: 1200, height: 1200)))
        let error = await failure {
            try await Thumbnailer(workMemory: memory).thumbnails(of: .bytes(wide), [.fit(1200, 1200, enlarges: true)])
        }?.codecError
        #expect(error?.kind == .limit && error?.description.contains("limit of 1 MiB") == true)
        let request = ImageRequest(.bytes(wide), target: .original)
        await #expect(throws: ImageError.self) { try await pipeline.image(for: request) }
    }

    @Test("Hostile numbers and bytes are errors")
    func hostile() async throws {
        let thumbnailer = Thumbnailer()
        #expect(try await thumbnailer.thumbnails(of: .bytes(Fixture.thumbnail), [.fit(0, -5)])[0].size.pixelCount == 1)
        let huge = await failure {
            try await thumbnailer.thumbnails(of: .bytes(Fixture.thumbnail), [.cover(.max, .max, enlarges: true)])
        }
        #expect(huge?.codecError?.kind == .limit)
        for bytes in [[], [0xFF, 0xD8], Array("<html>".utf8)] as [[UInt8]] {
            await #expect(throws: ImageError.self) { try await thumbnailer.thumbnails(of: .bytes(bytes), [.fit(8, 8)]) }
        }
        let foreign = await failure {
            try await thumbnailer.thumbnails(of: .file(TestData.fixture("formats/files/lossy.webp")), [.fit(8, 8)])
        }
        #expect([.unsupported, .library].contains(foreign?.codecError?.kind))
    }

    @Test("A hundred calls at once run within few threads, and a cancelled one returns")
    func concurrency() async throws {
        let thumbnailer = Thumbnailer(concurrency: 2)
        let calls = (0..<100).map { number in
            Task { try await thumbnailer.thumbnails(of: .bytes(Fixture.progressive), [.fit(20 + number % 7, 20)]) }
        }
        for call in calls.suffix(50) { call.cancel() }
        for call in calls.prefix(50) { #expect(try await call.value.count == 1) }
        var cancelled = 0
        for call in calls.suffix(50) {
            guard case .failure(let error) = await call.result else { continue }
            #expect(error as? ImageError == .cancelled)
            cancelled += 1
        }
        #expect(cancelled > 0)
    }
}

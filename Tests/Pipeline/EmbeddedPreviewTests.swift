import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("ImageJob: embedded previews")
struct EmbeddedPreviewTests {
    private let folder: TemporaryFolder
    private let log = CallRecorder<PipelineEvent>()
    private let pipeline: ImagePipeline

    init() throws {
        folder = try TemporaryFolder()
        pipeline = ImagePipeline(transport: ScriptedTransport(body: []), onEvent: log.record)
    }

    /// A red image that carries a blue one, filled up to a size.
    private func file(_ byteCount: Int) throws -> LocalFile {
        func image(_ width: Int, _ height: Int, _ color: RGBA) throws -> [UInt8] {
            var pixels = PixelBuffer(size: PixelSize(width: width, height: height))
            for y in 0..<height { for x in 0..<width { pixels[x, y] = color } }
            return try ImageEncoder(.jpeg(.init())).encode(pixels)
        }
        let thumbnail = try image(160, 120, RGBA(0, 0, 250))
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(value >> (8 * $0) & 255) }
        }
        var exif = Array("Exif\0\0MM".utf8) + number(42, 2) + number(8, 4) + number(0, 2) + number(14, 4)
        exif += number(2, 2) + number(0x0201, 2) + number(4, 2) + number(1, 4) + number(44, 4)
        exif += number(0x0202, 2) + number(4, 2) + number(1, 4) + number(thumbnail.count, 4) + number(0, 4) + thumbnail
        var bytes = try image(400, 300, RGBA(250, 0, 0))
        bytes.insert(contentsOf: [0xFF, 0xE1] + number(exif.count + 2, 2) + exif, at: 2)
        bytes += [UInt8](repeating: 0, count: byteCount - bytes.count)
        try folder.write("photo.jpg", bytes)
        return try LocalFile(Array(folder.path("photo.jpg").utf8))
    }

    private func request(_ file: LocalFile, includesPreviews: Bool = true) -> ImageRequest {
        ImageRequest(
            .localFile(file), target: TargetSize(box: PixelSize(width: 40, height: 40)),
            includesPreviews: includesPreviews)
    }

    private var previews: [ImageResponse] {
        log.values.compactMap { if case .previewed(_, let frame) = $0 { frame } else { nil } }
    }

    private func isBlue(_ frame: ImageResponse) -> Bool {
        frame.pixels[20, 15].blue > 200 && frame.pixels[20, 15].red < 50
    }

    @Test("A large file shows its thumbnail first, and keeps only the image")
    func large() async throws {
        let request = try request(file(ImageJob.minBytesForPreview))
        let frame = try await pipeline.image(for: request)
        #expect(previews.count == 1)
        let preview = try #require(previews.first)
        #expect(
            isBlue(preview) && !preview.isFinal && preview.completeness == .degraded && !isBlue(frame) && frame.isFinal
                && frame.pixels.size == preview.pixels.size)
        let again = try await pipeline.image(for: request)
        #expect(again.origin == .memory && !isBlue(again))
        #expect(previews.count == 1)
    }

    @Test("A small file, a request without previews, a part and an image that is not visible show none")
    func none() async throws {
        _ = try await pipeline.image(for: request(file(ImageJob.minBytesForPreview - 1)))
        let large = try file(ImageJob.minBytesForPreview)
        _ = try await pipeline.image(for: request(large, includesPreviews: false))
        var part = request(large)
        part.region = ImageRegion(x: 0, y: 0, width: 0.5, height: 0.5)
        _ = try await pipeline.image(for: part)
        for (side, priority) in [(38, FetchPriority.near), (36, .prefetch)] {
            var hidden = request(large)
            hidden.target = TargetSize(box: PixelSize(width: side, height: side))
            hidden.priority = priority
            _ = try await pipeline.image(for: hidden)
        }
        #expect(previews.isEmpty)
    }

    @Test("A file that has changed since shows nothing and fails")
    func changed() async throws {
        let file = try file(ImageJob.minBytesForPreview)
        try folder.write("photo.jpg", [0xFF, 0xD8])
        await #expect(throws: ImageError.self) { try await pipeline.image(for: request(file)) }
        #expect(previews.isEmpty)
    }
}

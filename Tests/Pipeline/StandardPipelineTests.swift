import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("ImagePipeline: default configuration", .timeLimit(.minutes(10)))
struct StandardPipelineTests {
    @Test("It fetches once, and stores the image in memory and on disk")
    func oneFetch() async throws {
        let server = try LoopbackServer { _ in
            .init(headers: [("Cache-Control", "max-age=300")], body: Fixture.thumbnail)
        }
        let folder = try TemporaryFolder()
        let request = ImageRequest(.address(server.address("/moon.jpg")), target: ImageRequest.sample.target)
        let first = ImagePipeline(.init(cache: DiskCache(folder: folder.path("cache"))))
        let picture = try await first.image(for: request)
        #expect(try await first.image(for: request).origin == .memory)
        await first.flush()
        let second = ImagePipeline(.init(cache: DiskCache(folder: folder.path("cache"))))
        let again = try await second.image(for: request)
        #expect(again.origin == .thumbnail)
        #expect(again.image.pixels == picture.image.pixels)
        #expect(server.requests.count == 1)
    }

    @Test("Without a folder only memory stores images")
    func memoryOnly() async throws {
        let server = try LoopbackServer { _ in
            .init(headers: [("Cache-Control", "max-age=300")], body: Fixture.thumbnail)
        }
        let request = ImageRequest(.address(server.address("/moon.jpg")), target: ImageRequest.sample.target)
        let pipeline = ImagePipeline()
        _ = try await pipeline.image(for: request)
        #expect(pipeline.cachedImage(for: request) != nil)
        #expect(server.requests.count == 1)
    }
}

import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassPipeline

@Suite("ImagePipeline over CachingTransport")
struct CachedPipelineTests {
    private let store = MemoryStore()
    private let calendar = ManualCalendar(WallTime(seconds: 1_700_000_000))
    private let log = CallRecorder<PipelineEvent>()

    private let server = ScriptedTransport { request, _ in
        let fields = [("Cache-Control", "max-age=300"), ("ETag", "\"a\"")]
        let headers = HeaderFields(fields.map { HeaderFields.Field(name: $0.0, value: $0.1) })
        let isKnown = request.headers["If-None-Match"] == "\"a\""
        return FetchResponse(
            address: request.address, status: isKnown ? 304 : 200, headers: headers,
            body: isKnown ? [] : Fixture.thumbnail)
    }

    /// One run of a program: shows an image and flushes.
    private func run() async throws -> ImageResponse {
        let transport = CachingTransport(server, store: store, now: calendar.clock)
        let pipeline = ImagePipeline(
            transport: transport, thumbnails: store, now: calendar.clock, onEvent: log.record)
        let result = try await pipeline.image(for: .sample)
        await pipeline.flush()
        await transport.flush()
        return result
    }

    @Test("A cached body that is not an image is revalidated once per request")
    func doubtful() async throws {
        let page = Array("<html>Please log in</html>".utf8)
        let base = ScriptedTransport { request, _ in
            let isKnown = request.headers["If-None-Match"] != nil
            let fields = [("Cache-Control", "max-age=300"), ("ETag", "\"page\"")]
            return FetchResponse(
                address: request.address, status: isKnown ? 304 : 200,
                headers: HeaderFields(fields.map { HeaderFields.Field(name: $0.0, value: $0.1) }),
                body: isKnown ? [] : page)
        }
        let transport = CachingTransport(base, store: store, now: calendar.clock)
        let pipeline = ImagePipeline(transport: transport, now: calendar.clock)
        for count in 1...3 {
            await #expect(throws: ImageError.self) { try await pipeline.image(for: .sample) }
            #expect(base.count == count)
        }
        base.setScript { _, _ in throw FetchError(.unreachable, "no route") }
        await #expect(throws: ImageError.self) { try await pipeline.image(for: .sample) }
        base.setScript { request, _ in FetchResponse(address: request.address, status: 200, body: Fixture.thumbnail) }
        #expect(try await pipeline.image(for: .sample).image.completeness == .complete)
    }

    @Test("The second run neither fetches nor decodes, a later one revalidates")
    func runs() async throws {
        let first = try await run()
        #expect(first.origin == .decoded(.network))
        let second = try await run()
        #expect(second.origin == .thumbnail && second.image.pixels == first.image.pixels)
        #expect(server.count == 1)
        #expect(log.decodedCount == 1)
        calendar.advance(by: .seconds(301))
        #expect(try await run().freshness == .revalidated)
        #expect(server.count == 2)
        #expect(try await run().origin == .thumbnail)
        #expect(server.count == 2)
    }
}

@Suite("ImagePipeline: default configuration", .timeLimit(.minutes(10)))
struct StandardPipelineTests {
    @Test("It fetches once, and stores the image in memory and on disk")
    func oneFetch() async throws {
        let server = try LoopbackServer { _ in
            .init(headers: [("Cache-Control", "max-age=300")], body: Fixture.thumbnail)
        }
        let folder = try TemporaryFolder()
        let request = ImageRequest(.address(server.address("/moon.jpg")), target: ImageRequest.sample.target)
        let first = ImagePipeline(.init(cache: DiskCache(folder: folder.path("cache")), reach: .any))
        let picture = try await first.image(for: request)
        #expect(try await first.image(for: request).origin == .memory)
        await first.flush()
        let second = ImagePipeline(.init(cache: DiskCache(folder: folder.path("cache")), reach: .any))
        let again = try await second.image(for: request)
        #expect(again.origin == .thumbnail && again.image.pixels == picture.image.pixels)
        #expect(server.requests.count == 1)
    }
}

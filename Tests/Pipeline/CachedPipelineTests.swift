import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
@testable import SpyglassPipeline
import Testing

@Suite("A pipeline over a caching transport")
struct CachedPipelineTests {
    private let store = MemoryStore()
    private let calendar = Calendar()
    private let log = EventLog()

    private let server = ScriptedTransport { request in
        let fields = [("Cache-Control", "max-age=300"), ("ETag", "\"a\"")]
        let headers = HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.0, value: $0.1) })
        let isKnown = request.headers["If-None-Match"] == "\"a\""
        return FetchResponse(
            address: request.address, status: isKnown ? 304 : 200, headers: headers,
            body: isKnown ? [] : Fixture.thumbnail)
    }

    /// One run of a program: shows a picture and writes what is to be kept.
    private func run() async throws -> ImageResult {
        let transport = CachingTransport(server, store: store, now: calendar.clock)
        let pipeline = ImagePipeline(
            transport: transport, thumbnails: store, now: calendar.clock, onEvent: log.observer)
        let result = try await pipeline.image(for: .sample)
        await pipeline.finishWriting()
        await transport.finishWriting()
        return result
    }

    @Test("The second run asks nobody and decodes nothing, a later one asks whether the picture has changed")
    func runs() async throws {
        let first = try await run()
        #expect(first.origin == .decoded(.network))
        let second = try await run()
        #expect(second.origin == .thumbnail)
        #expect(second.image.pixels == first.image.pixels)
        #expect(server.transferCount == 1)
        #expect(log.decodedCount == 1)
        calendar.now = calendar.now.advanced(by: .seconds(301))
        let third = try await run()
        #expect(third.freshness == .revalidated)
        #expect(server.transferCount == 2)
        #expect(try await run().origin == .thumbnail)
        #expect(server.transferCount == 2)
    }
}

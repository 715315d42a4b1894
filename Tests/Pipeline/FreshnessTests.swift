import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
@testable import SpyglassPipeline
import SpyglassTestSupport
import Testing

@Suite("ImagePipeline: freshness in memory")
struct FreshnessTests {
    private let calendar = ManualCalendar(WallTime(seconds: 1_700_000_000))

    private func pipeline(_ transport: ScriptedTransport) -> ImagePipeline {
        ImagePipeline(transport: transport, now: calendar.clock)
    }

    private func lifetime(_ duration: Duration) -> FetchResponse.Lifetime {
        FetchResponse.Lifetime(freshUntil: calendar.now.advanced(by: duration), allowsStale: true)
    }

    @Test("A stale entry is fetched again")
    func expiry() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail, lifetime: lifetime(.seconds(300)))
        let pipeline = pipeline(transport)
        _ = try await pipeline.image(for: .sample)
        calendar.advance(by: .milliseconds(299_999))
        #expect(pipeline.cache.image(for: .sample) != nil)
        calendar.advance(by: .milliseconds(1))
        #expect(pipeline.cache.image(for: .sample) == nil)
        transport.setScript { request, _ in
            FetchResponse(
                address: request.address, status: 200, body: Fixture.thumbnail, freshness: .revalidated,
                lifetime: .forEver)
        }
        #expect(try await pipeline.image(for: .sample).freshness == .revalidated)
        #expect(transport.count == 2)
        #expect(pipeline.cache.image(for: .sample) != nil)
    }

    @Test("Setting the calendar back makes no entry fresh")
    func calendarSetBack() async throws {
        let pipeline = pipeline(ScriptedTransport(body: Fixture.thumbnail, lifetime: lifetime(.seconds(300))))
        _ = try await pipeline.image(for: .sample)
        calendar.advance(by: .seconds(-86_400))
        #expect(pipeline.cache.image(for: .sample) == nil)
    }

    @Test("Uncacheable and stale responses are not stored in memory")
    func notKept() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail, lifetime: nil)
        let pipeline = pipeline(transport)
        _ = try await pipeline.image(for: .sample)
        #expect(pipeline.memory.images.count == 0)
        transport.setScript { request, _ in
            FetchResponse(
                address: request.address, status: 200, body: Fixture.thumbnail, origin: .cache, freshness: .stale,
                lifetime: .forEver)
        }
        let result = try await pipeline.image(for: .sample)
        #expect(result.freshness == .stale && result.origin == .decoded(.cache))
        #expect(pipeline.memory.images.count == 0)
    }

    @Test(
        "Without a caching transport the response's header fields decide", arguments: ["max-age=300", "no-store", ""])
    func bareTransport(control: String) async throws {
        let transport = ScriptedTransport { request, _ in
            let field = HeaderFields.Field(name: "Cache-Control", value: control)
            return FetchResponse(
                address: request.address, status: 200, headers: HeaderFields([field]), body: Fixture.thumbnail)
        }
        let pipeline = pipeline(transport)
        _ = try await pipeline.image(for: .sample)
        #expect((pipeline.cache.image(for: .sample) != nil) == (control == "max-age=300"))
        calendar.advance(by: .seconds(300))
        #expect(pipeline.cache.image(for: .sample) == nil)
    }

    @Test("Responses of a recorded archive do not age")
    func archive() async throws {
        let pipeline = pipeline(
            ScriptedTransport { request, _ in
                FetchResponse(address: request.address, status: 200, body: Fixture.thumbnail, origin: .archive)
            })
        _ = try await pipeline.image(for: .sample)
        calendar.advance(by: .seconds(1_000_000_000))
        #expect(pipeline.cache.image(for: .sample) != nil)
    }

    @Test("An incomplete image is not stored")
    func cut() async throws {
        let body = Array(Fixture.thumbnail.dropLast(Fixture.thumbnail.count / 3))
        let pipeline = pipeline(ScriptedTransport(body: body))
        #expect(try await pipeline.image(for: .sample).image.completeness != .complete)
        #expect(pipeline.memory.images.count == 0)
    }

    @Test("A request that revalidates skips memory and updates it")
    func revalidates() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail)
        let pipeline = pipeline(transport)
        _ = try await pipeline.image(for: .sample)
        _ = try await pipeline.image(for: .picture(revalidates: true))
        #expect(transport.count == 2 && transport.requests.map(\.revalidates) == [false, true])
        #expect(pipeline.memory.images.count == 1)
    }

    @Test("An image of a user's address is not shown for a service's address")
    func trust() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail)
        let pipeline = pipeline(transport)
        _ = try await pipeline.image(for: .sample)
        var request = ImageRequest.sample
        request.source = .address(.picture(), .publicAddresses)
        #expect(pipeline.cache.image(for: request) == nil)
        _ = try await pipeline.image(for: request)
        #expect(transport.requests.map(\.trust) == [.any, .publicAddresses])
    }
}

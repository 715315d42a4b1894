import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import SpyglassThreads
import Testing

@Suite("ImagePipeline")
struct ImagePipelineTests {
    private let log = CallRecorder<PipelineEvent>()

    @Test("Fifty requests for one address make one transfer and one decode")
    func coalescing() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport, onEvent: log.record)
        try await withThrowingTaskGroup(of: ImageResponse.self) { group in
            for _ in 0..<50 { group.addTask { try await pipeline.image(for: .sample) } }
            try await group.waitForAll()
        }
        #expect(transport.count == 1)
        #expect(log.decodedCount == 1)
    }

    @Test("Two sizes of one address are one transfer and two decodes")
    func twoTargets() async throws {
        let transport = ScriptedTransport(gate: AsyncGate(), body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport, onEvent: log.record)
        let small = pipeline.load(.picture(width: 4))
        let large = pipeline.load(.picture(width: 8))
        await transport.waitForRequests(1)
        await log.waitForJoinedTransfers(1)
        transport.open()
        #expect(try await small.value.image.pixels.size.width == 4)
        #expect(try await large.value.image.pixels.size.width == 8)
        #expect(transport.count == 1)
        #expect(log.decodedCount == 2)
        #expect(log.values.count { if case .coalesced(_, .transfer) = $0 { true } else { false } } == 1)
    }

    @Test("A frame has its origin and the decoder's pixels; one in memory is returned without a task")
    func memoryHit() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport)
        #expect(pipeline.cache.image(for: .sample) == nil)
        let expected = try ImageDecoder().decode(.bytes(Fixture.thumbnail), to: ImageRequest.sample.target).pixels
        let first = try await pipeline.image(for: .sample)
        #expect(first.pixels == expected && first.origin == .decoded(.network) && first.freshness == .fresh)
        try await waitUntil { pipeline.work.counts.tasks == 0 }
        let task = pipeline.load(.sample)
        #expect(pipeline.isEmpty && pipeline.cache.image(for: .sample)?.origin == .memory)
        let second = try await task.value
        #expect(second.pixels == expected && second.origin == .memory)
        #expect(transport.count == 1)
    }

    @Test("Failures are not cached")
    func failed() async throws {
        let transport = ScriptedTransport { _, _ in throw FetchError(.unreachable, "no route") }
        let pipeline = ImagePipeline(transport: transport)
        await #expect(throws: ImageError.fetch(FetchError(.unreachable, "no route"))) {
            try await pipeline.image(for: .sample)
        }
        transport.setScript { request, _ in
            FetchResponse(address: request.address, status: 200, body: Fixture.thumbnail)
        }
        _ = try await pipeline.image(for: .sample)
        #expect(transport.count == 2)
    }

    @Test(
        "A status without an image, or with an unrequested part of one, is an error of its own", arguments: [404, 206])
    func status(code: Int) async throws {
        let pipeline = ImagePipeline(
            transport: ScriptedTransport { request, _ in
                FetchResponse(address: request.address, status: code, body: Fixture.thumbnail, lifetime: .forEver)
            })
        let error = await failure { try await pipeline.image(for: .sample) }
        #expect(error == .status(code, .picture()))
        #expect(error?.description == "https://images.example/0.jpg returned HTTP \(code)")
        #expect(pipeline.memory.images.count == 0)
    }

    @Test("A web page instead of an image is reported as one")
    func webPage() async throws {
        let pipeline = ImagePipeline(transport: ScriptedTransport(body: Array("<!DOCTYPE html><html>".utf8)))
        #expect(await failure { try await pipeline.image(for: .sample) }?.codecError?.kind == .notAnImage)
    }

    @Test("An unknown error of a transport is a network error with the address")
    func strangeError() async throws {
        struct Strange: Error {}
        let pipeline = ImagePipeline(transport: ScriptedTransport { _, _ in throw Strange() })
        let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: .sample) }
        #expect(error == .fetch(FetchError(.unreachable, "https://images.example/0.jpg: Strange()")))
    }

    @Test("An interrupted transfer's part has the reason and is not stored; an undecodable one is the error")
    func part() async throws {
        var broken = FetchError(.unreachable, "reset")
        broken.partialResponse = FetchResponse(
            address: .picture(), status: 200, body: Array(Fixture.thumbnail.dropLast(Fixture.thumbnail.count / 3)),
            lifetime: .forEver)
        let transport = ScriptedTransport { [broken] _, _ in throw broken }
        let pipeline = ImagePipeline(transport: transport)
        let result = try await pipeline.image(for: .sample)
        #expect(result.transferError == broken && result.image.completeness != .complete)
        #expect(pipeline.cache.image(for: .sample) == nil)
        broken.partialResponse?.body = Array(Fixture.thumbnail.prefix(3))
        transport.setScript { [broken] _, _ in throw broken }
        #expect(await failure { try await pipeline.image(for: .sample) } == .fetch(broken))
    }

    @Test("Files and bytes are decoded without the transport")
    func local() async throws {
        let transport = ScriptedTransport { _, _ in throw FetchError(.disallowed, "never") }
        let pipeline = ImagePipeline(transport: transport)
        let target = ImageRequest.sample.target
        let bytes = try await pipeline.image(for: ImageRequest(.bytes(Fixture.thumbnail), target: target))
        let file = try await pipeline.image(
            for: ImageRequest(.file(TestData.fixture("images/jpeg/420.jpg")), target: target))
        #expect(bytes.image.pixels == file.image.pixels)
        #expect(file.origin == .decoded(nil))
        let missing = await failure {
            try await pipeline.image(for: ImageRequest(.file("/nonexistent.jpg"), target: target))
        }
        #expect(missing?.codecError?.kind == .unreadable)
    }

    @Test("A fetch states the formats, the trust and the body limit")
    func fetchRequest() async throws {
        let transport = ScriptedTransport(body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport, bodyLimit: 12_345)
        var wanted = ImageRequest(.address(.picture(), .publicAddresses), target: .original, priority: .near)
        wanted.cachePolicy = .reload
        _ = try await pipeline.image(for: wanted)
        let request = try #require(transport.requests.first)
        #expect(
            request.accept.hasPrefix("image/jpeg") && request.trust == .publicAddresses && request.bodyLimit == 12_345
                && request.revalidates)
    }
}

import SpyglassCaching
import SpyglassFetching
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("ImagePrefetcher")
struct ImagePrefetcherTests {
    private let transport = ScriptedTransport(gate: AsyncGate(), body: Fixture.thumbnail)

    private func requests(_ numbers: Range<Int>) -> [ImageRequest] { numbers.map { .picture($0) } }

    private func numbers(_ requests: [FetchRequest]) -> [WebAddress] { requests.map(\.address) }

    @Test("Two load concurrently, in order, behind visible images")
    func limit() async throws {
        let pipeline = ImagePipeline(transport: transport)
        let prefetcher = ImagePrefetcher(pipeline)
        prefetcher.setRequests(requests(0..<5))
        await transport.waitForRequests(2)
        #expect(prefetcher.counts == (2, 3))
        #expect(pipeline.work.counts.works == 2)
        #expect(transport.requests.allSatisfy { $0.priority == .near })
        transport.open()
        await transport.waitForRequests(5)
        await pipeline.waitUntilIdle()
        #expect(Set(numbers(transport.requests)) == Set((0..<5).map(WebAddress.picture)))
        #expect(pipeline.memory.images.count == 5)
        #expect(prefetcher.counts == (0, 0))
    }

    @Test("For the disk, files are fetched and not decoded")
    func disk() async throws {
        let decoded = CallRecorder<PipelineEvent>()
        var configuration = ImagePipeline.Configuration(transport: transport)
        configuration.onEvent = decoded.record
        let pipeline = ImagePipeline(configuration)
        let prefetcher = ImagePrefetcher(pipeline, destination: .disk)
        prefetcher.setRequests(requests(0..<3))
        await transport.waitForRequests(2)
        #expect(prefetcher.counts == (2, 1))
        transport.open()
        await transport.waitForRequests(3)
        #expect(transport.requests.allSatisfy { $0.priority == .near })
        #expect(pipeline.memory.images.count == 0 && decoded.values.isEmpty)
        prefetcher.stop()
    }

    @Test("Removed requests are cancelled, the others continue")
    func scrolling() async throws {
        let pipeline = ImagePipeline(transport: transport)
        let prefetcher = ImagePrefetcher(pipeline)
        prefetcher.setRequests(requests(0..<4))
        await transport.waitForRequests(2)
        prefetcher.setRequests(requests(1..<3))
        await transport.waitForRequests(3)
        await transport.waitForCancellations { !$0.isEmpty }
        #expect(prefetcher.counts == (2, 0))
        #expect(transport.cancelled.count == 1)
        transport.open()
        await pipeline.waitUntilIdle()
        #expect(
            pipeline.cache.image(for: .picture(0)) == nil && pipeline.cache.image(for: .picture(1)) != nil
                && pipeline.cache.image(for: .picture(2)) != nil)
    }

    @Test(
        "A request that joins a prefetch raises it, and keeps it alive", .timeLimit(.minutes(10)))
    func joining() async throws {
        let pipeline = ImagePipeline(transport: transport)
        let prefetcher = ImagePrefetcher(pipeline)
        prefetcher.setRequests([.picture(0, priority: .prefetch)])
        await transport.waitForRequests(1)
        let control = try #require(transport.requests.first?.control)
        #expect(control.priority == .prefetch)
        let task = pipeline.load(.picture(0))
        await control.reaches(.visible)
        prefetcher.stop()
        transport.open()
        _ = try await task.value
        #expect(transport.count == 1)
    }

    @Test("A request that stays follows its new priority", .timeLimit(.minutes(10)))
    func priority() async throws {
        let prefetcher = ImagePrefetcher(ImagePipeline(transport: transport))
        prefetcher.setRequests([.picture(0, priority: .prefetch)])
        await transport.waitForRequests(1)
        prefetcher.setRequests([.picture(0, priority: .near)])
        await transport.requests.first?.control?.reaches(.near)
    }

    @Test("A failed request is repeated only after it was removed")
    func failed() async throws {
        let transport = ScriptedTransport { _, _ in throw FetchError(.unreachable, "no route") }
        let pipeline = ImagePipeline(transport: transport)
        let prefetcher = ImagePrefetcher(pipeline)
        prefetcher.setRequests(requests(0..<1))
        await pipeline.waitUntilIdle()
        prefetcher.setRequests(requests(0..<1))
        #expect(transport.count == 1)
        prefetcher.setRequests([])
        prefetcher.setRequests(requests(0..<1))
        await pipeline.waitUntilIdle()
        #expect(transport.count == 2)
    }

    @Test("A released prefetcher cancels its requests")
    func end() async throws {
        let pipeline = ImagePipeline(transport: transport)
        do {
            let prefetcher = ImagePrefetcher(pipeline)
            prefetcher.setRequests(requests(0..<5))
            await transport.waitForRequests(2)
        }
        await pipeline.waitUntilIdle()
        #expect(transport.cancelled.count == 2)
        #expect(pipeline.isEmpty)
    }

    @Test("Files and bytes are skipped")
    func local() async throws {
        let pipeline = ImagePipeline(transport: transport)
        ImagePrefetcher(pipeline).setRequests([ImageRequest(.bytes([]), target: .original)])
        #expect(pipeline.isEmpty)
    }
}

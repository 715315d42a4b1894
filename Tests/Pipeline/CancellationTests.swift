import SpyglassCodecs
import SpyglassFetching
@testable import SpyglassPipeline
@testable import SpyglassThreads
import SpyglassTestSupport
import Testing

@Suite("ImagePipeline: cancellation and priority")
struct CancellationTests {
    private let transport = ScriptedTransport(gate: AsyncGate(), body: Fixture.thumbnail)
    private let log = CallRecorder<PipelineEvent>()
    private let pipeline: ImagePipeline

    init() { pipeline = ImagePipeline(transport: transport, onEvent: log.record) }

    @Test("Only the last caller to leave cancels the transfer")
    func transfer() async throws {
        let first = pipeline.load(.sample)
        let second = pipeline.load(.sample)
        await transport.waitForRequests(1)
        first.cancel()
        await #expect(throws: ImageError.cancelled) { try await first.value }
        #expect(transport.cancelled.count == 0)
        #expect(log.cancelledCount == 0)
        second.cancel()
        await #expect(throws: ImageError.cancelled) { try await second.value }
        await pipeline.waitUntilIdle()
        #expect(transport.cancelled.count == 1)
        #expect(log.cancelledCount == 1)
        #expect(pipeline.isEmpty)
    }

    @Test("A cancelled caller returns although the work continues")
    func atOnce() async throws {
        let transport = ScriptedTransport(gate: AsyncGate(), ignoresCancellation: true, body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport)
        let task = Task { try await pipeline.image(for: .sample) }
        await transport.waitForRequests(1)
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
        #expect(pipeline.work.counts.works == 0 && pipeline.transfers.counts.tasks == 1)
        transport.open()
        await pipeline.waitUntilIdle()
        #expect(pipeline.isEmpty)
    }

    @Test("A cancelled decode stops")
    func decode() async throws {
        let turnstile = Turnstile()
        let pipeline = ImagePipeline(
            transport: ScriptedTransport(body: Fixture.thumbnail),
            onEvent: { event in
                log.record(event)
                if case .decoding = event { turnstile.pass() }
            })
        let task = pipeline.load(.sample)
        await turnstile.waitForArrivals(1)
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
        turnstile.open()
        await pipeline.waitUntilIdle()
        #expect(log.decodedCount == 0)
        #expect(pipeline.cache.image(for: .sample) == nil)
    }

    @Test("Ending the iteration of frames cancels the request")
    func stream() async throws {
        let reader = Task {
            for try await _ in pipeline.frames(for: .sample) {}
        }
        await transport.waitForRequests(1)
        reader.cancel()
        await #expect(throws: ImageError.cancelled) { try await reader.value }
        await pipeline.waitUntilIdle()
        #expect(transport.cancelled.count == 1)
        #expect(pipeline.isEmpty)
    }

    @Test("A transfer has the highest priority of its requests, across sizes", .timeLimit(.minutes(10)))
    func priority() async throws {
        let first = pipeline.load(.picture(width: 4, priority: .prefetch))
        await transport.waitForRequests(1)
        let control = try #require(transport.requests.first?.control)
        #expect(control.priority == .prefetch)
        let same = pipeline.load(.picture(width: 4, priority: .near))
        await control.reaches(.near)
        let other = pipeline.load(.picture(width: 8, priority: .prefetch))
        await log.waitForJoinedTransfers(1)
        other.priority = .visible
        await control.reaches(.visible)
        other.priority = .prefetch
        await control.reaches(.near)
        same.cancel()
        await control.reaches(.prefetch)
        first.priority = .near
        await control.reaches(.near)
        #expect(first.priority == .near)
        first.cancel()
        await control.reaches(.prefetch)
        other.cancel()
        await pipeline.waitUntilIdle()
        #expect(pipeline.isEmpty)
    }

    @Test("An image that waits for a decoding thread moves up with its priority")
    func decodingOrder() async throws {
        let threads = ThreadPool(count: 1)
        let turnstile = Turnstile()
        let busy = Task { try await threads.run { _ in turnstile.pass() } }
        await turnstile.waitForArrivals(1)
        let transport = ScriptedTransport(body: Fixture.thumbnail)
        let pipeline = ImagePipeline(transport: transport, threads: threads, onEvent: log.record)
        let tasks = (0..<3).map { pipeline.load(.picture($0, priority: .prefetch)) }
        await transport.waitForRequests(3)
        try await waitUntil { threads.queue.waitingCount >= 3 }
        tasks[2].priority = .visible
        tasks[1].priority = .near
        turnstile.open()
        try await busy.value
        for task in tasks { _ = try await task.value }
        let order = log.values.compactMap { event -> ImageSource? in
            if case .decoding(let source) = event { source } else { nil }
        }
        #expect(order == [2, 1, 0].map { .address(.picture($0)) })
    }
}

@Suite("Storms")
struct StormTests {
    @Test("A caller that joins while the last one leaves gets the image", .timeLimit(.minutes(10)))
    func joiningWhileLeaving() async throws {
        let pipeline = ImagePipeline(transport: ScriptedTransport(body: Fixture.thumbnail, lifetime: nil))
        for _ in 0..<500 {
            let leaver = pipeline.load(.sample)
            async let joined = pipeline.image(for: .sample)
            leaver.cancel()
            #expect(try await joined.image.completeness == .complete)
        }
        await pipeline.waitUntilIdle()
        #expect(pipeline.isEmpty)
    }
}

extension FetchControl {
    /// Waits for this priority, which the job's task may still have to pass on.
    func reaches(_ wanted: FetchPriority) async {
        let (stream, continuation) = AsyncStream.makeStream(of: FetchPriority.self)
        onPriorityChange { continuation.yield($0) }
        continuation.yield(priority)
        for await priority in stream where priority == wanted { return }
    }
}

extension ImagePipeline {
    /// Whether the tables are empty.
    var isEmpty: Bool { work.counts == .init() && transfers.counts == .init() }

    /// Waits for all work, including abandoned work.
    func waitUntilIdle() async {
        while work.counts.tasks + transfers.counts.tasks > 0 { await Task.yield() }
    }
}

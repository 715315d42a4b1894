import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
@testable import SpyglassThreads
import Testing

@Suite("Complete stack", .timeLimit(.minutes(10)))
struct StackTests {
    typealias Reply = LoopbackServer.Reply

    @Test("A prefetch that becomes visible overtakes waiting requests")
    func priorities() async throws {
        let folder = try TemporaryFolder()
        let gate = Gate()
        let server = try LoopbackServer { request in
            let reply = Reply(body: Fixture.thumbnail)
            return request.path == "/0.jpg" ? Reply(steps: [.wait(gate)] + reply.steps) : reply
        }
        let (taken, continuation) = AsyncStream<Void>.makeStream()
        let stack = Stack(folder: folder.path, connections: 1) { Announcing(base: $0, taken: continuation) }
        func load(_ number: Int, _ priority: FetchPriority) async -> ImageTask {
            let request = ImageRequest(
                .address(server.address("/\(number).jpg")), target: ImageRequest.sample.target, priority: priority)
            let task = stack.pipeline.load(request)
            // It is in the network's queue then, after those before it.
            for await _ in taken { break }
            return task
        }
        var tasks = [await load(0, .visible)]
        await server.wait { $0.answering == 1 }
        for (number, priority) in [(1, FetchPriority.near), (2, .prefetch), (3, .visible), (4, .prefetch)] {
            tasks.append(await load(number, priority))
        }
        tasks[4].priority = .visible
        tasks[3].priority = .prefetch
        tasks[2].priority = .near
        tasks[1].priority = .near
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(server.requests.map(\.path) == [0, 4, 1, 2, 3].map { "/\($0).jpg" })
        await stack.end()
    }

    @Test("Joining a prefetch moves it up, and cancelling moves it back")
    func joining() async throws {
        let folder = try TemporaryFolder()
        let gate = Gate()
        let server = try LoopbackServer { request in
            let reply = Reply(body: Fixture.thumbnail)
            return request.path == "/0.jpg" ? Reply(steps: [.wait(gate)] + reply.steps) : reply
        }
        let (taken, continuation) = AsyncStream<Void>.makeStream()
        let stack = Stack(folder: folder.path, connections: 1) { Announcing(base: $0, taken: continuation) }
        func request(_ number: Int, _ priority: FetchPriority, width: Int = 12) -> ImageRequest {
            ImageRequest(
                .address(server.address("/\(number).jpg")),
                target: TargetSize(box: PixelSize(width: width, height: width)), priority: priority)
        }
        var tasks: [ImageTask] = []
        for number in 0..<4 {
            tasks.append(stack.pipeline.load(request(number, number == 0 ? .visible : .prefetch)))
            for await _ in taken { break }
        }
        await server.wait { $0.answering == 1 }
        let same = stack.pipeline.load(request(3, .visible))
        let left = stack.pipeline.load(request(2, .visible))
        left.cancel()
        gate.open()
        for task in tasks + [same] { _ = try await task.value }
        #expect(server.requests.map(\.path) == [0, 3, 1, 2].map { "/\($0).jpg" })
        await stack.end()
    }

    @Test("A fetch that waits for a slow cache moves up with its priority")
    func lookUps() async throws {
        let store = SlowStore(isSlowToRead: true)
        let threads = ThreadPool(count: 1)
        let caching = CachingTransport(
            ScriptedTransport(body: Fixture.thumbnail), store: store, now: WallTime.now, threads: threads)
        let controls = (0..<3).map { _ in FetchControl(priority: .prefetch) }
        var fetches: [Task<FetchResponse, any Error>] = []
        for (number, control) in controls.enumerated() {
            fetches.append(Task { try await caching.fetch(FetchRequest(.picture(number), control: control)) })
            if number == 0 { await store.turnstile.waitForArrivals(1) }
            try await waitUntil { threads.queue.waitingCount >= number }
        }
        controls[2].priority = .visible
        store.turnstile.open()
        for fetch in fetches { _ = try await fetch.value }
        #expect(store.reads == [0, 2, 1].map { WebAddress.picture($0).text })
    }

    @Test("A slow progressive JPEG gives previews, then ImageDecoder's image")
    func previews() async throws {
        let folder = try TemporaryFolder()
        let body = Fixture.progressive
        let gates = [Gate(), Gate()]
        let (half, most) = (body.count / 2, body.count * 9 / 10)
        let server = try LoopbackServer { _ in
            Reply(steps: [
                .send(Reply.head(200, headers: [("Content-Length", "\(body.count)")]) + body[..<half]), .wait(gates[0]),
                .send(Array(body[half..<most])), .wait(gates[1]), .send(Array(body[most...])),
            ])
        }
        let clock = ManualClock()
        let stack = Stack(folder: folder.path, clock: clock)
        let target = TargetSize(box: PixelSize(width: 40, height: 40))
        let request = ImageRequest(.address(server.address("/0.jpg")), target: target)
        let shown = await clock.passing(by: .milliseconds(150)) { () async -> Result<[DecodedImage], any Error> in
            var shown: [DecodedImage] = []
            do {
                for try await result in stack.pipeline.frames(for: request) {
                    shown.append(result.image)
                    if shown.count <= gates.count { gates[shown.count - 1].open() }
                }
                return .success(shown)
            } catch {
                return .failure(error)
            }
        }
        let images = try shown.get()
        #expect(images.map { $0.completeness == .complete } == [false, false, true])
        #expect(images.last?.pixels == (try ImageDecoder().decode(.bytes(body), to: target)).pixels)
        #expect(server.counts.requests == 1)
        await stack.end()
        #expect(stack.pipeline.isEmpty)
    }
}

/// Reports every fetch once the other transport has it.
private struct Announcing: Transport {
    let base: any Transport
    let taken: AsyncStream<Void>.Continuation

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        // Starts immediately and runs up to where it waits.
        let fetch = Task.immediate { try await base.fetch(request) }
        taken.yield()
        return try await withTaskCancellationHandler {
            try await fetch.value
        } onCancel: {
            fetch.cancel()
        }
    }
}

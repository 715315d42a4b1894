import SpyglassFetching
@testable import SpyglassPipeline
import SpyglassPixels
import SpyglassTestSupport
import Testing

@Suite("Complete stack: storms", .timeLimit(.minutes(10)), .serialized)
struct StackStormTests {
    #if THREAD_SANITIZER
        private static let count = 1000
    #else
        private static let count = 10_000
    #endif
    private static let lanes = 16

    @Test("Ten thousand starts and cancels leave no task, descriptor or thread")
    func storm() async throws {
        // In a process of its own no other test opens or closes descriptors.
        await #expect(processExitsWith: .success) {
            try await Self.storm(of: 200)
            let before = ThisProcess.descriptorCount
            try await Self.storm(of: Self.count)
            let after = ThisProcess.descriptorCount
            precondition(after <= before, "descriptors: \(before), then \(after)")
        }
    }

    private static func storm(of count: Int) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst().prefix { $0.isNumber }) ?? 0
            switch number % 8 {
            case 0, 1, 2: return .init(headers: [("Cache-Control", "max-age=100")], body: Fixture.thumbnail)
            case 3: return .init(headers: [("Cache-Control", "no-store")], body: Fixture.progressive)
            case 4: return .init(404)
            case 5: return .redirect(to: "/0.jpg")
            case 6:
                let head = LoopbackServer.Reply.head(200, headers: [("Content-Length", "1229"), ("ETag", "\"1\"")])
                return .init(steps: [.send(head + Fixture.thumbnail[..<900]), .close])
            default: return .init(steps: [.stall])
            }
        }
        let stack = Stack(folder: folder.path)
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    for round in 0..<(count / lanes) { await Self.request(round * lanes + lane, of: stack, server) }
                }
            }
        }
        await stack.pipeline.waitUntilIdle()
        precondition(stack.pipeline.isEmpty, "tables")
        precondition(ThisProcess.hasThread(named: "spyglass-fetch"), "the thread is found by its name")
        await stack.end()
        precondition(stack.pipeline.thumbnails?.pixelBytes == 0, "thumbnails")
        await server.wait { $0.openConnections == 0 && $0.answering == 0 }
        server.stop()
        // `shutDown` returns when the thread has finished its work; the kernel runs its last instructions.
        await waitUntil { !ThisProcess.hasThread(named: "spyglass-fetch") }
    }

    private static func request(_ number: Int, of stack: Stack, _ server: LoopbackServer) async {
        let stalls = number % 8 == 7
        let request = ImageRequest(
            .address(server.address("/\(number % 64).jpg")),
            target: TargetSize(box: PixelSize(width: 8 + number % 3, height: 8)), priority: .prefetch,
            revalidates: number % 5 == 0)
        if number % 11 == 0 {
            // A reader that leaves after some time.
            let reader = Task {
                for try await _ in stack.pipeline.frames(for: request) {}
            }
            for _ in 0..<(number % 23) { await Task.yield() }
            if stalls || number % 2 == 0 { reader.cancel() }
            _ = await reader.result
            return
        }
        let task = stack.pipeline.load(request)
        for _ in 0..<(number % 37) { await Task.yield() }
        task.priority = number % 2 == 0 ? .visible : .near
        if stalls || number % 3 == 0 { task.cancel() }
        _ = await Task { try await task.value }.result
    }
}

import SpyglassCaching
import SpyglassCodecs
import SpyglassFetching
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassPipeline
@testable import SpyglassThreads

@Suite("Complete stack: storms", .timeLimit(.minutes(10)), .serialized)
struct StackStormTests {
    private static let count = 1000
    private static let lanes = 16

    @Test("A thousand starts and cancels leave no task, descriptor or thread")
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
        let transfers = WatchedValue<[String: Int]>([:])
        let stack = Stack(folder: folder.path) { network in
            StubTransport { request in
                let address = request.address.text
                transfers.change { $0[address, default: 0] += 1 }
                defer { transfers.change { $0[address, default: 0] -= 1 } }
                return try await network.fetch(request)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    for round in 0..<(count / lanes) {
                        await Self.request(round * lanes + lane, of: stack, server, transfers)
                    }
                }
            }
        }
        await stack.pipeline.waitUntilIdle()
        precondition(stack.pipeline.isEmpty, "tables")
        precondition(ThisProcess.hasThread(named: "spyglass-fetch"), "the thread is found by its name")
        await stack.end()
        precondition(stack.pipeline.thumbnails?.pendingBytes == 0, "thumbnails")
        await server.wait { $0.openConnections == 0 && $0.answering == 0 }
        server.stop()
        // `shutDown` returns when the thread has finished its work; the kernel runs its last instructions.
        try await waitUntil { !ThisProcess.hasThread(named: "spyglass-fetch") }
    }

    /// Requests an image, and cancels some requests immediately, others during their transfers.
    private static func request(
        _ number: Int, of stack: Stack, _ server: LoopbackServer, _ transfers: WatchedValue<[String: Int]>
    ) async {
        let stalls = number % 8 == 7
        let address = server.address("/\(number % 64).jpg")
        var request = ImageRequest(
            .address(address),
            target: TargetSize(box: PixelSize(width: 8 + number % 3, height: 8)), priority: .prefetch)
        if number % 5 == 0 { request.cachePolicy = .reload }
        if number % 11 == 0 {
            let reader = Task {
                for try await _ in stack.pipeline.frames(for: request) {}
            }
            if stalls || number % 2 == 0 { reader.cancel() }
            _ = await reader.result
            return
        }
        let task = stack.pipeline.load(request)
        let end = Task {
            defer { transfers.change { $0["\(number)"] = 1 } }
            return try await task.value
        }
        if number / lanes % 2 == 0 {
            await transfers.wait { $0[address.text, default: 0] > 0 || $0["\(number)"] != nil }
        }
        task.priority = number % 2 == 0 ? .visible : .near
        if stalls || number % 3 == 0 { task.cancel() }
        _ = await end.result
        transfers.change { $0["\(number)"] = nil }
    }
}

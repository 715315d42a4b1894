import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CurlTransport: storms", .timeLimit(.minutes(10)), .serialized)
struct CurlStormTests {
    #if THREAD_SANITIZER
        private static let count = 2000
    #else
        private static let count = 10_000
    #endif

    @Test("Ten thousand cancelled fetches leave no connection")
    func storm() async throws {
        let arrived = WatchedValue<Set<Int>>([])
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            arrived.change { $0.insert(number) }
            switch number % 4 {
            case 0: return .init(text: "x")
            case 1: return .init(body: [UInt8](repeating: 1, count: 100_000))
            case 2: return .redirect(to: "/0")
            default: return .init(steps: [.stall])
            }
        }
        let transport = CurlTransport(clock: ManualClock())
        var outcomes: [String: Int] = [:]
        await withTaskGroup(of: String.self) { group in
            for number in 0..<Self.count {
                if number >= 200, let outcome = await group.next() { outcomes[outcome, default: 0] += 1 }
                group.addTask { await Self.outcome(of: number, transport, server, arrived) }
            }
            for await outcome in group { outcomes[outcome, default: 0] += 1 }
        }
        await transport.shutDown()
        let answers = outcomes["answer", default: 0]
        let cancelled = outcomes["cancelled", default: 0]
        #expect(answers + cancelled == Self.count, "\(outcomes)")
        #expect(answers >= Self.count / 4)
        #expect(cancelled >= Self.count / 4)
        // The server sees every connection closed: no descriptor of the transport's is left.
        await server.wait { $0.openConnections == 0 && $0.answering == 0 }
    }

    /// Fetches, and cancels some fetches: immediately, when the server has the request, or when the body starts.
    private static func outcome(
        of number: Int, _ transport: CurlTransport, _ server: LoopbackServer, _ arrived: WatchedValue<Set<Int>>
    ) async -> String {
        let hasBody = WatchedValue(false)
        let control = FetchControl(priority: .prefetch) { _ in
            hasBody.change { $0 = true }
            return number % 5 != 0
        }
        let request = FetchRequest(server.address("/\(number)"), control: control)
        let fetch = Task {
            defer {
                arrived.change { $0.insert(number) }
                hasBody.change { $0 = true }
            }
            return try await transport.fetch(request)
        }
        let stalls = number % 4 == 3
        switch number / 4 % 3 {
        case 0: break
        case 1: await arrived.wait { $0.contains(number) }
        default: if stalls { await arrived.wait { $0.contains(number) } } else { await hasBody.wait { $0 } }
        }
        control.priority = .visible
        if stalls || number % 2 == 0 { fetch.cancel() }
        switch await fetch.result {
        case .success: return "answer"
        case .failure(let error): return error is CancellationError ? "cancelled" : "\(error)"
        }
    }
}

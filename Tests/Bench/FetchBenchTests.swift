import SpyglassFetching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassBench

@Suite("Measuring transfers", .timeLimit(.minutes(10)))
struct FetchBenchTests {
    /// Answers after a moment of a clock that it moves itself, and counts.
    private final class Server: Transport {
        struct State {
            var time = Duration.zero
            var running = 0
            var mostRunning = 0
            var requests = 0
        }

        let state = Mutex(State())
        let fails: Bool

        init(fails: Bool = false) { self.fails = fails }

        func fetch(_ request: FetchRequest) async throws -> FetchResponse {
            state.withLock { state in
                state.running += 1
                state.mostRunning = max(state.mostRunning, state.running)
                state.requests += 1
                state.time += .milliseconds(10)
            }
            await Task.yield()
            state.withLock { $0.running -= 1 }
            if fails { throw FetchError(.unreachable, "no answer") }
            return FetchResponse(address: request.address, status: 200, body: [UInt8](repeating: 1, count: 40_000))
        }

        @Sendable func now() -> Duration { state.withLock { $0.time } }
    }

    private func addresses(_ count: Int) throws -> [WebAddress] {
        try (0..<count).map { try WebAddress(validating: "https://host.example/\($0)") }
    }

    @Test("Transfers and bytes of a second are counted, after a round that warms up")
    func figures() async throws {
        let server = Server()
        let bench = FetchBench(try addresses(10), over: server, connections: 4, bodyLimit: 1 << 20)
        let (figures, failure) = try await bench.measure(Effort(time: .milliseconds(450)), now: server.now)
        #expect(failure == nil)
        #expect(figures.map(\.name) == ["fetch.transfers", "fetch.bytes"])
        #expect(figures.map(\.samples) == [5, 5])
        #expect(abs(figures[0].value - 100) < 1e-6)
        #expect(abs(figures[1].value - 4) < 1e-6)
        #expect(server.state.withLock { $0.requests } == 60)
        #expect(server.state.withLock { $0.mostRunning } <= 4)
    }

    @Test("When nothing is answered there is no figure but the reason")
    func nothing() async throws {
        let bench = FetchBench(try addresses(2), over: Server(fails: true), connections: 2, bodyLimit: 1)
        let error = await #expect(throws: BenchError.self) { try await bench.measure(.quick, now: { .zero }) }
        #expect(error?.description.holds("no answer") == true)
    }

    @Test("Addresses stand one a line, with remarks and empty lines between")
    func list() throws {
        let found = try FetchBench.addresses(in: "# list\r\nhttps://a.example/1\r\n\nhttps://a.example/2")
        #expect(found.map(\.description) == ["https://a.example/1", "https://a.example/2"])
        #expect(throws: BenchError.self) { try FetchBench.addresses(in: "\n# nothing\n") }
        let error = #expect(throws: BenchError.self) { try FetchBench.addresses(in: "\nhttp:///\n") }
        #expect(error?.description.hasPrefix("line 2: ") == true)
    }
}

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
            var maxRunning = 0
            var requests = 0
        }

        let state = Mutex(State())
        /// Whether a request fails, by its address and how many came before it.
        let fails: @Sendable (WebAddress, _ before: Int) -> Bool

        init(fails: @escaping @Sendable (WebAddress, _ before: Int) -> Bool = { _, _ in false }) { self.fails = fails }

        func fetch(_ request: FetchRequest) async throws -> FetchResponse {
            let before = state.withLock { state in
                state.running += 1
                state.maxRunning = max(state.maxRunning, state.running)
                state.requests += 1
                state.time += .milliseconds(10)
                return state.requests - 1
            }
            await Task.yield()
            state.withLock { $0.running -= 1 }
            if fails(request.address, before) { throw FetchError(.unreachable, "no answer") }
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
        #expect(server.state.withLock { $0.maxRunning } <= 4)
    }

    @Test("When nothing is answered there is no figure but the reason")
    func nothing() async throws {
        let bench = FetchBench(try addresses(2), over: Server { _, _ in true }, connections: 2, bodyLimit: 1)
        let error = await #expect(throws: BenchError.self) { try await bench.measure(.quick, now: { .zero }) }
        #expect(error?.description.holds("no answer") == true)
    }

    @Test("An address that fails at first is asked no more, and one that fails later makes no sample of its round")
    func partly() async throws {
        // The 14th request is one of the third round.
        let server = Server { address, before in address.path == "/3" || before == 13 }
        let bench = FetchBench(try addresses(5), over: server, connections: 1, bodyLimit: 1 << 20)
        let (figures, failure) = try await bench.measure(Effort(time: .milliseconds(1)), now: server.now)
        #expect(failure?.holds("no answer") == true)
        #expect(figures.map(\.samples) == [5, 5])
        #expect(abs(figures[0].value - 100) < 1e-6)
        #expect(server.state.withLock { $0.requests } == 5 + 6 * 4)
    }

    @Test("Where nobody answers any more there is no figure, and it says how many failed")
    func brokenOff() async throws {
        let server = Server { _, before in before >= 4 }
        let bench = FetchBench(try addresses(4), over: server, connections: 2, bodyLimit: 1 << 20)
        let error = await #expect(throws: BenchError.self) { try await bench.measure(.quick, now: server.now) }
        #expect(error?.description.hasSuffix("; so 19 more") == true)
        #expect(server.state.withLock { $0.requests } == 4 + 5 * 4)
    }

    @Test("Addresses stand one a line, with remarks and empty lines between")
    func list() throws {
        let found = try FetchBench.addresses(in: "# list\r\nhttps://a.example/1\r\n\n\thttps://a.example/2  ")
        #expect(found.map(\.description) == ["https://a.example/1", "https://a.example/2"])
        #expect(throws: BenchError.self) { try FetchBench.addresses(in: "\n# nothing\n") }
        let error = #expect(throws: BenchError.self) { try FetchBench.addresses(in: "\nhttp:///\n") }
        #expect(error?.description.hasPrefix("line 2: ") == true)
    }
}

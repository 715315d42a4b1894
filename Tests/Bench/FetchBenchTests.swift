import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import SpyglassBench

@Suite("FetchBench", .timeLimit(.minutes(10)))
struct FetchBenchTests {
    /// A server whose requests fail by their URL and the number of earlier requests.
    private func server(
        fails: @escaping @Sendable (WebAddress, _ before: Int) -> Bool = { _, _ in false }
    ) -> ScriptedTransport {
        ScriptedTransport { request, before in
            if fails(request.address, before) { throw FetchError(.unreachable, "no answer") }
            return FetchResponse(address: request.address, status: 200, body: [UInt8](repeating: 1, count: 40_000))
        }
    }

    /// A clock that each request advances by 10 ms.
    private func clock(of server: ScriptedTransport) -> @Sendable () -> Duration {
        { .milliseconds(10 * server.count) }
    }

    private func addresses(_ count: Int) throws -> [WebAddress] {
        try (0..<count).map { try WebAddress(validating: "https://host.example/\($0)") }
    }

    @Test("Measures transfers and bytes a second, and CPU time a transfer, after a warm-up round")
    func rates() async throws {
        let server = server()
        let bench = FetchBench(try addresses(10), over: server, connections: 4, bodyLimit: 1 << 20)
        let (results, failure) = try await bench.measure(
            Effort(time: .milliseconds(450)), now: clock(of: server), cpuTime: clock(of: server))
        let values = results.map { ($0.value * 1000).rounded() / 1000 }
        #expect(failure == nil && values == [100, 4, 10_000])
        #expect(results.map(\.name) == ["fetch.transfers", "fetch.bytes", "fetch.cpu"])
        #expect(results.map(\.samples) == [5, 5, 5])
        #expect(server.count == 60 && server.maxRunningCount <= 4)
    }

    @Test("If every URL fails, the error has the reason")
    func nothing() async throws {
        let bench = FetchBench(try addresses(2), over: server { _, _ in true }, connections: 2, bodyLimit: 1)
        await #expect(throws: BenchError("no answer; 1 more failed")) {
            try await bench.measure(.quick, now: { .zero }, cpuTime: { .zero })
        }
    }

    @Test("A failure in the warm-up drops the URL, a later one its round")
    func partly() async throws {
        // The 14th request belongs to the third round.
        let server = server { address, before in address.path == "/3" || before == 13 }
        let bench = FetchBench(try addresses(5), over: server, connections: 1, bodyLimit: 1 << 20)
        let (results, failure) = try await bench.measure(
            Effort(time: .milliseconds(1)), now: clock(of: server), cpuTime: clock(of: server))
        #expect(failure == "no answer" && abs(results[0].value - 100) < 1e-6)
        #expect(results.map(\.samples) == [5, 5, 5])
        #expect(server.count == 5 + 6 * 4)
    }

    @Test("If later rounds keep failing, the error has the number of failures")
    func brokenOff() async throws {
        let server = server { _, before in before >= 4 }
        let bench = FetchBench(try addresses(4), over: server, connections: 2, bodyLimit: 1 << 20)
        await #expect(throws: BenchError("no answer; 19 more failed")) {
            try await bench.measure(.quick, now: clock(of: server), cpuTime: clock(of: server))
        }
        #expect(server.count == 4 + 5 * 4)
    }

    @Test("Reads one URL a line, ignoring comments and empty lines")
    func list() throws {
        let found = try FetchBench.addresses(in: "# list\r\nhttps://a.example/1\r\n\n\thttps://a.example/2  ")
        #expect(found.map(\.description) == ["https://a.example/1", "https://a.example/2"])
        #expect(throws: BenchError.self) { try FetchBench.addresses(in: "\n# nothing\n") }
        #expect {
            try FetchBench.addresses(in: "\nhttp:///\n")
        } throws: {
            "\($0)".hasPrefix("line 2: ")
        }
    }
}

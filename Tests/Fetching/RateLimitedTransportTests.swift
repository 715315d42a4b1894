import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

@Suite("RateLimitedTransport", .timeLimit(.minutes(10)))
struct RateLimitedTransportTests {
    private let clock = ManualClock()

    /// A transport that records the time of each request.
    private func recording(_ begun: CallRecorder<(name: String, time: Duration)>, rate: Double) -> RateLimitedTransport
    {
        let clock = clock
        let base = ScriptedTransport { request, _ in
            begun.record((request.address.path, clock.now.offset))
            return FetchResponse(address: request.address, status: 200)
        }
        return RateLimitedTransport(base, requestsPerSecond: rate, clock: clock)
    }

    private func address(_ name: String, host: String = "x.test") throws -> WebAddress {
        try WebAddress(validating: "https://\(host)/\(name)")
    }

    /// Starts a fetch, which runs until it waits.
    private func start(_ name: String, on transport: RateLimitedTransport) throws -> Task<Void, any Error> {
        let request = FetchRequest(try address(name))
        return Task.immediate { _ = try await transport.fetch(request) }
    }

    @Test("Fetches of one host start evenly spaced, in order")
    func spacing() async throws {
        let begun = CallRecorder<(name: String, time: Duration)>()
        let transport = recording(begun, rate: 4)
        _ = try await transport.fetch(FetchRequest(try address("0")))
        let tasks = try (1...3).map { try start("\($0)", on: transport) }
        for task in tasks {
            await clock.waitForSleepers()
            clock.advance(by: .milliseconds(250))
            try await task.value
        }
        #expect(begun.values.map(\.name) == ["/0", "/1", "/2", "/3"])
        #expect(begun.values.map(\.time) == [0, 250, 500, 750].map { .milliseconds($0) })
    }

    @Test("Hosts and ports do not wait for each other")
    func hosts() async throws {
        let begun = CallRecorder<(name: String, time: Duration)>()
        let transport = recording(begun, rate: 1)
        for host in ["x.test", "y.test", "x.test:8443"] {
            _ = try await transport.fetch(FetchRequest(try address("0", host: host)))
        }
        #expect(begun.values.map(\.time) == [.zero, .zero, .zero])
    }

    @Test("Unused time does not accumulate")
    func noBurst() async throws {
        let begun = CallRecorder<(name: String, time: Duration)>()
        let transport = recording(begun, rate: 1)
        _ = try await transport.fetch(FetchRequest(try address("0")))
        clock.advance(by: .seconds(10))
        _ = try await transport.fetch(FetchRequest(try address("1")))
        let third = try start("2", on: transport)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        try await third.value
        #expect(begun.values.map(\.time) == [.zero, .seconds(10), .seconds(11)])
    }

    @Test("A cancelled fetch ends at once, and the others keep their turns")
    func cancelled() async throws {
        let begun = CallRecorder<(name: String, time: Duration)>()
        let transport = recording(begun, rate: 1)
        _ = try await transport.fetch(FetchRequest(try address("0")))
        let tasks = try (1...2).map { try start("\($0)", on: transport) }
        await clock.waitForSleepers()
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        clock.advance(by: .seconds(2))
        try await tasks[1].value
        #expect(begun.values.map(\.name) == ["/0", "/2"])
    }

    @Test("An invalid rate sets no limit", arguments: [0, -1, .nan, .infinity])
    func unpaced(rate: Double) async throws {
        let begun = CallRecorder<(name: String, time: Duration)>()
        let transport = recording(begun, rate: rate)
        for _ in 0..<3 { _ = try await transport.fetch(FetchRequest(try address("0"))) }
        #expect(begun.values.map(\.time).count == 3)
    }
}

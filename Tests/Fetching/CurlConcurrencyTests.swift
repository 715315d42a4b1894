import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CurlTransport: pauses of a host", .timeLimit(.minutes(10)))
struct CurlConcurrencyTests {
    private static func recording(_ pauses: CallRecorder<Duration>) -> FetchEvent.Observer {
        { if case .hostPaused(_, let pause) = $0 { pauses.record(pause) } }
    }

    @Test(
        "After a 503 the host gets no request until Retry-After; others do, and one that waits can be cancelled",
        arguments: [429, 503])
    func pause(status: Int) async throws {
        let isWell = Mutex(false)
        let server = try LoopbackServer { _ in
            isWell.withLock { $0 } ? .init(text: "well") : .init(status, headers: [("Retry-After", "7")])
        }
        let other = try LoopbackServer { _ in .init(text: "other") }
        let clock = ManualClock()
        let pauses = CallRecorder<Duration>()
        let transport = CurlTransport(clock: clock, onEvent: Self.recording(pauses))
        #expect(try await transport.get(server.address("/")).status == status)
        isWell.withLock { $0 = true }
        let later = transport.start(server.address("/later"))
        #expect(try await transport.get(other.address("/")).status == 200)
        #expect(server.counts.requests == 1, "the pause lasts")
        let left = transport.start(server.address("/left"))
        left.cancel()
        await #expect(throws: CancellationError.self) { try await left.value }
        clock.advance(by: .seconds(7))
        #expect(try await later.value.text == "well")
        #expect(pauses.values == [.seconds(7)])
    }
}

@Suite("CurlTransport: silent hosts", .timeLimit(.minutes(10)))
struct CurlFallbackTests {
    private let clock = ManualClock()

    private func task(
        _ transport: CurlTransport, _ address: WebAddress, hasFallback: Bool = true, revalidates: Bool = false
    ) -> Task<FetchResponse, any Error> {
        var request = FetchRequest(address)
        request.hasFallback = hasFallback
        request.revalidates = revalidates
        return Task.immediate { [request] in try await transport.fetch(request) }
    }

    private func error(of task: Task<FetchResponse, any Error>) async -> FetchError? {
        await #expect(throws: FetchError.self) { try await task.value }
    }

    @Test("A fetch with a fallback waits 5 s, those after it not at all")
    func silentHost() async throws {
        let server = try LoopbackServer { $0.path == "/stall" ? .init(steps: [.stall]) : .init(text: "well") }
        let transport = CurlTransport(connections: 1, clock: clock)
        let stalled = task(transport, server.address("/stall"))
        await server.wait { $0.answering == 1 }
        let impatient = task(transport, server.address("/impatient"))
        let patient = task(transport, server.address("/patient"), hasFallback: false)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        let error = await error(of: stalled)
        #expect(
            error?.kind == .timedOut && error?.exceededLimit == .stall
                && error?.description.hasSuffix("no progress for 5 s") == true)
        let other = await self.error(of: impatient)
        #expect(other?.kind == .unreachable && other?.description.hasSuffix("server did not respond recently") == true)
        // Fetches without a fallback still use it; the latest response counts.
        #expect(try await patient.value.status == 200)
        #expect(try await task(transport, server.address("/again")).value.status == 200)
        #expect(server.requests.map(\.path) == ["/stall", "/patient", "/again"])
    }

    @Test("A silent host gets revalidations, and all requests after 30 s")
    func silenceEnds() async throws {
        let server = try LoopbackServer { $0.path == "/stall" ? .init(steps: [.stall]) : .init(text: "well") }
        for revalidates in [true, false] {
            let transport = CurlTransport(connections: 1, clock: clock)
            let answering = server.counts.requests
            let stalled = task(transport, server.address("/stall"))
            await server.wait { $0.requests == answering + 1 }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
            _ = await error(of: stalled)
            _ = await error(of: task(transport, server.address("/early")))
            if !revalidates { clock.advance(by: .seconds(30)) }
            let next = task(transport, server.address("/late"), revalidates: revalidates)
            #expect(try await next.value.status == 200)
            await transport.shutDown()
        }
        #expect(!server.requests.contains { $0.path == "/early" })
    }

    @Test("One slow response does not make a host silent")
    func slowBesideOthers() async throws {
        let server = try LoopbackServer { $0.path == "/stall" ? .init(steps: [.stall]) : .init(text: "well") }
        let transport = CurlTransport(connections: 2, clock: clock)
        let stalled = task(transport, server.address("/stall"))
        await server.wait { $0.answering == 1 }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(try await task(transport, server.address("/1")).value.status == 200)
        clock.advance(by: .seconds(9))
        _ = await error(of: stalled)
        #expect(try await task(transport, server.address("/2")).value.status == 200)
    }

    @Test("A fetch with a fallback does not wait for a requested delay")
    func pause() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            guard request.path == "/busy" else { return .init(text: "well") }
            return .init(503, headers: [("Retry-After", "30")]).after(gate)
        }
        let transport = CurlTransport(connections: 1, clock: clock)
        let busy = task(transport, server.address("/busy"))
        await server.wait { $0.answering == 1 }
        let impatient = task(transport, server.address("/impatient"))
        let patient = task(transport, server.address("/patient"), hasFallback: false)
        gate.open()
        #expect(try await busy.value.status == 503)
        let error = await error(of: impatient)
        #expect(error?.description.hasSuffix("server requested a delay") == true)
        _ = await self.error(of: task(transport, server.address("/late")))
        clock.advance(by: .seconds(30))
        #expect(try await patient.value.status == 200)
    }

    @Test("Any number of connections is accepted", arguments: [Int.min, 0, .max])
    func connections(count: Int) async throws {
        let server = try LoopbackServer { _ in .init(text: "well") }
        let transport = CurlTransport(connections: count)
        for _ in 0..<9 { #expect(try await transport.get(server.address("/")).status == 200) }
    }
}

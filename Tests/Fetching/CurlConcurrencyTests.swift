import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CurlTransport: pauses of a host, and transfers nearly done", .timeLimit(.minutes(10)))
struct CurlConcurrencyTests {
    private static func task(
        _ transport: CurlTransport, _ address: WebAddress, finishes: Bool = false
    ) -> Task<FetchResponse, any Error> {
        var request = FetchRequest(address)
        request.finishesWhenNearlyDone = finishes
        return Task.immediate { [request] in try await transport.fetch(request) }
    }

    private static func recording(_ pauses: CallRecorder<Duration>) -> FetchEvent.Observer {
        { if case .hostPaused(_, let pause) = $0 { pauses.record(pause) } }
    }

    @Test(
        "After a 503 the host gets no request until Retry-After; others do", arguments: [429, 503])
    func pause(status: Int) async throws {
        let isWell = Mutex(false)
        let server = try LoopbackServer { _ in
            isWell.withLock { $0 } ? .init(text: "well") : .init(status, headers: [("Retry-After", "7")])
        }
        let other = try LoopbackServer { _ in .init(text: "other") }
        let clock = ManualClock()
        let pauses = CallRecorder<Duration>()
        let transport = CurlTransport(clock: clock, onEvent: Self.recording(pauses))
        #expect(try await transport.fetch(FetchRequest(server.address("/"))).status == status)
        isWell.withLock { $0 = true }
        let later = Self.task(transport, server.address("/later"))
        #expect(try await transport.fetch(FetchRequest(other.address("/"))).status == 200)
        #expect(server.counts.requests == 1, "the pause lasts")
        clock.advance(by: .seconds(7))
        #expect(try await later.value.body == Array("well".utf8))
        #expect(pauses.values == [.seconds(7)])
    }

    @Test("Retry-After may be a date, and is limited")
    func retryDate() async throws {
        let server = try LoopbackServer { request in
            .init(
                503, headers: [("Retry-After", "Sun, 06 Nov 1994 08:49:\(request.path == "/soon" ? "40" : "37") GMT")])
        }
        let pauses = CallRecorder<Duration>()
        var settings = CurlSettings(time: ElapsedClock(ManualClock()))
        // 1994-11-06T08:49:37Z
        settings.calendar = { WallTime(seconds: 784_111_777) }
        settings.onEvent = Self.recording(pauses)
        let transport = CurlTransport(settings)
        #expect(try await transport.fetch(FetchRequest(server.address("/now"))).status == 503)
        #expect(try await transport.fetch(FetchRequest(server.address("/soon"))).status == 503)
        #expect(pauses.values == [.seconds(3)])
    }

    @Test("A fetch delayed by a host can be cancelled")
    func cancelInPause() async throws {
        let server = try LoopbackServer { _ in .init(503, headers: [("Retry-After", "60")]) }
        let transport = CurlTransport(clock: ManualClock())
        _ = try await transport.fetch(FetchRequest(server.address("/")))
        let waiting = Self.task(transport, server.address("/waiting"))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(server.counts.requests == 1)
    }

    // MARK: - Nearly done

    /// A response whose last `left` bytes wait for the gate.
    private func server(left: Int, _ gate: Gate, _ headers: [(String, String)] = []) throws -> LoopbackServer {
        let length = 100_000
        return try LoopbackServer { request in
            guard request.path == "/" else { return .init(text: "next") }
            let head = LoopbackServer.Reply.head(200, headers: headers + [("Content-Length", "\(length)")])
            let body = [UInt8](repeating: 1, count: length)
            return .init(steps: [.send(head + body.dropLast(left)), .wait(gate), .send(Array(body.suffix(left)))])
        }
    }

    /// Returns once so much body is here.
    private func transport(
        _ clock: ManualClock, connections: Int = 1, hasBody size: Int
    ) -> (CurlTransport, arrived: () async -> Void) {
        let (sizes, continuation) = AsyncStream<Int>.makeStream()
        var settings = CurlSettings(time: ElapsedClock(clock))
        settings.connections = connections
        settings.connectionsPerHost = connections
        settings.onProgress = { continuation.yield($0) }
        return (CurlTransport(settings), { for await reported in sizes where reported == size { break } })
    }

    @Test("A cancelled transfer near its end completes, keeping its connection")
    func nearlyDone() async throws {
        let gate = Gate()
        let server = try server(left: 32_767, gate)
        let (transport, arrived) = transport(ManualClock(), hasBody: 100_000 - 32_767)
        let task = Self.task(transport, server.address("/"), finishes: true)
        await arrived()
        task.cancel()
        let next = Self.task(transport, server.address("/next"))
        gate.open()
        #expect(try await task.value.body.count == 100_000)
        #expect(try await next.value.status == 200)
        #expect(server.counts.connections == 1)
    }

    @Test("A cancelled transfer completes within two seconds or ends")
    func lingersTwoSeconds() async throws {
        let gate = Gate()
        let server = try server(left: 10, gate)
        let clock = ManualClock()
        let (transport, arrived) = transport(clock, connections: 2, hasBody: 99_990)
        let task = Self.task(transport, server.address("/"), finishes: true)
        await arrived()
        task.cancel()
        // The transport runs commands in order, so this response follows the cancellation.
        #expect(try await transport.fetch(FetchRequest(server.address("/next"))).status == 200)
        #expect(server.counts.openConnections == 2)
        clock.advance(by: .seconds(2))
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        await server.wait { $0.openConnections == 1 }
    }
}

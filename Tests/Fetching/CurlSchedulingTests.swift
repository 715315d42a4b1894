import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CurlTransport: concurrency, timeouts and shut-down", .timeLimit(.minutes(10)))
struct CurlSchedulingTests {
    @Test("Fifty fetches share six connections to a host, and hold up no other host")
    func sixConnections() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .init(text: "x").after(gate) }
        let other = try LoopbackServer { _ in .init(text: "other") }
        let transport = CurlTransport(clock: ManualClock())
        let tasks = (0..<50).map { transport.start(server.address("/\($0)")) }
        await server.wait { $0.answering == 6 }
        #expect(try await transport.start(other.address("/"), .prefetch).value.status == 200)
        gate.open()
        for task in tasks { _ = try await task.value }
        let counts = server.counts
        // Connections are used again.
        #expect([counts.requests, counts.maxConnections, counts.connections] == [50, 6, 6])
    }

    @Test("The total number of connections is limited")
    func connectionsInAll() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .init(text: "x").after(gate) }
        let transport = CurlTransport(connections: 3, clock: ManualClock())
        let tasks = (0..<20).map { transport.start(server.address("/\($0)")) }
        await server.wait { $0.answering == 3 }
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(server.counts.maxConnections == 3)
    }

    @Test("A free connection takes the highest priority, then the first fetch")
    func priorities() async throws {
        let gate = Gate()
        let server = try LoopbackServer {
            $0.path == "/first" ? .init(text: "x").after(gate) : .init(text: "x")
        }
        let transport = CurlTransport(connections: 1, clock: ManualClock())
        var tasks = [transport.start(server.address("/first"))]
        await server.wait { $0.answering == 1 }
        for (path, priority) in [
            ("/d", FetchPriority.prefetch), ("/c", .near), ("/a", .visible), ("/e", .prefetch), ("/b", .visible),
        ] {
            tasks.append(transport.start(server.address(path), priority))
        }
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(server.requests.map(\.path) == ["/first", "/a", "/b", "/c", "/d", "/e"])
    }

    // MARK: - Cancellation

    @Test("Cancelling a running fetch frees its connection")
    func cancelRunning() async throws {
        let server = try LoopbackServer { $0.path == "/slow" ? .init(steps: [.stall]) : .init(text: "x") }
        let transport = CurlTransport(connections: 1, clock: ManualClock())
        let slow = transport.start(server.address("/slow"))
        await server.wait { $0.answering == 1 }
        let next = transport.start(server.address("/next"))
        slow.cancel()
        await #expect(throws: CancellationError.self) { try await slow.value }
        #expect(try await next.value.status == 200)
        await server.wait { $0.answering == 0 }
    }

    @Test("A fetch cancelled in the queue is never sent")
    func cancelWaiting() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .init(text: "x").after(gate) }
        let transport = CurlTransport(connections: 1, clock: ManualClock())
        let first = transport.start(server.address("/first"))
        await server.wait { $0.answering == 1 }
        let waiting = transport.start(server.address("/waiting"))
        let last = transport.start(server.address("/last"))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        gate.open()
        _ = try await (first.value, last.value)
        #expect(server.requests.map(\.path) == ["/first", "/last"])
    }

    // MARK: - Time

    /// A transport on a clock of the test's own, and the sizes of body it reports.
    private func timed() -> (CurlTransport, ManualClock, AsyncStream<Int>) {
        let clock = ManualClock()
        let (sizes, continuation) = AsyncStream<Int>.makeStream()
        var settings = CurlSettings(time: ElapsedClock(clock))
        settings.onProgress = { continuation.yield($0) }
        return (CurlTransport(settings), clock, sizes)
    }

    @Test("A transfer without progress for 20 seconds times out", arguments: [true, false])
    func stall(withHead: Bool) async throws {
        let server = try LoopbackServer { _ in
            .init(steps: (withHead ? [.send(LoopbackServer.Reply.head(200, headers: []) + [1])] : []) + [.stall])
        }
        let (transport, clock, sizes) = timed()
        let task = transport.start(server.address("/stuck"))
        // The last sign of life must have been seen: one behind the move of the clock would put the end off.
        await server.wait { $0.answering == 1 }
        for await size in sizes where !withHead || size == 1 { break }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(20))
        let error = await failure { try await task.value }
        #expect(
            error?.kind == .timedOut && error?.description == "\(server.address("/stuck")): no progress for 20 s"
                && error?.exceededLimit == .stall)
        await server.wait { $0.openConnections == 0 }
    }

    @Test("A transfer that receives a KiB before each timeout continues")
    func slowButMoving() async throws {
        let gates = [Gate(), Gate()]
        let part = [UInt8](repeating: 7, count: 1024)
        let server = try LoopbackServer { _ in
            .init(length: 3072, part, then: .wait(gates[0]), .send(part), .wait(gates[1]), .send(part))
        }
        let (transport, clock, sizes) = timed()
        let task = transport.start(server.address("/"))
        for (gate, count) in zip(gates, 1...) {
            for await reported in sizes where reported == count * 1024 { break }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(15))
            gate.open()
        }
        #expect(try await task.value.body == part + part + part)
    }

    @Test("A transfer that receives a byte before each timeout ends")
    func dribble() async throws {
        let gates = [Gate(), Gate()]
        let server = try LoopbackServer { _ in
            .init(
                length: 9000, [1], then: .wait(gates[0]), .send([2]), .wait(gates[1]),
                .send([UInt8](repeating: 3, count: 1021)), .stall)
        }
        let (transport, clock, sizes) = timed()
        let task = transport.start(server.address("/"))
        for (gate, size) in zip(gates, 1...) {
            for await reported in sizes where reported == size { break }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(9))
            gate.open()
        }
        for await reported in sizes where reported == 1023 { break }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(2))
        let error = await failure { try await task.value }
        #expect(error?.kind == .timedOut && error?.partialResponse?.body.count == 1023)
    }

    @Test(
        "A body that drips until its deadline ends, a saved one only below its minimum rate", arguments: [false, true])
    func drippingBody(isSaved: Bool) async throws {
        let gates = (0..<20).map { _ in Gate() }
        let part = [UInt8](repeating: 7, count: 1024)
        let drips = gates.flatMap { [LoopbackServer.Reply.Step.wait($0), .send(part)] }
        let server = try LoopbackServer { _ in
            .init(steps: LoopbackServer.Reply(length: 99_999, part).steps + drips)
        }
        let (transport, clock, sizes) = timed()
        var request = FetchRequest(server.address("/"))
        request.usesMinRate = isSaved
        let task = Task.immediate { [request] in try await transport.fetch(request) }
        // 15 s a drip: the minimum rate is checked after 60 s.
        for (gate, count) in zip(gates, 1...) {
            for await reported in sizes where reported == count * 1024 { break }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(15))
            if isSaved, count == 4 { break }
            gate.open()
        }
        let error = await failure { try await task.value }
        #expect(
            error?.kind == .timedOut && error?.exceededLimit == (isSaved ? .rate : .deadline)
                && error?.partialResponse?.body.isEmpty == false)
        for gate in gates { gate.open() }
    }

    @Test("A slow head is not progress")
    func drippingHead() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            .init(steps: [
                .send(Array("HTTP/1.1 200 OK\r\n".utf8)), .wait(gate), .send(Array("A: b\r\n".utf8)), .stall,
            ])
        }
        let (transport, clock, signs) = timed()
        let task = transport.start(server.address("/"))
        // The connection, and the first line.
        var seen = signs.makeAsyncIterator()
        for _ in 0..<2 { _ = await seen.next() }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(19))
        gate.open()
        _ = await seen.next()
        clock.advance(by: .seconds(1))
        let error = await failure { try await task.value }
        #expect(error?.kind == .timedOut)
    }

    @Test("Queued fetches do not time out")
    func waitingInLine() async throws {
        let gate = Gate()
        let server = try LoopbackServer {
            $0.path == "/late" ? .init(text: "x").after(gate) : .init(steps: [.stall])
        }
        let clock = ManualClock()
        let transport = CurlTransport(connections: 1, clock: clock)
        let stuck = transport.start(server.address("/stuck"))
        await server.wait { $0.answering == 1 }
        let late = transport.start(server.address("/late"))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(20))
        await #expect(throws: FetchError.self) { try await stuck.value }
        await server.wait { $0.requests == 2 }
        gate.open()
        #expect(try await late.value.status == 200)
    }

    // MARK: - The end

    @Test("Fetches that begin while it shuts down end")
    func shuttingDown() async throws {
        let server = try LoopbackServer { _ in .init(body: [1]) }
        for _ in 0..<50 {
            let transport = CurlTransport(connections: 1)
            _ = try await transport.start(server.address("/first")).value
            async let end: Void = transport.shutDown()
            let tasks = (0..<8).map { transport.start(server.address("/\($0)")) }
            await end
            for task in tasks { _ = await task.result }
        }
    }

    @Test("Shut-down ends current and later fetches")
    func shutDown() async throws {
        let server = try LoopbackServer { _ in .init(steps: [.stall]) }
        let transport = CurlTransport(connections: 1, clock: ManualClock())
        let tasks = ["/running", "/waiting"].map { transport.start(server.address($0)) }
        await server.wait { $0.answering == 1 }
        await transport.shutDown()
        await transport.shutDown()
        for task in tasks + [transport.start(server.address("/late"))] {
            let error = await failure { try await task.value }
            #expect(error == CurlEngine.shutDownError)
        }
        await server.wait { $0.openConnections == 0 }
    }

    @Test("A released transport closes its connections")
    func letGo() async throws {
        let server = try LoopbackServer { _ in .init() }
        var transport: CurlTransport? = CurlTransport(clock: ManualClock())
        _ = try await transport?.get(server.address("/"))
        #expect(server.counts.openConnections == 1)
        transport = nil
        await server.wait { $0.openConnections == 0 }
    }

    @Test("A transport without fetches shuts down without a thread")
    func neverStarted() async { await CurlTransport(clock: ManualClock()).shutDown() }
}

@Suite("CurlTransport: storms", .timeLimit(.minutes(10)), .serialized)
struct CurlStormTests {
    private static let count = 2000

    @Test("Two thousand cancelled fetches leave no connection")
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

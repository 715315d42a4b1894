import SpyglassCaching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("RetryingTransport", .timeLimit(.minutes(10)))
struct RetryingTransportTests {
    private let clock = ManualClock()
    private let log = CallRecorder<FetchEvent>()

    private func transport(
        _ base: ScriptedTransport, retries: Int = 2, jitter: @escaping @Sendable () -> Double = { 0 },
        calendar: ManualCalendar = ManualCalendar(.start)
    ) -> RetryingTransport {
        RetryingTransport(
            base, retries: retries, clock: clock, now: calendar.clock, jitter: jitter, onEvent: log.record)
    }

    private var delays: [Duration] {
        log.values.compactMap { if case .retrying(_, _, let delay, _, _, _) = $0 { delay } else { nil } }
    }

    @Test("Temporary failures are retried, and every other status is the response")
    func statuses() async throws {
        for status in [429, 500, 502, 503, 504] {
            let base = ScriptedTransport(.text("wait", status: status), .text("moon"))
            #expect(try await transport(base).get(.moon).text == "moon")
        }
        for status in [200, 204, 301, 304, 400, 401, 403, 404, 410, 416, 418, 501, 505] {
            let base = ScriptedTransport(.text("no", status: status), .text("moon"))
            let response = try await transport(base).get(.moon)
            #expect(response.status == status && response.text == "no")
        }
    }

    @Test(
        "Resets and timeouts are tried three times, permanent errors once; then they are the error",
        arguments: [
            (.reset, 3), (.error(.timedOut), 3), (.error(.unreachable), 1), (.error(.tooLarge), 1),
            (.error(.disallowed), 1), (.error(.notRecorded), 1), (.error(.unavailable), 1), (.error(.notCached), 1),
        ] as [(ScriptedOutcome, Int)])
    func errors(outcome: ScriptedOutcome, tries: Int) async throws {
        let base = ScriptedTransport(outcome)
        await #expect(throws: FetchError.self) { try await transport(base).get(.moon) }
        #expect(base.count == tries && delays.count == tries - 1)
    }

    @Test("A body past its deadline is not retried, and every try of a body has less time")
    func bodyTime() async throws {
        let base = ScriptedTransport { request, before in
            var error = FetchError(.timedOut, "slow", exceededLimit: before == 2 ? .deadline : .stall)
            error.bodyTime = .seconds(10)
            throw error
        }
        await #expect(throws: FetchError.self) { try await transport(base, retries: 9).get(.moon) }
        #expect(base.requests.map(\.spentBodyTime) == [.zero, .seconds(10), .seconds(20)])
    }

    @Test("A server that keeps failing returns its last response")
    func ill() async throws {
        let base = ScriptedTransport(.text("1", status: 503), .text("2", status: 503), .text("3", status: 500))
        #expect(try await transport(base).get(.moon).status == 500)
        #expect(base.count == 3)
    }

    @Test("Delays double, and jitter shortens them")
    func backoff() async throws {
        let base = ScriptedTransport(.reset)
        let transport = transport(base, retries: 7, jitter: { 1 })
        let fetch = Task { try await transport.get(.moon) }
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(seconds) - .milliseconds(1))
            #expect(base.count == delays.count)
            clock.advance(by: .milliseconds(1))
        }
        await #expect(throws: FetchError.self) { try await fetch.value }
        #expect(delays == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        let half = RetryPolicy(retries: 2, jitter: { 0.5 })
        #expect(half.delay(afterRetries: 1) == .seconds(1))
        #expect(RetryPolicy(retries: 2, jitter: { .nan }).delay(afterRetries: 0) == .zero)
        #expect(RetryPolicy(retries: 2, jitter: { 9 }).delay(afterRetries: 0) == .seconds(1))
        #expect(half.delay(afterRetries: 2) == nil)
        let requested = RetryPolicy(retries: 9, jitter: { 1 }).delay(afterRetries: 8, retryAfter: .seconds(6))
        #expect(requested == .seconds(7))
    }

    @Test(
        "Retry-After is obeyed, in seconds and as a date",
        arguments: [
            ("7", 7), ("Thu, 01 Oct 2026 00:00:07 GMT", 7), ("Wed, 30 Sep 2026 00:00:00 GMT", 0), ("60", 60),
            ("soon", 0), ("-5", 0),
        ])
    func retryAfter(value: String, seconds: Int) async throws {
        let base = ScriptedTransport(.text("", status: 429, [("Retry-After", value)]), .text("moon"))
        let transport = transport(base)
        let fetch = Task { try await transport.get(.moon) }
        if seconds > 0 {
            await clock.waitForSleepers()
            #expect(base.count == 1)
            clock.advance(by: .seconds(seconds))
        }
        #expect(try await fetch.value.status == 200)
        #expect(delays == [.seconds(seconds)])
    }

    @Test("A used-up limit is not asked again before its reset", arguments: ["Perhour", "Perday"])
    func usedUpLimit(_ period: String) async throws {
        func answer(reset: Int, remaining: Int = 0) -> ScriptedOutcome {
            .text(
                "", status: 429,
                [("X-Ratelimit-\(period)-Remaining", "\(remaining)"), ("X-Ratelimit-\(period)-Reset", "\(reset)")])
        }
        let far = ScriptedTransport(answer(reset: 1234))
        #expect(try await transport(far).get(.moon).status == 429)
        #expect(far.count == 1)
        let near = ScriptedTransport(answer(reset: 7), .text("moon"))
        let transport = transport(near)
        let fetch = Task { try await transport.get(.moon) }
        await clock.waitForSleepers()
        #expect(near.count == 1)
        clock.advance(by: .seconds(7))
        #expect(try await fetch.value.status == 200)
        let other = ScriptedTransport(answer(reset: 1234, remaining: 5), .text("moon"))
        #expect(try await self.transport(other).get(.moon).status == 200)
        #expect(delays == [.seconds(7), .zero])
    }

    @Test(
        "A Retry-After above a minute is returned immediately",
        arguments: ["61", "99999999999999999999999"])
    func longRetryAfter(value: String) async throws {
        let base = ScriptedTransport(.text("", status: 503, [("Retry-After", value)]))
        #expect(try await transport(base).get(.moon).headers["Retry-After"] == value)
        #expect(base.count == 1)
    }

    @Test("Cancellation ends a delay")
    func cancelled() async throws {
        let base = ScriptedTransport(.text("", status: 503, [("Retry-After", "60")]))
        let transport = transport(base)
        let fetch = Task { try await transport.get(.moon) }
        await clock.waitForSleepers()
        fetch.cancel()
        await #expect(throws: CancellationError.self) { try await fetch.value }
        #expect(base.count == 1)
    }

    @Test("A fetch with a fallback is retried once, if that is fast")
    func fallback() async throws {
        let wait = [("Retry-After", "1")]
        for (outcome, count) in [
            (ScriptedOutcome.reset, 2), (.error(.timedOut), 1), (.error(.unreachable), 1), (.text("", status: 503), 2),
            (.text("", status: 503, wait), 1), (.text("", status: 429), 3),
        ] {
            let base = ScriptedTransport(outcome)
            var request = FetchRequest(.moon)
            request.hasFallback = true
            _ = try? await transport(base).fetch(request)
            #expect(base.count == count, "\(outcome)")
        }
    }

    @Test("A failure is never remembered")
    func noBlacklist() async throws {
        let base = ScriptedTransport(.error(.unreachable), .text("gone", status: 404), .text("moon"))
        let transport = transport(base)
        await #expect(throws: FetchError.self) { try await transport.get(.moon) }
        #expect(try await transport.get(.moon).status == 404)
        #expect(try await transport.get(.moon).status == 200)
    }

    @Test("A failing host gets no retries until it recovers")
    func budget() async throws {
        let well = Mutex(false)
        let asked = Mutex(0)
        let transport = RetryingTransport(
            StubTransport { request in
                asked.withLock { $0 += 1 }
                let isWell = well.withLock { $0 } || request.address.host == "well.example"
                return FetchResponse(address: request.address, status: isWell ? 200 : 503)
            }, clock: clock, now: WallTime.now, jitter: { 0 })
        func tries(_ address: WebAddress = .moon) async throws -> Int {
            asked.withLock { $0 = 0 }
            try await transport.get(address)
            return asked.withLock { $0 }
        }
        for _ in 0..<2 { #expect(try await tries() == 3) }
        for _ in 0..<5 { #expect(try await tries() == 1) }
        #expect(try await tries(WebAddress(validating: "https://well.example/")) == 1)
        well.withLock { $0 = true }
        for _ in 0..<100 { _ = try await tries() }
        well.withLock { $0 = false }
        #expect(try await tries() == 3)
    }
}

@Suite("BodyTimeLimit", .timeLimit(.minutes(10)))
struct BodyTimeLimitTests {
    private let settings = CurlSettings(time: ElapsedClock(ManualClock()))
    private let minute = BodyTimeLimit.rateInterval

    private func limit(usesMinRate: Bool = false, spent: Duration = .zero) -> BodyTimeLimit {
        var request = FetchRequest(.moon)
        request.usesMinRate = usesMinRate
        request.spentBodyTime = spent
        return BodyTimeLimit(request, settings)
    }

    @Test("The deadline counts from the first byte, however much arrives")
    func deadline() {
        var limit = limit()
        var checks = [limit.nextCheck(at: .seconds(50), received: 0)]
        limit.begin(at: .seconds(100))
        checks += [399, 400].map { limit.nextCheck(at: .seconds($0), received: 1 << 30) }
        #expect(checks == [.seconds(350), .seconds(400), nil])
        #expect(limit.error(at: .moon, settings).exceededLimit == .deadline)
    }

    @Test("Pauses do not count, also the current one")
    func pauses() {
        var limit = limit()
        limit.begin(at: .seconds(10))
        limit.pause(at: .seconds(20))
        limit.pause(at: .seconds(30))
        var checks = [limit.nextCheck(at: .seconds(1000), received: 1)]
        let paused = limit.elapsed(at: .seconds(1000))
        limit.unpause(at: .seconds(1000))
        limit.unpause(at: .seconds(1100))
        #expect([paused, limit.elapsed(at: .seconds(1000))] == [.seconds(10), .seconds(10)])
        checks += [1289, 1290].map { limit.nextCheck(at: .seconds($0), received: 1) }
        #expect(checks == [.seconds(1300), .seconds(1290), nil])
    }

    @Test("Earlier tries count, and a second is always left")
    func tries() {
        let durations = [100, 400].map { limit(spent: .seconds($0)).duration }
        #expect(durations == [.seconds(200), .seconds(1)])
    }

    @Test("A minimum rate bounds no body that keeps it, however long")
    func rate() {
        var limit = limit(usesMinRate: true, spent: .seconds(400))
        limit.begin(at: .zero)
        let kept = (1...100).map { limit.nextCheck(at: minute * $0, received: $0 * 60 * 1024) }
        #expect(kept == (2...101).map { minute * $0 })
        let early = limit.nextCheck(at: minute * 101 - .seconds(1), received: 0)
        #expect([early, limit.nextCheck(at: minute * 101, received: 101 * 60 * 1024 - 1)] == [minute * 101, nil])
        #expect(limit.error(at: .moon, settings).exceededLimit == .rate)
    }
}

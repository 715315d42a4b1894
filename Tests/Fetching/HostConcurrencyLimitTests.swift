import Testing

@testable import SpyglassFetching

/// A client that sends as many concurrent requests as its limit allows, and a model of a server.
///
/// Time is simulated.
private struct Simulation {
    struct Request {
        var sent: Duration
        var answer: HostConcurrencyLimit.Response
    }

    var concurrencyLimit: HostConcurrencyLimit
    var now = Duration.zero
    var concurrentTransfers: [Request] = []
    /// The limit after each response.
    var limits: [Int] = []
    var statuses: [Int] = []
    private var state: UInt64

    init(maximum: Int, seed: UInt64 = 1) {
        concurrencyLimit = HostConcurrencyLimit(maximum: maximum)
        state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1
    }

    mutating func random(_ range: Range<Int>) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return range.lowerBound + Int(state >> 33) % range.count
    }

    /// Sends `count` requests; the server decides the times of head and end, and the status.
    mutating func run(
        _ count: Int, bytes: Int = 40_000, retryAfter: Duration? = nil,
        server: (inout Simulation) -> (start: Duration, transfer: Duration, status: Int)
    ) {
        var left = count
        while left > 0 || !concurrentTransfers.isEmpty {
            while left > 0, concurrentTransfers.count < concurrencyLimit.capacity(at: now) {
                left -= 1
                let (start, transfer, status) = server(&self)
                let answer = HostConcurrencyLimit.Response(
                    status: status, sent: now, headReceived: now + start, ended: now + start + transfer, bytes: bytes,
                    concurrentTransfers: 0, retryAfter: status == 200 ? nil : retryAfter)
                concurrentTransfers.append(Request(sent: now, answer: answer))
            }
            guard
                let index = concurrentTransfers.indices.min(by: {
                    concurrentTransfers[$0].answer.ended < concurrentTransfers[$1].answer.ended
                })
            else {
                now = max(now, concurrencyLimit.pausedUntil ?? now)
                continue
            }
            if let pause = concurrencyLimit.pausedUntil, pause > now, pause < concurrentTransfers[index].answer.ended {
                now = pause
                _ = concurrencyLimit.endPause(at: now)
                continue
            }
            now = max(now, concurrentTransfers[index].answer.ended)
            var answer = concurrentTransfers.remove(at: index).answer
            answer.concurrentTransfers = concurrentTransfers.count + 1
            concurrencyLimit.record(answer)
            limits.append(concurrencyLimit.limit)
            statuses.append(answer.status)
        }
    }
}

@Suite("HostConcurrencyLimit", .timeLimit(.minutes(10)))
struct HostConcurrencyLimitTests {
    @Test("A healthy host keeps the maximum", arguments: 1...20 as ClosedRange<UInt64>)
    func healthy(seed: UInt64) {
        var simulation = Simulation(maximum: 6, seed: seed)
        // Loopback: some hundred microseconds, a hiccup of the machine now and then.
        simulation.run(5000) { simulation in
            let hiccup = simulation.random(0..<50) == 0 ? simulation.random(0..<400) : 0
            return (.microseconds(simulation.random(50..<3000)) + .milliseconds(hiccup), .microseconds(200), 200)
        }
        #expect(simulation.limits.allSatisfy { $0 == 6 })
    }

    @Test("A distant host with varying delays keeps the maximum", arguments: 1...20 as ClosedRange<UInt64>)
    func farAndVarying(seed: UInt64) {
        var simulation = Simulation(maximum: 16, seed: seed)
        simulation.run(2000) { simulation in
            (.milliseconds(simulation.random(80..<320)), .milliseconds(simulation.random(10..<500)), 200)
        }
        #expect(simulation.limits.allSatisfy { $0 == 16 })
    }

    @Test("A host that refuses more than three transfers seldom gets more")
    func fixedLimit() {
        var simulation = Simulation(maximum: 6)
        simulation.run(2000) { simulation in
            simulation.concurrentTransfers.count < 3
                ? (.milliseconds(50), .milliseconds(50), 200) : (.milliseconds(5), .zero, 429)
        }
        let later = simulation.limits.dropFirst(100)
        let mean = Double(later.reduce(0, +)) / Double(later.count)
        #expect(mean > 2.4 && mean < 3.3)
        #expect(later.allSatisfy { $0 <= 4 })
        #expect(simulation.statuses.count { $0 == 429 } < 100, "one in twenty at most")
    }

    @Test("A recovered host gets the maximum again")
    func recovery() {
        var simulation = Simulation(maximum: 6)
        simulation.run(20) { _ in (.milliseconds(5), .zero, 503) }
        #expect(simulation.concurrencyLimit.limit == 1)
        simulation.run(400) { _ in (.milliseconds(50), .milliseconds(50), 200) }
        #expect(simulation.concurrencyLimit.limit == 6)
        #expect(
            simulation.concurrencyLimit.isUnreduced
                || simulation.concurrencyLimit.pausedUntil ?? .zero <= simulation.now)
    }

    @Test("A host with one queue gets fewer transfers, without less throughput")
    func oneQueue() {
        func run(adapts: Bool) -> Simulation {
            var simulation = Simulation(maximum: 6)
            var free = Duration.zero
            simulation.run(1) { _ in (.milliseconds(300), .zero, 200) }
            for _ in 0..<500 {
                simulation.run(adapts ? 40 : 1) { simulation in
                    let start = max(free, simulation.now) + .milliseconds(300)
                    free = start
                    return (start - simulation.now, .zero, 200)
                }
            }
            return simulation
        }
        let adapting = run(adapts: true)
        let later = adapting.limits.dropFirst(100)
        let mean = Double(later.reduce(0, +)) / Double(later.count)
        #expect(mean < 5)
        #expect(later.allSatisfy { $0 >= HostConcurrencyLimit.minForSlowness })
        let perSecond = Double(adapting.statuses.count) / (adapting.now / .seconds(1))
        #expect(perSecond > 0.9 / 0.3, "within a tenth of what the queue can do")
    }

    @Test("A host that is slow for another reason gets the maximum again")
    func slowForAnotherReason() {
        var simulation = Simulation(maximum: 6)
        simulation.run(200) { _ in (.milliseconds(20), .milliseconds(20), 200) }
        simulation.run(1000) { _ in (.milliseconds(900), .milliseconds(20), 200) }
        #expect(simulation.limits.contains { $0 < 6 }, "it was tried")
        #expect(simulation.limits.suffix(900).allSatisfy { $0 == 6 })
    }

    @Test("Retry-After delays requests, for a minute at most")
    func retryAfter() {
        func refusal(_ retryAfter: Duration?) -> HostConcurrencyLimit {
            var concurrencyLimit = HostConcurrencyLimit(maximum: 6)
            concurrencyLimit.record(
                .init(
                    status: 503, sent: .zero, headReceived: .seconds(1), ended: .seconds(1), bytes: 0,
                    concurrentTransfers: 6,
                    retryAfter: retryAfter))
            return concurrencyLimit
        }
        #expect(refusal(.seconds(7)).capacity(at: .milliseconds(7999)) == 0)
        #expect(refusal(.seconds(7)).capacity(at: .seconds(8)) == 3)
        #expect(refusal(.seconds(86_400)).pausedUntil == .seconds(61))
        #expect(refusal(.seconds(-5)).pausedUntil == .seconds(1))
        #expect(refusal(nil).pausedUntil == .milliseconds(1250))
    }

    @Test("Refusals of one burst halve the limit once; another doubles the delay")
    func bursts() {
        var concurrencyLimit = HostConcurrencyLimit(maximum: 16)
        func refuse(sent: Duration, ended: Duration) {
            concurrencyLimit.record(
                .init(
                    status: 429, sent: sent, headReceived: ended, ended: ended, bytes: 0, concurrentTransfers: 16,
                    retryAfter: nil))
        }
        for number in 0..<16 { refuse(sent: .zero, ended: .milliseconds(100 + number)) }
        #expect(concurrencyLimit.limit == 8)
        #expect(concurrencyLimit.pausedUntil == .milliseconds(350))
        refuse(sent: .seconds(1), ended: .seconds(2))
        #expect(concurrencyLimit.limit == 4)
        #expect(concurrencyLimit.pausedUntil == .milliseconds(2500))
        for round in 0..<100 { refuse(sent: .seconds(10 + round), ended: .seconds(10 + round)) }
        #expect(concurrencyLimit.limit == 1)
        #expect(concurrencyLimit.pausedUntil == .seconds(109) + HostConcurrencyLimit.maxOwnPause)
    }

    @Test("A new maximum applies to an unreduced limit only")
    func maximum() {
        var concurrencyLimit = HostConcurrencyLimit(maximum: 6)
        concurrencyLimit.setMaximum(12)
        #expect(concurrencyLimit.limit == 12)
        concurrencyLimit.record(
            .init(
                status: 429, sent: .zero, headReceived: .zero, ended: .seconds(1), bytes: 0, concurrentTransfers: 12,
                retryAfter: .zero
            ))
        concurrencyLimit.setMaximum(20)
        #expect(concurrencyLimit.limit == 6)
        concurrencyLimit.setMaximum(3)
        #expect(concurrencyLimit.limit == 3)
        concurrencyLimit.setMaximum(0)
        #expect(concurrencyLimit.limit == 1)
    }

    @Test("Other errors and missing images change nothing", arguments: [200, 304, 404, 500, 502, 504])
    func otherStatuses(status: Int) {
        var simulation = Simulation(maximum: 6)
        simulation.run(200) { _ in (.milliseconds(50), .zero, status) }
        #expect(simulation.limits.allSatisfy { $0 == 6 })
    }
}

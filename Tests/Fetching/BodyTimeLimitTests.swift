import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

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
        #expect(limit.nextCheck(at: .seconds(50), received: 0) == .seconds(350))
        limit.begin(at: .seconds(100))
        #expect(limit.nextCheck(at: .seconds(399), received: 1 << 30) == .seconds(400))
        #expect(limit.nextCheck(at: .seconds(400), received: 1 << 30) == nil)
        #expect(limit.error(at: .moon, settings).exceededLimit == .deadline)
    }

    @Test("Pauses do not count, also the current one")
    func pauses() {
        var limit = limit()
        limit.begin(at: .seconds(10))
        limit.pause(at: .seconds(20))
        limit.pause(at: .seconds(30))
        #expect(limit.nextCheck(at: .seconds(1000), received: 1) == .seconds(1300))
        #expect(limit.elapsed(at: .seconds(1000)) == .seconds(10))
        limit.unpause(at: .seconds(1000))
        limit.unpause(at: .seconds(1100))
        #expect(limit.elapsed(at: .seconds(1000)) == .seconds(10))
        #expect(limit.nextCheck(at: .seconds(1289), received: 1) == .seconds(1290))
        #expect(limit.nextCheck(at: .seconds(1290), received: 1) == nil)
    }

    @Test("Earlier tries count, and a second is always left")
    func tries() {
        #expect(limit(spent: .seconds(100)).duration == .seconds(200))
        #expect(limit(spent: .seconds(400)).duration == .seconds(1))
    }

    @Test("A minimum rate bounds no body that keeps it, however long")
    func rate() {
        var limit = limit(usesMinRate: true, spent: .seconds(400))
        limit.begin(at: .zero)
        for minutes in 1...100 {
            let next = limit.nextCheck(at: minute * minutes, received: minutes * 60 * 1024)
            #expect(next == minute * (minutes + 1))
        }
        #expect(limit.nextCheck(at: minute * 101 - .seconds(1), received: 0) == minute * 101)
        #expect(limit.nextCheck(at: minute * 101, received: 101 * 60 * 1024 - 1) == nil)
        #expect(limit.error(at: .moon, settings).exceededLimit == .rate)
    }
}

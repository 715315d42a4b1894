import Testing

@testable import SpyglassThreads

@Suite("Monitor", .timeLimit(.minutes(10)))
struct MonitorTests {
    private let monitor = Monitor(false)

    @Test("A wait ends with a value or with its cancellation, whichever comes first", arguments: 0..<100)
    func wait(round: Int) async throws {
        let cancellation = Cancellation()
        let threads = ThreadPool(count: 1)
        async let result = threads.run { _ in monitor.wait(unless: cancellation) { $0 ? 1 : nil } }
        if round % 2 == 0 {
            cancellation.cancel()
        } else {
            monitor.withLock { $0 = true }
            monitor.wakeAll()
        }
        #expect(try await result == (round % 2 == 0 ? nil : 1))
    }

    @Test("A wait with a time limit ends when the time is over, or with its value")
    func timed() {
        #expect(!monitor.wait(milliseconds: 1) { $0 })
        monitor.withLock { $0 = true }
        #expect(monitor.wait(milliseconds: 60_000) { $0 })
    }
}

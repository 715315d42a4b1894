import SpyglassFetching
import SpyglassThreads

/// Notes on the delays of retries: one a host, until the delay is over or the next retry begins.
final class WaitNotes: Sendable {
    private struct Note {
        let attempt: Int
        let end: Duration
    }

    /// Failures that follow sooner get no note of their own.
    private static let interval = Duration.seconds(2)
    /// The number of hosts above which past notes are dropped.
    private static let maxHosts = 256

    private let console: Console
    private let retries: Int
    private let time: ElapsedClock
    private let last = Mutex<[String: Note]>([:])

    init(_ console: Console, retries: Int, clock: any Clock<Duration>) {
        self.console = console
        self.retries = retries
        time = ElapsedClock(clock)
    }

    func receive(_ event: FetchEvent) {
        guard case .retrying(let address, let attempt, let delay, let requested, _, _) = event else { return }
        let now = time.now()
        let isNew = last.withLock { last in
            if let note = last[address.host], now < note.end, attempt <= note.attempt { return false }
            if last.count >= Self.maxHosts { last = last.filter { now < $0.value.end } }
            guard last.count < Self.maxHosts else { return false }
            last[address.host] = Note(attempt: attempt, end: now + max(delay, Self.interval))
            return true
        }
        guard isNew else { return }
        let text =
            requested.flatMap { $0 > .zero ? "server requested a delay; retrying in \($0.roundedUpSeconds) s" : nil }
            ?? "temporary error; retry \(attempt) of \(retries)"
        console.note("\(address.host): \(text)")
    }
}

internal import SpyglassFetching
internal import SpyglassThreads

/// Allows so many requests in any minute; others wait until the oldest is a minute old.
final class RequestWindow: Sendable {
    private static let length = Duration.seconds(60)

    private let limit: Int
    private let time: ElapsedClock
    /// When the requests of the last minute were sent and waiting ones will be, ascending.
    private let turns = Mutex<[Duration]>([])

    init(limit: Int, clock: any Clock<Duration>) {
        self.limit = max(1, limit)
        time = ElapsedClock(clock)
    }

    /// Waits for a turn, and returns it for `giveBack`.
    ///
    /// - Throws: `CancellationError`; then the turn is free again.
    func turn(onWait: (@Sendable (Duration) -> Void)?) async throws -> Duration {
        let now = time.now()
        let turn = turns.withLock { turns in
            turns.removeAll { $0 <= now - Self.length }
            let turn = turns.count < limit ? now : max(now, turns[turns.count - limit] + Self.length)
            turns.insert(turn, at: turns.firstIndex { $0 > turn } ?? turns.endIndex)
            return turn
        }
        guard turn > now else { return turn }
        onWait?(turn - now)
        do { try await time.sleep(turn) } catch {
            giveBack(turn)
            throw error
        }
        return turn
    }

    /// Frees a turn whose request was not sent.
    func giveBack(_ turn: Duration) {
        turns.withLock { turns in
            if let index = turns.lastIndex(of: turn) { turns.remove(at: index) }
        }
    }
}

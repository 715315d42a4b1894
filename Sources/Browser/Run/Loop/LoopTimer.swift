internal import SpyglassFetching

/// Wakes the loop at a moment of its clock; at most one moment of each kind is waited for.
///
/// While nothing is set nothing runs.
struct LoopTimer {
    /// What the loop is woken for.
    enum Kind: Hashable, Sendable {
        /// The spinner's next picture.
        case tick
        /// The terminal has not answered for too long.
        case replyTimeout
        /// Nothing has moved for a while, so that the picture can be made exact.
        case idle
    }

    private let time: ElapsedClock
    private let queue: EventQueue
    private var waiting: [Kind: Task<Void, Never>] = [:]

    init(_ time: ElapsedClock, _ queue: EventQueue) {
        self.time = time
        self.queue = queue
    }

    /// Wakes the loop at that time after the clock's start; does nothing while it is to be woken for the same already.
    mutating func set(_ kind: Kind, at moment: Duration) {
        guard waiting[kind] == nil else { return }
        waiting[kind] = Task { [time, queue] in
            do {
                try await time.sleep(moment)
                queue.add(.timer(kind))
            } catch {
                // Nobody waits for it any more.
            }
        }
    }

    /// The loop has been woken for it, or no longer wants to be.
    mutating func clear(_ kind: Kind) { waiting.removeValue(forKey: kind)?.cancel() }

    mutating func clearAll() {
        for kind in waiting.keys { clear(kind) }
    }
}

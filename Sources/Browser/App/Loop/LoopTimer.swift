internal import SpyglassFetching

/// Wakes the loop at times of its clock; at most one timer of each kind is set.
struct LoopTimer {
    enum Kind: Hashable, Sendable {
        case tick
        /// The terminal has not replied in time.
        case replyTimeout
        /// Nothing has changed for a while, so the screen can become exact.
        case idle
        /// The folder on the screen has changed.
        case folder
        /// The line of the full screen has been shown long enough.
        case line
        /// A photo of a slideshow has been shown long enough.
        case slide
        /// The warning in the footer has been shown long enough.
        case notice
    }

    private let time: ElapsedClock
    private let queue: EventQueue
    private var waiting: [Kind: Task<Void, Never>] = [:]

    init(_ time: ElapsedClock, _ queue: EventQueue) {
        self.time = time
        self.queue = queue
    }

    mutating func set(_ kind: Kind, at moment: Duration) {
        guard waiting[kind] == nil else { return }
        waiting[kind] = Task { [time, queue] in
            do {
                try await time.sleep(moment)
                queue.add(.timer(kind))
            } catch {
                // Cancelled.
            }
        }
    }

    mutating func clear(_ kind: Kind) { waiting.removeValue(forKey: kind)?.cancel() }

    mutating func clearAll() {
        for kind in waiting.keys { clear(kind) }
    }
}

internal import SpyglassFetching

/// Something that happens after a time.
enum TimerKind: Hashable, Sendable {
    /// The spinner turns.
    case spinner
    /// The line of the full screen has been shown long enough.
    case line
    /// A photo of a slideshow has been shown long enough.
    case slide
    /// The warning in the footer has been shown long enough.
    case notice
    /// The terminal has not replied in time.
    case replyTimeout
    /// The folder on the screen has changed.
    case folder
}

/// Wakes the loop at times of its clock; at most one timer of each kind is set.
struct LoopTimer {
    private let time: ElapsedClock
    private let queue: EventQueue
    private var waiting: [TimerKind: Task<Void, Never>] = [:]

    init(_ time: ElapsedClock, _ queue: EventQueue) {
        self.time = time
        self.queue = queue
    }

    /// Sets a timer, unless one of its kind is set.
    mutating func set(_ kind: TimerKind, at moment: Duration) {
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

    mutating func clear(_ kind: TimerKind) { waiting.removeValue(forKey: kind)?.cancel() }

    mutating func clearAll() {
        for kind in waiting.keys { clear(kind) }
    }
}

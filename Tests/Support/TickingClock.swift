internal import SpyglassThreads

/// A clock that advances without waiting: by a step whenever it is read, and to the deadline of every sleep.
public final class TickingClock: Clock {
    /// A time, as in `ManualClock`.
    public typealias Instant = ManualClock.Instant

    private let state = Mutex<(now: Instant, sleeps: [Duration])>((Instant(), []))
    private let step: Duration

    /// Creates a clock that each reading advances by `step`.
    public init(step: Duration = .zero) { self.step = step }

    /// The time, one step after the last reading.
    public var now: Instant {
        state.withLock { state in
            state.now = state.now.advanced(by: step)
            return state.now
        }
    }

    /// Unlimited.
    public var minimumResolution: Duration { .zero }

    /// The durations of all sleeps, in order.
    public var sleeps: [Duration] { state.withLock(\.sleeps) }

    /// Advances to the deadline, and returns immediately.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
    }
}

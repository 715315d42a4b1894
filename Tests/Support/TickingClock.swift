internal import SpyglassThreads

/// A clock that advances by a step whenever it is read, so that timed code ends without waiting.
public final class TickingClock: Clock {
    /// A time, as in `ManualClock`.
    public typealias Instant = ManualClock.Instant

    private let offset = Mutex(Duration.zero)
    private let step: Duration

    /// Creates a clock that each reading advances by `step`.
    public init(step: Duration) { self.step = step }

    /// The time, one step after the last reading.
    public var now: Instant {
        offset.withLock { offset in
            offset += step
            return Instant(offset)
        }
    }

    /// Unlimited.
    public var minimumResolution: Duration { .zero }

    /// Advances the clock to the deadline without waiting.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        offset.withLock { $0 = max($0, deadline.offset) }
    }
}

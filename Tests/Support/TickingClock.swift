internal import SpyglassThreads

/// A clock that goes on by itself whenever it is read, so that what is timed ends without anybody waiting.
public final class TickingClock: Clock {
    /// A moment, as `ManualClock` counts it.
    public typealias Instant = ManualClock.Instant

    private let offset = Mutex(Duration.zero)
    private let step: Duration

    /// A clock at its start, which each look moves by `step`.
    public init(step: Duration) { self.step = step }

    /// The moment, one step after the last look.
    public var now: Instant {
        offset.withLock { offset in
            offset += step
            return Instant(offset)
        }
    }

    /// It has none.
    public var minimumResolution: Duration { .zero }

    /// Moves the clock to the deadline, and waits for nothing.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        offset.withLock { $0 = max($0, deadline.offset) }
    }
}

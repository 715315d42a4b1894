import SpyglassThreads

/// A clock that goes on by itself whenever it is read, so that what is timed ends without anybody waiting.
final class TickingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let offset = Mutex(Duration.zero)
    private let step: Duration

    init(step: Duration) { self.step = step }

    var now: Instant {
        offset.withLock { offset in
            offset += step
            return Instant(offset: offset)
        }
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        offset.withLock { $0 = max($0, deadline.offset) }
    }
}

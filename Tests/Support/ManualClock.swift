package import SpyglassCaching
internal import SpyglassThreads

/// A clock that only tests advance.
///
///     let clock = ManualClock()
///     let task = Task { try await somethingThatWaits(clock) }
///     await clock.waitForSleepers()
///     clock.advance(by: .seconds(20))
///
/// Sleepers wake in the order of their deadlines.
public final class ManualClock: Clock {
    /// A time since the clock's start.
    public struct Instant: InstantProtocol {
        /// The time since the start.
        public var offset: Duration

        /// Creates a time since the start.
        public init(_ offset: Duration = .zero) { self.offset = offset }

        /// The time `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset + duration) }
        /// The duration to `other`.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders by time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant()
        var nextNumber = 0
        var sleepers: [Sleeper] = []
        /// Sleepers cancelled before they were inserted.
        var cancelled: Set<Int> = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
            let count = sleepers.count
            let satisfied = watchers.filter { $0.count <= count }.map(\.continuation)
            watchers.removeAll { $0.count <= count }
            return satisfied
        }
    }

    private let state = Mutex(State())

    /// Creates a clock at its start.
    public init() {}

    /// The current time.
    public var now: Instant { state.withLock { $0.now } }

    /// Unlimited.
    public var minimumResolution: Duration { .zero }

    /// Sleeps until the clock reaches `deadline`.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lieDown(Sleeper(number: number, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func lieDown(_ sleeper: Sleeper) {
        let (result, watchers): (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) = state.withLock {
            state in
            if state.cancelled.remove(sleeper.number) != nil { return (.failure(CancellationError()), []) }
            if sleeper.deadline <= state.now { return (.success(()), []) }
            state.sleepers.append(sleeper)
            return (nil, state.takeWatchers())
        }
        if let result { sleeper.continuation.resume(with: result) }
        for watcher in watchers { watcher.resume() }
    }

    /// Advances the clock and wakes due sleepers.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
            state.sleepers.removeAll { $0.deadline <= now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits for at least so many sleepers.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let watchers = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.takeWatchers()
            }
            for watcher in watchers { watcher.resume() }
        }
    }
}

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

/// A calendar that only tests change.
package final class ManualCalendar: Sendable {
    private let time: Mutex<WallTime>

    /// Creates a calendar at a time.
    package init(_ start: WallTime = WallTime(seconds: 1_800_000_000)) { time = Mutex(start) }

    /// The current time.
    package var now: WallTime {
        get { time.withLock(\.self) }
        set { time.withLock { $0 = newValue } }
    }

    /// Returns the current time.
    package var clock: @Sendable () -> WallTime { { self.now } }

    /// Moves the time, also backwards.
    package func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

internal import SpyglassThreads

/// A value behind a lock whose changes tests can await.
///
///     let started = WatchedValue(0)
///     threads.run { _ in started.change { $0 += 1 } }
///     await started.wait { $0 == 1 }
public final class WatchedValue<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let isSatisfied: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, Never>
    }

    private let state: Mutex<(value: Value, waiters: [Waiter])>

    /// Creates a monitor.
    public init(_ value: Value) { state = Mutex((value, [])) }

    /// The current value.
    public var value: Value { state.withLock { $0.value } }

    /// Changes the value, and resumes the waiters whose condition it meets.
    @discardableResult
    public func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, value, satisfied) = state.withLock { state in
            let result = body(&state.value)
            let satisfied = state.waiters.filter { $0.isSatisfied(state.value) }
            // A copy that nobody waits for would make the next change copy the whole value.
            guard !satisfied.isEmpty else { return (result, Value?.none, satisfied) }
            let value = state.value
            state.waiters.removeAll { $0.isSatisfied(value) }
            return (result, value, satisfied)
        }
        if let value { for waiter in satisfied { waiter.continuation.resume(returning: value) } }
        return result
    }

    /// Returns the first value from now on that meets the condition; ignores cancellation.
    @discardableResult
    public func wait(until isSatisfied: @escaping @Sendable (Value) -> Bool) async -> Value {
        await withCheckedContinuation { continuation in
            let present = state.withLock { state -> Value? in
                if isSatisfied(state.value) { return state.value }
                state.waiters.append(Waiter(isSatisfied: isSatisfied, continuation: continuation))
                return nil
            }
            if let present { continuation.resume(returning: present) }
        }
    }
}

/// Records values in order, on any thread.
///
///     let priorities = CallRecorder<FetchPriority>()
///     control.onPriorityChange(priorities.record)
///     #expect(priorities.values == [.visible])
public final class CallRecorder<Value: Sendable>: Sendable {
    private let recorded = WatchedValue<[Value]>([])

    /// Creates an empty recorder.
    public init() {}

    /// All values so far, in order.
    public var values: [Value] { recorded.value }

    /// Adds a value.
    @Sendable public func record(_ value: Value) { recorded.change { $0.append(value) } }

    /// Waits for so many values that match.
    public func wait(for count: Int = 1, where matches: @escaping @Sendable (Value) -> Bool) async {
        await recorded.wait { $0.count(where: matches) >= count }
    }
}

/// A condition of `waitUntil` did not hold in time.
public struct ConditionTimeout: Error {}

/// Polls for a condition that sends no event, such as the length of a queue of the product or the end of an object.
///
/// It yields to other tasks between two checks. Prefer `WatchedValue`, `CallRecorder`, `ManualClock.waitForSleepers`,
/// `LoopbackServer.wait` and gates where they apply.
/// - Throws: `ConditionTimeout` after five minutes.
public func waitUntil(
    isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async throws(ConditionTimeout) {
    let end = ContinuousClock.now + .seconds(300)
    while !condition() {
        guard ContinuousClock.now < end else { throw ConditionTimeout() }
        await Task.yield()
    }
}

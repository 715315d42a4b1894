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
            let value = state.value
            let satisfied = state.waiters.filter { $0.isSatisfied(value) }
            if !satisfied.isEmpty { state.waiters.removeAll { $0.isSatisfied(value) } }
            return (result, value, satisfied)
        }
        for waiter in satisfied { waiter.continuation.resume(returning: value) }
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

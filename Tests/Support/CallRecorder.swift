internal import SpyglassThreads

/// Records values in order, on any thread.
///
///     let priorities = CallRecorder<FetchPriority>()
///     control.onPriorityChange(priorities.record)
///     #expect(priorities.values == [.visible])
public final class CallRecorder<Value: Sendable>: Sendable {
    private let recorded = Mutex<[Value]>([])

    /// Creates an empty recorder.
    public init() {}

    /// All values so far, in order.
    public var values: [Value] { recorded.withLock(\.self) }

    /// Adds a value.
    @Sendable public func record(_ value: Value) { recorded.withLock { $0.append(value) } }
}

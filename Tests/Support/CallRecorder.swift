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

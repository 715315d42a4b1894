/// Pending writes, carried out in order on a thread pool by one task at a time.
///
/// Values stay readable until they are written. `Policy` is the user's own state under the same lock, such as limits.
/// Users without keys take `Never` as `Key`. Thread-safe.
package final class WriteBehindQueue<Key: Hashable & Sendable, Value: Sendable, Policy: Sendable>: Sendable {
    package struct State: Sendable {
        private struct Item {
            let key: Key?
            let value: Value
            let byteCount: Int
        }

        package var policy: Policy
        package private(set) var byteCount = 0
        /// Pending values by number, in the order of writing; one of them may be in progress.
        private var items: [Int: Item] = [:]
        private var numbers: [Key: Int] = [:]
        private var nextNumber = 0
        private var endNumber = 0
        fileprivate var isWriting = false
        fileprivate var flushes: [CheckedContinuation<Void, Never>] = []

        fileprivate init(_ policy: Policy) { self.policy = policy }

        /// With the value that is being written.
        package var count: Int { items.count }
        package func value(for key: Key) -> Value? { numbers[key].flatMap { items[$0]?.value } }

        /// Queues a value; it replaces a queued one of its key, in place.
        package mutating func put(_ value: Value, for key: Key? = nil, byteCount: Int = 0) {
            let queued = key.flatMap { numbers[$0] }.flatMap { $0 >= nextNumber ? $0 : nil }
            let number = queued ?? endNumber
            if queued == nil { endNumber += 1 }
            let old = items.updateValue(Item(key: key, value: value, byteCount: byteCount), forKey: number)
            self.byteCount += byteCount - (old?.byteCount ?? 0)
            if let key { numbers[key] = number }
        }

        /// Removes all queued values; the one that is being written stays.
        package mutating func removeQueued() {
            while let (number, _) = start() { finish(number) }
        }

        fileprivate var hasQueued: Bool { nextNumber < endNumber }

        fileprivate mutating func start() -> (number: Int, value: Value)? {
            guard let item = items[nextNumber] else { return nil }
            defer { nextNumber += 1 }
            return (nextNumber, item.value)
        }

        fileprivate mutating func finish(_ number: Int) {
            guard let item = items.removeValue(forKey: number) else { return }
            byteCount -= item.byteCount
            if let key = item.key, numbers[key] == number { numbers[key] = nil }
        }
    }

    private let state: Mutex<State>
    private let threads: ThreadPool
    private let priority: Int
    private let writesPerTurn: Int
    private let write: @Sendable (Value, WriteBehindQueue) -> Void
    private let didWrite: @Sendable (WriteBehindQueue) -> Void

    /// Writes at most `writesPerTurn` values before the thread does other work.
    ///
    /// `didWrite` runs on that thread after each value.
    package init(
        _ policy: Policy, on threads: ThreadPool, priority: Int = 0, writesPerTurn: Int = 1,
        didWrite: @escaping @Sendable (WriteBehindQueue) -> Void = { _ in },
        write: @escaping @Sendable (Value, WriteBehindQueue) -> Void
    ) {
        state = Mutex(State(policy))
        self.threads = threads
        self.priority = priority
        self.writesPerTurn = writesPerTurn
        self.write = write
        self.didWrite = didWrite
    }

    /// Runs `body` under the lock, then starts to write what it has put.
    package func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, starts) = state.withLock { state in
            let result = body(&state)
            defer { state.isWriting = state.isWriting || state.hasQueued }
            return (result, state.hasQueued && !state.isWriting)
        }
        // Not a child of the caller's task: it continues when that is cancelled.
        if starts { Task.detached { await self.writeAll() } }
        return result
    }

    package func flush() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isWriting { state.flushes.append(continuation) }
                return !state.isWriting
            }
            if isIdle { continuation.resume() }
        }
    }

    private func writeAll() async {
        while !endsWriting() {
            // It throws only if this task is cancelled, and nothing refers to this task.
            try? await threads.run(priority: priority) { [self] _ in
                for _ in 0..<writesPerTurn {
                    guard let (number, value) = state.withLock({ $0.start() }) else { return }
                    write(value, self)
                    state.withLock { $0.finish(number) }
                    didWrite(self)
                }
            }
        }
    }

    private func endsWriting() -> Bool {
        let flushes = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            guard !state.hasQueued else { return nil }
            state.isWriting = false
            defer { state.flushes = [] }
            return state.flushes
        }
        for continuation in flushes ?? [] { continuation.resume() }
        return flushes != nil
    }
}

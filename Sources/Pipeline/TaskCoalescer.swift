internal import SpyglassFetching
internal import SpyglassThreads

/// Runs one task for all callers with equal keys, at the highest of their priorities; it is cancelled with the last.
///
/// Calls take effect before they return, also within a cancellation handler; an actor could reorder them. No foreign
/// code is called, and no foreign object released, under the lock.
final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: Sendable {
    struct Run: Sendable {
        let control: FetchControl
        let report: @Sendable (Progress) -> Void
    }

    typealias OnBody = @Sendable (FetchControl.BodyEvent, _ report: (Progress) -> Void) -> Bool

    private struct Subscriber {
        let promise: Promise<Value>
        var priority: FetchPriority
        var listeners: [@Sendable (Progress) -> Void] = []
    }

    private struct Work {
        let key: Key?
        let control: FetchControl
        var subscribers: [Int: Subscriber]
        /// The number of subscribers of each priority, the lowest first.
        var subscriberCounts = [Int](repeating: 0, count: FetchPriority.visible.rawValue + 1)
        var isUpdating = false
        var task: Task<Void, Never>?

        var highestPriority: FetchPriority {
            subscriberCounts.lastIndex { $0 > 0 }.flatMap(FetchPriority.init(rawValue:)) ?? .prefetch
        }
    }

    private struct State {
        var works: [Int: Work] = [:]
        var numbers: [Key: Int] = [:]
        var lastNumber = 0
        var taskCount = 0
        var waiters: [(taskLimit: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        mutating func add(_ subscriber: Subscriber, _ number: Int, to work: Int) {
            works[work]?.subscribers[number] = subscriber
            works[work]?.subscriberCounts[subscriber.priority.rawValue] += 1
        }

        mutating func remove(_ number: Int) -> Work? {
            guard let work = works.removeValue(forKey: number) else { return nil }
            if let key = work.key { numbers[key] = nil }
            return work
        }
    }

    private let state = Mutex(State())

    /// Joins the work for a key, or starts it with `onBody` for its control; work without a key is never shared.
    ///
    /// `onBody` may report progress to all callers.
    func join(
        _ key: Key?, priority: FetchPriority, onBody: OnBody? = nil, listener: (@Sendable (Progress) -> Void)? = nil,
        _ body: @escaping @Sendable (Run) async throws -> Value
    ) -> Subscription {
        let promise = Promise<Value>()
        let (work, subscriber, hasStarted) = state.withLock { state -> (Int, Int, Bool) in
            let subscriber = state.nextNumber()
            let existing = key.flatMap { state.numbers[$0] }
            let number = existing ?? state.nextNumber()
            if existing == nil {
                let control = FetchControl(priority: priority, onBody: onBody.map { reporting($0, of: number) })
                if let key { state.numbers[key] = number }
                state.taskCount += 1
                state.works[number] = Work(key: key, control: control, subscribers: [:])
                state.works[number]?.task = Task.detached { await self.run(number, control, body) }
            }
            let listeners = [listener].compactMap(\.self)
            state.add(Subscriber(promise: promise, priority: priority, listeners: listeners), subscriber, to: number)
            return (number, subscriber, existing == nil)
        }
        if !hasStarted { updatePriority(work) }
        return Subscription(promise: promise, hasStarted: hasStarted, owner: self, work: work, subscriber: subscriber)
    }

    /// Joins the work for a key if there is some.
    func joinRunning(_ key: Key, priority: FetchPriority) -> Subscription? {
        let promise = Promise<Value>()
        let numbers = state.withLock { state -> (work: Int, subscriber: Int)? in
            guard let number = state.numbers[key] else { return nil }
            let subscriber = state.nextNumber()
            state.add(Subscriber(promise: promise, priority: priority), subscriber, to: number)
            return (number, subscriber)
        }
        guard let numbers else { return nil }
        updatePriority(numbers.work)
        return Subscription(
            promise: promise, hasStarted: false, owner: self, work: numbers.work, subscriber: numbers.subscriber)
    }

    private func run(
        _ number: Int, _ control: FetchControl, _ body: @escaping @Sendable (Run) async throws -> Value
    ) async {
        let run = Run(control: control) { progress in self.report(progress, of: number) }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(run)) } catch { outcome = .failure(error) }
        // Release its references after unlocking.
        let work = state.withLock { $0.remove(number) }
        for subscriber in (work?.subscribers ?? [:]).values { subscriber.promise.resolve(outcome) }
        let done = state.withLock { state in
            state.taskCount -= 1
            let count = state.taskCount
            defer { state.waiters.removeAll { count <= $0.taskLimit } }
            return state.waiters.filter { count <= $0.taskLimit }.map(\.continuation)
        }
        for continuation in done { continuation.resume() }
    }

    private func reporting(_ onBody: @escaping OnBody, of number: Int) -> @Sendable (FetchControl.BodyEvent) -> Bool {
        { [weak self] event in onBody(event) { self?.report($0, of: number) } }
    }

    private func report(_ progress: Progress, of number: Int) {
        let listeners = state.withLock { state in state.works[number]?.subscribers.values.flatMap(\.listeners) ?? [] }
        for listener in listeners { listener(progress) }
    }

    /// Removes a subscriber; returns whether it was the last one, which ends the work.
    private func leave(_ number: Int, _ subscriber: Int) -> Bool {
        // Release their references after unlocking: a listener may hold the last one of a stream, whose end calls back.
        let (left, abandoned) = state.withLock { state -> (Subscriber?, Work?) in
            guard let left = state.works[number]?.subscribers.removeValue(forKey: subscriber) else { return (nil, nil) }
            state.works[number]?.subscriberCounts[left.priority.rawValue] -= 1
            let isLast = state.works[number]?.subscribers.isEmpty == true
            return (left, isLast ? state.remove(number) : nil)
        }
        abandoned?.task?.cancel()
        if left != nil, abandoned == nil { updatePriority(number) }
        return abandoned != nil
    }

    private func move(_ number: Int, _ subscriber: Int, to priority: FetchPriority) {
        state.withLock { state in
            guard let old = state.works[number]?.subscribers[subscriber]?.priority else { return }
            state.works[number]?.subscribers[subscriber]?.priority = priority
            state.works[number]?.subscriberCounts[old.rawValue] -= 1
            state.works[number]?.subscriberCounts[priority.rawValue] += 1
        }
        updatePriority(number)
    }

    /// Sets the control to the highest priority; one thread at a time, so that changes reach its observers in order.
    private func updatePriority(_ number: Int) {
        var isFirst = true
        while let (control, priority) = nextUpdate(of: number, isFirst: isFirst) {
            control.priority = priority
            isFirst = false
        }
    }

    private func nextUpdate(of number: Int, isFirst: Bool) -> (FetchControl, FetchPriority)? {
        state.withLock { state in
            guard let work = state.works[number], !(isFirst && work.isUpdating) else { return nil }
            let isCurrent = work.control.priority == work.highestPriority
            state.works[number]?.isUpdating = !isCurrent
            return isCurrent ? nil : (work.control, work.highestPriority)
        }
    }

    struct Subscription: Sendable {
        /// A cancelled caller must call `cancel`.
        let promise: Promise<Value>
        let hasStarted: Bool
        fileprivate let owner: TaskCoalescer
        fileprivate let work: Int
        fileprivate let subscriber: Int

        func setPriority(_ priority: FetchPriority) { owner.move(work, subscriber, to: priority) }

        func listen(_ listener: @escaping @Sendable (Progress) -> Void) {
            owner.state.withLock { $0.works[work]?.subscribers[subscriber]?.listeners.append(listener) }
        }

        /// Returns whether that ended the work.
        @discardableResult
        func cancel() -> Bool { promise.resolve(.failure(CancellationError())) && owner.leave(work, subscriber) }
    }

    struct Counts: Hashable, Sendable {
        var works = 0
        var keys = 0
        var members = 0
        var tasks = 0
    }

    var counts: Counts {
        state.withLock { state in
            Counts(
                works: state.works.count, keys: state.numbers.count,
                members: state.works.values.reduce(0) { $0 + $1.subscribers.count }, tasks: state.taskCount)
        }
    }

    /// Includes the tasks of abandoned work.
    func waitForTasks(atMost limit: Int = 0) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.taskCount > limit { state.waiters.append((limit, continuation)) }
                return state.taskCount <= limit
            }
            if isDone { continuation.resume() }
        }
    }
}

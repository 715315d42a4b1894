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

    typealias OnBody = @Sendable (FetchControl.BodyEvent, _ report: (Progress) -> Void) -> Void

    private struct Subscriber {
        let promise: Promise<Value>
        var priority: FetchPriority
        var listeners: [@Sendable (Progress) -> Void] = []
    }

    private struct Work {
        let key: Key?
        let control: FetchControl
        var subscribers: [Int: Subscriber] = [:]
        var task: Task<Void, Never>?

        var highestPriority: FetchPriority { subscribers.values.map(\.priority).max() ?? .prefetch }
    }

    private struct State {
        var works: [Int: Work] = [:]
        var numbers: [Key: Int] = [:]
        var lastNumber = 0
        /// Includes abandoned work.
        var taskCount = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
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
        let subscription = state.withLock { state in
            let existing = key.flatMap { state.numbers[$0] }
            let number = existing ?? state.nextNumber()
            if existing == nil {
                let control = FetchControl(priority: priority, onBody: onBody.map { reporting($0, of: number) })
                if let key { state.numbers[key] = number }
                state.taskCount += 1
                state.works[number] = Work(key: key, control: control)
                state.works[number]?.task = Task.detached { await self.run(number, control, body) }
            }
            return subscribe(to: number, hasStarted: existing == nil, priority, listener, &state)
        }
        if !subscription.hasStarted { updatePriority(subscription.work) }
        return subscription
    }

    func joinRunning(_ key: Key, priority: FetchPriority) -> Subscription? {
        let subscription = state.withLock { state in
            state.numbers[key].map { subscribe(to: $0, hasStarted: false, priority, nil, &state) }
        }
        if let subscription { updatePriority(subscription.work) }
        return subscription
    }

    private func subscribe(
        to work: Int, hasStarted: Bool, _ priority: FetchPriority, _ listener: (@Sendable (Progress) -> Void)?,
        _ state: inout State
    ) -> Subscription {
        let (number, promise) = (state.nextNumber(), Promise<Value>())
        let listeners = [listener].compactMap(\.self)
        let subscriber = Subscriber(promise: promise, priority: priority, listeners: listeners)
        state.works[work]?.subscribers[number] = subscriber
        return Subscription(promise: promise, hasStarted: hasStarted, owner: self, work: work, subscriber: number)
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
        state.withLock { $0.taskCount -= 1 }
    }

    private func reporting(_ onBody: @escaping OnBody, of number: Int) -> @Sendable (FetchControl.BodyEvent) -> Bool {
        { [weak self] event in
            onBody(event) { self?.report($0, of: number) }
            return true
        }
    }

    private func report(_ progress: Progress, of number: Int) {
        let listeners = state.withLock { state in state.works[number]?.subscribers.values.flatMap(\.listeners) ?? [] }
        for listener in listeners { listener(progress) }
    }

    /// Removes a subscriber; returns whether it was the last one, which ends the work.
    private func remove(_ number: Int, _ subscriber: Int) -> Bool {
        // Release their references after unlocking: a listener may hold the last one of a stream, whose end calls back.
        let (left, abandoned) = state.withLock { state -> (Subscriber?, Work?) in
            guard let left = state.works[number]?.subscribers.removeValue(forKey: subscriber) else { return (nil, nil) }
            let isLast = state.works[number]?.subscribers.isEmpty == true
            return (left, isLast ? state.remove(number) : nil)
        }
        abandoned?.task?.cancel()
        if left != nil, abandoned == nil { updatePriority(number) }
        return abandoned != nil
    }

    private func move(_ number: Int, _ subscriber: Int, to priority: FetchPriority) {
        state.withLock { $0.works[number]?.subscribers[subscriber]?.priority = priority }
        updatePriority(number)
    }

    /// Sets the control to the highest priority, again if another thread has set an older one meanwhile.
    private func updatePriority(_ number: Int) {
        while let (control, priority) = update(of: number) { control.priority = priority }
    }

    private func update(of number: Int) -> (FetchControl, FetchPriority)? {
        state.withLock { state in
            guard let work = state.works[number], work.control.priority != work.highestPriority else { return nil }
            return (work.control, work.highestPriority)
        }
    }

    struct Subscription: Sendable {
        let promise: Promise<Value>
        let hasStarted: Bool
        fileprivate let owner: TaskCoalescer
        fileprivate let work: Int
        fileprivate let subscriber: Int

        /// The result; cancelling the last caller ends the work.
        var value: Value {
            get async throws {
                try await withTaskCancellationHandler {
                    try await promise.outcome.get()
                } onCancel: {
                    cancel()
                }
            }
        }

        func setPriority(_ priority: FetchPriority) { owner.move(work, subscriber, to: priority) }

        func listen(_ listener: @escaping @Sendable (Progress) -> Void) {
            owner.state.withLock { $0.works[work]?.subscribers[subscriber]?.listeners.append(listener) }
        }

        /// Returns whether that ended the work.
        @discardableResult
        func cancel() -> Bool { promise.resolve(.failure(CancellationError())) && owner.remove(work, subscriber) }
    }

    struct Counts: Hashable, Sendable {
        var works = 0
        var keys = 0
        var tasks = 0
    }

    var counts: Counts {
        state.withLock { Counts(works: $0.works.count, keys: $0.numbers.count, tasks: $0.taskCount) }
    }
}

/// The outcome of shared work for one caller; observers are called outside the lock.
final class Promise<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, any Error>

    private let state: Mutex<(outcome: Outcome?, observers: [@Sendable (Outcome) -> Void])>

    init(_ outcome: Outcome? = nil) { state = Mutex((outcome, [])) }

    /// Returns whether this call resolved it.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        let observers = state.withLock { state -> [@Sendable (Outcome) -> Void]? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers ?? [] { observer(outcome) }
        return observers != nil
    }

    /// Calls `observer` immediately if there is an outcome, otherwise on the thread that resolves it.
    func onCompletion(_ observer: @escaping @Sendable (Outcome) -> Void) {
        let outcome = state.withLock { state -> Outcome? in
            if state.outcome == nil { state.observers.append(observer) }
            return state.outcome
        }
        if let outcome { observer(outcome) }
    }

    var outcome: Outcome {
        get async {
            await withCheckedContinuation { continuation in onCompletion { continuation.resume(returning: $0) } }
        }
    }
}

internal import SpyglassFetching
internal import SpyglassThreads

/// Work that all who want the same share: it starts with the first of them, is as urgent as the most urgent, and is cancelled
/// when the last one leaves.
///
///     let share = downloads.join(address, priority: .near) { run in try await download(address, run.control) }
///     share.setPriority(.visible)
///     let bytes = try await share.value
///
/// A lock around a table, not an actor: joining, leaving and changing a priority are over when the call returns, also within a
/// cancellation handler, so none of them can overtake another. Each costs a few look-ups, whatever is waiting. What runs, runs in
/// a task of its own; nothing foreign is called or released while the lock is held. Outcomes are not remembered, least of all failures.
final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: Sendable {
    /// What the work itself is given.
    struct Run: Sendable {
        /// How urgent it is, as long as it goes on.
        let control: FetchControl
        /// Tells those who want to know how far it is.
        let report: @Sendable (Progress) -> Void
    }

    private struct Subscriber {
        let wish: Promise<Value>
        let onProgress: (@Sendable (Progress) -> Void)?
        var priority: FetchPriority
    }

    private struct Work {
        let key: Key?
        let control: FetchControl
        var members: [Int: Subscriber]
        /// How many members have each priority, the least urgent first.
        var tally = [Int](repeating: 0, count: FetchPriority.visible.rawValue + 1)
        /// Whether a thread is bringing the control to the highest priority.
        var isSteered = false
        var task: Task<Void, Never>?

        var highest: FetchPriority {
            tally.lastIndex { $0 > 0 }.flatMap(FetchPriority.init(rawValue:)) ?? .prefetch
        }
    }

    private struct State {
        var works: [Int: Work] = [:]
        var numbers: [Key: Int] = [:]
        var lastNumber = 0
        /// Tasks that have not ended, those that nobody waits for any more among them.
        var taskCount = 0
        var onQuiet: [(taskLimit: Int, continuation: CheckedContinuation<Void, Never>)] = []

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

    /// Joins the work for a key, and starts it if there is none.
    ///
    /// - Parameters:
    ///   - key: what makes two wishes the same; work without one is never shared.
    ///   - priority: how urgent it is to this caller.
    ///   - onBody: given to the control of work that starts; see `FetchControl`.
    ///   - onProgress: told of what the work reports, until the wish is settled or shortly after it.
    ///   - body: the work, if it must be started.
    /// - Returns: the caller's share in the work, whose wish is settled when the work ends.
    func join(
        _ key: Key?, priority: FetchPriority, onBody: (@Sendable (FetchControl.BodyEvent) -> Bool)? = nil,
        onProgress: (@Sendable (Progress) -> Void)? = nil, _ body: @escaping @Sendable (Run) async throws -> Value
    ) -> Subscription {
        let wish = Promise<Value>()
        let (work, member, hasStarted) = state.withLock { state -> (Int, Int, Bool) in
            let member = state.nextNumber()
            let existing = key.flatMap { state.numbers[$0] }
            let number = existing ?? state.nextNumber()
            if existing == nil {
                let control = FetchControl(priority: priority, onBody: onBody)
                if let key { state.numbers[key] = number }
                state.taskCount += 1
                state.works[number] = Work(key: key, control: control, members: [:])
                state.works[number]?.task = Task.detached { await self.run(number, control, body) }
            }
            state.works[number]?.members[member] = Subscriber(wish: wish, onProgress: onProgress, priority: priority)
            state.works[number]?.tally[priority.rawValue] += 1
            return (number, member, existing == nil)
        }
        if !hasStarted { steer(work) }
        return Subscription(wish: wish, owner: self, work: work, member: member, hasStarted: hasStarted)
    }

    private func run(
        _ number: Int, _ control: FetchControl, _ body: @escaping @Sendable (Run) async throws -> Value
    ) async {
        let run = Run(control: control) { progress in self.report(progress, of: number) }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(run)) } catch { outcome = .failure(error) }
        // What it holds goes after the lock.
        let work = state.withLock { $0.remove(number) }
        for member in (work?.members ?? [:]).values { member.wish.resolve(outcome) }
        let quiet = state.withLock { state in
            state.taskCount -= 1
            let count = state.taskCount
            defer { state.onQuiet.removeAll { count <= $0.taskLimit } }
            return state.onQuiet.filter { count <= $0.taskLimit }.map(\.continuation)
        }
        for continuation in quiet { continuation.resume() }
    }

    private func report(_ progress: Progress, of number: Int) {
        let listeners = state.withLock { state in
            state.works[number]?.members.values.compactMap(\.onProgress) ?? []
        }
        for listen in listeners { listen(progress) }
    }

    /// Takes a member out; whether it was the last one, whose leaving ends the work.
    private func leave(_ number: Int, _ member: Int) -> Bool {
        // What they hold goes after the lock: the end of a stream whose listener is the last to know it calls back.
        let (left, abandoned) = state.withLock { state -> (Subscriber?, Work?) in
            guard let left = state.works[number]?.members.removeValue(forKey: member) else { return (nil, nil) }
            state.works[number]?.tally[left.priority.rawValue] -= 1
            let isLast = state.works[number]?.members.isEmpty == true
            return (left, isLast ? state.remove(number) : nil)
        }
        abandoned?.task?.cancel()
        if left != nil, abandoned == nil { steer(number) }
        return abandoned != nil
    }

    private func move(_ number: Int, _ member: Int, to priority: FetchPriority) {
        state.withLock { state in
            guard let old = state.works[number]?.members[member]?.priority else { return }
            state.works[number]?.members[member]?.priority = priority
            state.works[number]?.tally[old.rawValue] -= 1
            state.works[number]?.tally[priority.rawValue] += 1
        }
        steer(number)
    }

    /// Brings the control to the highest priority of those who are left; one thread at a time, so that what follows the control
    /// hears of changes in the order in which they were made.
    private func steer(_ number: Int) {
        var isFirst = true
        while let (control, priority) = nextStep(of: number, isFirst: isFirst) {
            control.priority = priority
            isFirst = false
        }
    }

    private func nextStep(of number: Int, isFirst: Bool) -> (FetchControl, FetchPriority)? {
        state.withLock { state in
            guard let work = state.works[number], !(isFirst && work.isSteered) else { return nil }
            let hasArrived = work.control.priority == work.highest
            state.works[number]?.isSteered = !hasArrived
            return hasArrived ? nil : (work.control, work.highest)
        }
    }
}

extension TaskCoalescer {
    /// A caller's part in shared work.
    struct Subscription: Sendable {
        fileprivate let wish: Promise<Value>
        fileprivate let owner: TaskCoalescer
        fileprivate let work: Int
        fileprivate let member: Int
        /// Whether the work was started for this share; otherwise it was joined.
        let hasStarted: Bool

        /// Changes how urgent the work is to this caller.
        func setPriority(_ priority: FetchPriority) { owner.move(work, member, to: priority) }

        /// Settles the caller's wish with `CancellationError` and leaves the work; whether that ended it.
        @discardableResult
        func cancel() -> Bool { wish.resolve(.failure(CancellationError())) && owner.leave(work, member) }

        /// Has `watch` told of the outcome; see `Promise`.
        func onCompletion(_ watch: @escaping @Sendable (Promise<Value>.Outcome) -> Void) { wish.onCompletion(watch) }

        /// The outcome, when it is there; a cancelled task must call `cancel` from its handler.
        var value: Value {
            get async throws { try await wish.value }
        }
    }

    /// What is in the tables: works, those who want them, and tasks that have not ended.
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
                members: state.works.values.reduce(0) { $0 + $1.members.count }, tasks: state.taskCount)
        }
    }

    /// Returns when no more than so many tasks are left, those of abandoned work among them.
    func waitForTasks(atMost limit: Int = 0) async {
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                if state.taskCount > limit { state.onQuiet.append((limit, continuation)) }
                return state.taskCount <= limit
            }
            if isQuiet { continuation.resume() }
        }
    }
}

internal import Glibc
internal import struct Synchronization.Atomic

/// A few threads for work that blocks or computes, so that no thread of Swift's cooperative pool is kept from its tasks.
///
///     let threads = WorkerThreads(count: 2)
///     let pixels = try await threads.run(rank: 2) { isCancelled in try decode(bytes, isCancelled) }
///
/// Work of the highest rank starts first and, within a rank, what came first. Where there are two threads or more, one of them
/// takes no heavy work while light work of the same rank or a higher one waits, so that a large picture never keeps small ones
/// waiting. Threads start when there is work for them and end when the last reference goes; work that waits then is still done.
public final class WorkerThreads: Sendable {
    private let queue: WorkQueue

    /// Nothing runs before the first work comes.
    ///
    /// - Parameter count: threads at most, at least one; where the system refuses them all, work is done on the caller's thread.
    public init(count: Int) { queue = WorkQueue(threadLimit: max(1, count)) }

    deinit { queue.close() }

    /// Runs `work` on one of the threads; other tasks go on meanwhile.
    ///
    /// - Parameters:
    ///   - rank: greater is sooner.
    ///   - isLight: whether it is over soon.
    ///   - work: is given a question that it should ask now and then: whether the task that wants it was cancelled.
    /// - Returns: what `work` returns.
    /// - Throws: what `work` throws; `CancellationError`, at once, when the task is cancelled before the work has started.
    public func run<Value: Sendable>(
        rank: Int = 0, isLight: Bool = true,
        _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Value
    ) async throws -> Value {
        try await run(WorkTicket(rank: rank), isLight: isLight, work)
    }

    /// Runs `work` as above, at a rank that its ticket can change while it waits.
    public func run<Value: Sendable>(
        _ ticket: WorkTicket, isLight: Bool = true,
        _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Value
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.add(
                    Job(ticket: ticket, isLight: isLight) { isWanted in
                        guard isWanted else { return continuation.resume(throwing: CancellationError()) }
                        continuation.resume(with: Result { try work { ticket.isCancelled } })
                    })
            }
        } onCancel: {
            ticket.cancel()
            queue.drop(ticket)
        }
    }
}

/// The rank of one piece of work, which may change while it waits.
///
/// Good for one `run`; thread-safe.
public final class WorkTicket: Sendable {
    private let storedRank: Atomic<Int>
    private let cancelled = Atomic(false)
    /// Called after the rank has changed; set once, when the work is lined up.
    fileprivate let follower = Mutex<(@Sendable (Int) -> Void)?>(nil)

    /// A ticket; greater ranks are sooner.
    public init(rank: Int) { storedRank = Atomic(rank) }

    /// Greater is sooner.
    ///
    /// Setting it moves work that waits; work that has started goes on.
    public var rank: Int {
        get { storedRank.load(ordering: .acquiring) }
        set {
            storedRank.store(newValue, ordering: .releasing)
            let follow = follower.withLock { $0 }
            follow?(newValue)
        }
    }

    fileprivate var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    fileprivate func cancel() { cancelled.store(true, ordering: .relaxed) }
}

/// Work that waits for a thread; `run` is told whether anybody still wants it.
private struct Job: Sendable {
    let ticket: WorkTicket
    let isLight: Bool
    let run: @Sendable (_ isWanted: Bool) -> Void
}

/// What waits, and the threads that take it.
///
/// `@unchecked Sendable`: `state` is touched only between `pthread_mutex_lock` and `pthread_mutex_unlock`; the pointers never change.
private final class WorkQueue: @unchecked Sendable {
    private struct State {
        var light = PriorityLine<Job>()
        var heavy = PriorityLine<Job>()
        var places: [ObjectIdentifier: (place: PriorityLine<Job>.Place, isLight: Bool)] = [:]
        var threadCount = 0
        var idleCount = 0
        var hasQuickThread = false
        var isClosed = false

        /// What a thread takes next: of the same rank, the quick thread takes light work first and the others heavy work.
        mutating func next(isQuick: Bool) -> Job? {
            let lightRank = light.firstRank()
            let heavyRank = heavy.firstRank()
            let takesLight =
                switch (lightRank, heavyRank) {
                case (nil, _): false
                case (_, nil): true
                case (let light?, let heavy?): isQuick ? light >= heavy : light > heavy
                }
            guard let job = takesLight ? light.popFirst() : heavy.popFirst() else { return nil }
            places[ObjectIdentifier(job.ticket)] = nil
            return job
        }
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let threadLimit: Int
    private var state = State()

    init(threadLimit: Int) {
        self.threadLimit = threadLimit
        mutex.initialize(to: pthread_mutex_t())
        changed.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    private func withState<Value>(_ body: (inout State) -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    func add(_ job: Job) {
        let ticket = job.ticket
        ticket.follower.withLock { $0 = { [weak self, id = ObjectIdentifier(ticket)] in self?.move(id, to: $0) } }
        let (needsThread, isUnwanted) = withState { state in
            // The flag was up before `drop` could look for the job: one of the two sees it.
            if ticket.isCancelled { return (false, true) }
            let rank = ticket.rank
            // A single thread serves all in one line.
            let isLight = job.isLight && threadLimit > 1
            let place = isLight ? state.light.add(job, rank: rank) : state.heavy.add(job, rank: rank)
            state.places[ObjectIdentifier(ticket)] = (place, isLight)
            if state.idleCount >= state.light.count + state.heavy.count {
                pthread_cond_signal(changed)
                return (false, false)
            }
            guard state.threadCount < threadLimit else { return (false, false) }
            state.threadCount += 1
            return (true, false)
        }
        if isUnwanted { job.run(false) }
        if needsThread { startThread() }
    }

    func drop(_ ticket: WorkTicket) {
        let job = withState { state -> Job? in
            guard let (place, isLight) = state.places.removeValue(forKey: ObjectIdentifier(ticket)) else { return nil }
            return isLight ? state.light.remove(place) : state.heavy.remove(place)
        }
        job?.run(false)
    }

    private func move(_ ticket: ObjectIdentifier, to rank: Int) {
        withState { state in
            guard let (place, isLight) = state.places[ticket] else { return }
            if isLight { state.light.move(place, to: rank) } else { state.heavy.move(place, to: rank) }
        }
    }

    func close() {
        withState { state in
            state.isClosed = true
            pthread_cond_broadcast(changed)
        }
    }

    // MARK: Threads

    private func startThread() {
        // The thread owns one reference to the queue until it ends.
        let owned = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                // Signals are the main thread's business.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                Unmanaged<WorkQueue>.fromOpaque(context).takeRetainedValue().work()
                return nil
            }, owned.toOpaque())
        guard status != 0 else {
            pthread_detach(thread)
            return
        }
        owned.release()
        let hasThreads = withState { state in
            state.threadCount -= 1
            return state.threadCount > 0
        }
        guard !hasThreads else { return }
        while let job = withState({ $0.next(isQuick: false) }) { job.run(true) }
    }

    private func work() {
        // The first thread is the quick one.
        let isQuick = withState { state in
            defer { state.hasQuickThread = true }
            return !state.hasQuickThread && threadLimit > 1
        }
        while let job = next(isQuick: isQuick) { job.run(true) }
    }

    /// The job whose turn it is, waiting for one; `nil` when the queue is closed and empty.
    private func next(isQuick: Bool) -> Job? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let job = state.next(isQuick: isQuick) { return job }
            if state.isClosed { return nil }
            state.idleCount += 1
            pthread_cond_wait(changed, mutex)
            state.idleCount -= 1
        }
    }
}

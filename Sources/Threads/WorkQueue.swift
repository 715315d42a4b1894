internal import Glibc

/// Work for a thread; `run` gets `isWanted: false` when its task was cancelled first.
struct Job: Sendable {
    let ticket: WorkTicket
    let isLight: Bool
    let run: @Sendable (_ isWanted: Bool) -> Void
}

/// The work of a `ThreadPool`, and the threads that run it.
final class WorkQueue: Sendable {
    private struct State {
        /// Oldest first; `rank` orders them before age.
        var jobs: [(rank: Int, job: Job)] = []
        var threadCount = 0
        var idleCount = 0
        var isClosed = false

        mutating func next() -> Job? {
            // `max` returns the first of equal ones.
            jobs.indices.max { jobs[$0].rank < jobs[$1].rank }.map { jobs.remove(at: $0).job }
        }

        func index(of ticket: WorkTicket) -> Int? { jobs.firstIndex { $0.job.ticket === ticket } }
    }

    private let threadLimit: Int
    private let state = Monitor(State())

    init(threadLimit: Int) { self.threadLimit = threadLimit }

    func add(_ job: Job) {
        let ticket = job.ticket
        // Before reading the priority: later changes are reported.
        ticket.enters(self)
        let (needsThread, isUnwanted) = state.withLock { state in
            // `cancel` sets the flag before `drop` looks for the job: one of the two sees it.
            if ticket.cancellation.isCancelled { return (false, true) }
            state.jobs.append((rank(of: job), job))
            if state.idleCount >= state.jobs.count {
                self.state.wakeOne()
                return (false, false)
            }
            guard state.threadCount < threadLimit else { return (false, false) }
            state.threadCount += 1
            return (true, false)
        }
        if isUnwanted { job.run(false) }
        if needsThread { startThread() }
    }

    /// Light work precedes heavy work of its priority; a single thread serves all in one order.
    private func rank(of job: Job) -> Int {
        2 * min(max(job.ticket.priority, Int.min / 2), Int.max / 2) + (job.isLight && threadLimit > 1 ? 1 : 0)
    }

    func drop(_ ticket: WorkTicket) {
        let job = state.withLock { state in state.index(of: ticket).map { state.jobs.remove(at: $0).job } }
        job?.run(false)
    }

    /// Moves work to its ticket's priority, read under the lock: of concurrent changes the last one counts.
    func priorityChanged(of ticket: WorkTicket) {
        state.withLock { state in
            guard let index = state.index(of: ticket) else { return }
            state.jobs[index].rank = rank(of: state.jobs[index].job)
        }
    }

    var waitingCount: Int { state.withLock { $0.jobs.count } }

    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
    }

    private func startThread() {
        // The thread owns one reference to the queue until it ends.
        let owned = Unmanaged.passRetained(self)
        var thread = pthread_t()
        var status: Int32 = 0
        Self.blockingSignals {
            status = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<WorkQueue>.fromOpaque(context).takeRetainedValue().work()
                    return nil
                }, owned.toOpaque())
        }
        guard status != 0 else {
            pthread_detach(thread)
            return
        }
        owned.release()
        let hasThreads = state.withLock { state in
            state.threadCount -= 1
            return state.threadCount > 0
        }
        guard !hasThreads else { return }
        while let job = state.withLock({ $0.next() }) { job.run(true) }
    }

    /// Blocks signals while `body` starts a thread, which inherits the mask; not those of faults: a crash must reach its handler.
    private static func blockingSignals(_ body: () -> Void) {
        var signals = sigset_t()
        var previous = sigset_t()
        sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&signals, fault) }
        pthread_sigmask(SIG_SETMASK, &signals, &previous)
        body()
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }

    private func work() { while let job = next() { job.run(true) } }

    /// Waits for the next job; `nil` when the queue is closed and empty.
    private func next() -> Job? {
        var isIdle = false
        return state.wait { state -> Job?? in
            if isIdle { state.idleCount -= 1 }
            isIdle = false
            if let job = state.next() { return .some(job) }
            if state.isClosed { return .some(nil) }
            state.idleCount += 1
            isIdle = true
            return nil
        }
    }
}

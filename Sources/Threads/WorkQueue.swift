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
        var jobs = PriorityQueue<Job>()
        var handles: [ObjectIdentifier: (handle: PriorityQueue<Job>.Handle, isLight: Bool)] = [:]
        var threadCount = 0
        var idleCount = 0
        var isClosed = false

        mutating func next() -> Job? {
            guard let job = jobs.popFirst() else { return nil }
            handles[ObjectIdentifier(job.ticket)] = nil
            return job
        }
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
            let handle = state.jobs.insert(job, priority: rank(of: ticket, isLight: job.isLight))
            state.handles[ObjectIdentifier(ticket)] = (handle, job.isLight)
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
    private func rank(of ticket: WorkTicket, isLight: Bool) -> Int {
        2 * min(max(ticket.priority, Int.min / 2), Int.max / 2) + (isLight && threadLimit > 1 ? 1 : 0)
    }

    func drop(_ ticket: WorkTicket) {
        let job = state.withLock { state -> Job? in
            state.handles.removeValue(forKey: ObjectIdentifier(ticket)).flatMap { state.jobs.remove($0.handle) }
        }
        job?.run(false)
    }

    /// Moves work to its ticket's priority, read under the lock: of concurrent changes the last one counts.
    func priorityChanged(of ticket: WorkTicket) {
        state.withLock { state in
            guard let (handle, isLight) = state.handles[ObjectIdentifier(ticket)] else { return }
            state.jobs.move(handle, to: rank(of: ticket, isLight: isLight))
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

internal import Glibc

/// Work for a thread; `run` gets `isWanted: false` when its task was cancelled first.
struct Job: Sendable {
    let ticket: WorkTicket
    let run: @Sendable (_ isWanted: Bool) -> Void
}

/// The work of a `ThreadPool`, and the threads that run it.
final class WorkQueue: Sendable {
    private struct State {
        /// Oldest first.
        var jobs: [(priority: Int, job: Job)] = []
        var threadCount = 0
        var idleCount = 0
        var isClosed = false

        mutating func next() -> Job? {
            // `max` returns the first of equal ones.
            jobs.indices.max { jobs[$0].priority < jobs[$1].priority }.map { jobs.remove(at: $0).job }
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
            state.jobs.append((ticket.priority, job))
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

    func drop(_ ticket: WorkTicket) {
        let job = state.withLock { state in state.index(of: ticket).map { state.jobs.remove(at: $0).job } }
        job?.run(false)
    }

    /// Moves work to its ticket's priority, read under the lock: of concurrent changes the last one counts.
    func priorityChanged(of ticket: WorkTicket) {
        state.withLock { state in
            guard let index = state.index(of: ticket) else { return }
            state.jobs[index].priority = ticket.priority
        }
    }

    var waitingCount: Int { state.withLock { $0.jobs.count } }

    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
    }

    private func startThread() {
        // The thread keeps the queue until it ends.
        if let thread = try? SystemThreads.start(work) {
            pthread_detach(thread)
            return
        }
        let hasThreads = state.withLock { state in
            state.threadCount -= 1
            return state.threadCount > 0
        }
        guard !hasThreads else { return }
        while let job = state.withLock({ $0.next() }) { job.run(true) }
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

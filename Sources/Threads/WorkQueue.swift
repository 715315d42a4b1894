internal import Glibc

/// Work for a thread; `run` gets `isWanted: false` when its task was cancelled first.
struct Job: Sendable {
    let ticket: WorkTicket
    let isLight: Bool
    let run: @Sendable (_ isWanted: Bool) -> Void
}

final class WorkQueue: Sendable {
    private struct State {
        var light = PriorityQueue<Job>()
        var heavy = PriorityQueue<Job>()
        var handles: [ObjectIdentifier: (handle: PriorityQueue<Job>.Handle, isLight: Bool)] = [:]
        var threadCount = 0
        var idleCount = 0
        var hasQuickThread = false
        var isClosed = false

        /// The next job of a thread: within a priority the quick thread prefers light work, the others heavy work.
        mutating func next(isQuick: Bool) -> Job? {
            let takesLight =
                switch (light.highestPriority, heavy.highestPriority) {
                case (nil, _): false
                case (_, nil): true
                case (let light?, let heavy?): isQuick ? light >= heavy : light > heavy
                }
            guard let job = takesLight ? light.popFirst() : heavy.popFirst() else { return nil }
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
            let priority = ticket.priority
            // A single thread serves all work in one order.
            let isLight = job.isLight && threadLimit > 1
            let handle =
                isLight ? state.light.insert(job, priority: priority) : state.heavy.insert(job, priority: priority)
            state.handles[ObjectIdentifier(ticket)] = (handle, isLight)
            if state.idleCount >= state.light.count + state.heavy.count {
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
        let job = state.withLock { state -> Job? in
            guard let (handle, isLight) = state.handles.removeValue(forKey: ObjectIdentifier(ticket)) else {
                return nil
            }
            return isLight ? state.light.remove(handle) : state.heavy.remove(handle)
        }
        job?.run(false)
    }

    /// Moves work to its ticket's priority, read under the lock: of concurrent changes the last one counts.
    func priorityChanged(of ticket: WorkTicket) {
        state.withLock { state in
            guard let (handle, isLight) = state.handles[ObjectIdentifier(ticket)] else { return }
            if isLight {
                state.light.move(handle, to: ticket.priority)
            } else {
                state.heavy.move(handle, to: ticket.priority)
            }
        }
    }

    var waitingCount: Int { state.withLock { $0.light.count + $0.heavy.count } }

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
        while let job = state.withLock({ $0.next(isQuick: false) }) { job.run(true) }
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

    private func work() {
        // The first thread is the quick one.
        let isQuick = state.withLock { state in
            defer { state.hasQuickThread = true }
            return !state.hasQuickThread && threadLimit > 1
        }
        while let job = next(isQuick: isQuick) { job.run(true) }
    }

    /// Waits for the next job; `nil` when the queue is closed and empty.
    private func next(isQuick: Bool) -> Job? {
        var isIdle = false
        return state.wait { state -> Job?? in
            if isIdle { state.idleCount -= 1 }
            isIdle = false
            if let job = state.next(isQuick: isQuick) { return .some(job) }
            if state.isClosed { return .some(nil) }
            state.idleCount += 1
            isIdle = true
            return nil
        }
    }
}

internal import Glibc

/// Work that waits for a thread; `run` is told whether anybody still wants it.
struct Job: Sendable {
    let ticket: WorkTicket
    let isLight: Bool
    let run: @Sendable (_ isWanted: Bool) -> Void
}

/// What waits, and the threads that take it.
final class WorkQueue: Sendable {
    private struct State {
        var light = PriorityQueue<Job>()
        var heavy = PriorityQueue<Job>()
        var places: [ObjectIdentifier: (place: PriorityQueue<Job>.Handle, isLight: Bool)] = [:]
        var threadCount = 0
        var idleCount = 0
        var hasQuickThread = false
        var isClosed = false

        /// What a thread takes next: of the same rank, the quick thread takes light work first and the others heavy work.
        mutating func next(isQuick: Bool) -> Job? {
            let lightRank = light.highestPriority()
            let heavyRank = heavy.highestPriority()
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

    private let threadLimit: Int
    private let line = Monitor(State())

    init(threadLimit: Int) { self.threadLimit = threadLimit }

    func add(_ job: Job) {
        let ticket = job.ticket
        // Before its rank is read: a change from now on is told.
        ticket.isLinedUp(in: self)
        let (needsThread, isUnwanted) = line.withLock { state in
            // The flag was up before `drop` could look for the job: one of the two sees it.
            if ticket.isCancelled { return (false, true) }
            let rank = ticket.rank
            // A single thread serves all in one line.
            let isLight = job.isLight && threadLimit > 1
            let place = isLight ? state.light.add(job, rank: rank) : state.heavy.add(job, rank: rank)
            state.places[ObjectIdentifier(ticket)] = (place, isLight)
            if state.idleCount >= state.light.count + state.heavy.count {
                line.wakeOne()
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
        let job = line.withLock { state -> Job? in
            guard let (place, isLight) = state.places.removeValue(forKey: ObjectIdentifier(ticket)) else { return nil }
            return isLight ? state.light.remove(place) : state.heavy.remove(place)
        }
        job?.run(false)
    }

    /// Moves work to its ticket's rank, which is read under the lock: of two changes at once the later one holds.
    func rankChanged(of ticket: WorkTicket) {
        line.withLock { state in
            guard let (place, isLight) = state.places[ObjectIdentifier(ticket)] else { return }
            if isLight { state.light.move(place, to: ticket.rank) } else { state.heavy.move(place, to: ticket.rank) }
        }
    }

    /// How much waits for a thread.
    var waitingCount: Int { line.withLock { $0.light.count + $0.heavy.count } }

    func close() {
        line.withLock { $0.isClosed = true }
        line.wakeAll()
    }

    // MARK: Threads

    private func startThread() {
        // The thread owns one reference to the queue until it ends.
        let owned = Unmanaged.passRetained(self)
        var thread = pthread_t()
        var status: Int32 = 0
        Self.leavingSignalsToOthers {
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
        let hasThreads = line.withLock { state in
            state.threadCount -= 1
            return state.threadCount > 0
        }
        guard !hasThreads else { return }
        while let job = line.withLock({ $0.next(isQuick: false) }) { job.run(true) }
    }

    /// Makes threads that take none of the signals sent to the process, from their first instruction on: they inherit what is blocked here.
    ///
    /// The signals of a thread's own faults are not blocked, whatever the caller blocks: a crash must reach whoever reports it.
    private static func leavingSignalsToOthers(_ body: () -> Void) {
        var signals = sigset_t()
        var former = sigset_t()
        sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&signals, fault) }
        pthread_sigmask(SIG_SETMASK, &signals, &former)
        body()
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    private func work() {
        // The first thread is the quick one.
        let isQuick = line.withLock { state in
            defer { state.hasQuickThread = true }
            return !state.hasQuickThread && threadLimit > 1
        }
        while let job = next(isQuick: isQuick) { job.run(true) }
    }

    /// The job whose turn it is, waiting for one; `nil` when the queue is closed and empty.
    private func next(isQuick: Bool) -> Job? {
        var isIdle = false
        return line.wait { state -> Job?? in
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

internal import SpyglassThreads

/// Takes a body from a transport's thread and has it written, in order, on another one.
///
/// What waits for the disk is bounded: beyond `maxWaiting` the transfer is held until half of it is written.
final class FileDownloadSink: Sendable {
    /// Bytes that may wait before the transfer is held: what a disk takes within some milliseconds.
    static let maxWaiting = 1 << 20
    /// How far apart words of progress are: 20 a second are a smooth bar.
    static let progressInterval = Duration.milliseconds(50)

    private enum Step: Sendable {
        /// The body begins, or begins anew; its length, where that is known.
        case begin(total: Int?)
        case bytes([UInt8])
    }

    private struct State {
        var steps: [Step] = []
        /// Bytes in `steps` and on their way to the file.
        var waiting = 0
        var isWriting = false
        /// Whether what comes belongs into the file.
        var isTaking = false
        /// Nothing more is taken or written.
        var isStopped = false
        var failure: FetchError?
        var written = 0
        var total: Int?
        var lastProgress: Duration?
        /// Told to hold the transfer; it leads back here, so it is let go at the end.
        var control: FetchControl?
        var listeners: [CheckedContinuation<Void, Never>] = []

        var isOver: Bool { isStopped || failure != nil }
    }

    private let state = Mutex(State())
    private let target: FileDownloadTarget
    private let threads: ThreadPool
    private let time: ElapsedClock
    private let progress: @Sendable (Int, Int?) -> Void

    init(
        _ target: FileDownloadTarget, _ threads: ThreadPool, _ time: ElapsedClock,
        _ progress: @escaping @Sendable (Int, Int?) -> Void
    ) {
        self.target = target
        self.threads = threads
        self.time = time
        self.progress = progress
    }

    /// Why the file could not be written.
    var failure: FetchError? { state.withLock { $0.failure } }

    /// What the transport hands the body to; for one fetch.
    func makeControl() -> FetchControl {
        let control = FetchControl(priority: .visible) { self.take($0) }
        state.withLock { $0.control = control }
        return control
    }

    /// A body that came in one piece.
    func take(whole body: [UInt8]) {
        let length = HTTPHeaders.Field(name: "Content-Length", value: "\(body.count)")
        if take(.started(status: 200, headers: HTTPHeaders([length]))) { _ = take(.bytes(body)) }
    }

    /// Returns when everything is in the file, with the number of its bytes.
    ///
    /// - Throws: `FetchError` when it could not be written.
    func finish() async throws(FetchError) -> Int {
        await rest()
        let (failure, written, total) = state.withLock { state in
            state.control = nil
            return (state.failure, state.written, state.total)
        }
        if let failure { throw failure }
        progress(written, total)
        return written
    }

    /// Returns when nothing more will be written.
    func stop() async {
        state.withLock { state in
            state.isStopped = true
            state.steps = []
            state.control = nil
        }
        await rest()
    }

    private func rest() async {
        await withCheckedContinuation { continuation in
            let rests = state.withLock { state in
                if state.isWriting { state.listeners.append(continuation) }
                return !state.isWriting
            }
            if rests { continuation.resume() }
        }
    }

    // MARK: - On the transport's thread

    private func take(_ part: FetchControl.BodyEvent) -> Bool {
        let (isWanted, starts) = state.withLock { state -> (Bool, Bool) in
            guard !state.isOver else { return (false, false) }
            switch part {
            case .started(let status, let headers):
                state.isTaking = (200...299).contains(status)
                guard state.isTaking else { return (true, false) }
                state.steps.append(.begin(total: headers.isContentEncoded ? nil : headers.contentLength))
            case .bytes(let bytes):
                guard state.isTaking else { return (true, false) }
                state.steps.append(.bytes(bytes))
                state.waiting += bytes.count
                // Under the lock, or it could come behind the word that everything is written.
                if state.waiting >= Self.maxWaiting { state.control?.isPaused = true }
            }
            defer { state.isWriting = true }
            return (true, !state.isWriting)
        }
        if starts { Task { await self.write() } }
        return isWanted
    }

    // MARK: - On the writing thread

    private func write() async {
        while let steps = next() {
            // It throws only when its task is cancelled, and nobody holds this one.
            try? await threads.run { _ in self.perform(steps) }
        }
    }

    /// What to write next, or `nil` when there is nothing and this writing has ended.
    private func next() -> [Step]? {
        let (steps, listeners) = state.withLock { state -> ([Step]?, [CheckedContinuation<Void, Never>]) in
            defer { state.steps = [] }
            guard state.isOver || state.steps.isEmpty else { return (state.steps, []) }
            state.isWriting = false
            defer { state.listeners = [] }
            return (nil, state.listeners)
        }
        for listener in listeners { listener.resume() }
        return steps
    }

    private func perform(_ steps: [Step]) {
        do {
            for step in steps {
                switch step {
                case .begin(let total):
                    try target.begin(expecting: total)
                    note { state in
                        state.written = 0
                        state.total = total
                    }
                case .bytes(let bytes):
                    try target.write(bytes)
                    note { state in
                        state.written += bytes.count
                        state.waiting -= bytes.count
                        if state.waiting <= Self.maxWaiting / 2 { state.control?.isPaused = false }
                    }
                }
            }
        } catch {
            state.withLock { state in
                state.failure = error
                // The transport learns of the failure with the next bytes.
                state.control?.isPaused = false
            }
        }
    }

    /// Notes what has happened to the file, and says so if the last word is some time ago.
    private func note(_ change: (inout State) -> Void) {
        let now = time.now()
        let word = state.withLock { state -> (Int, Int?)? in
            change(&state)
            if let last = state.lastProgress, now < last + Self.progressInterval { return nil }
            state.lastProgress = now
            return (state.written, state.total)
        }
        if let (written, total) = word { progress(written, total) }
    }
}

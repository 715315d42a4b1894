internal import SpyglassThreads

/// Writes a body to a file on another thread, in order; above `maxPending` the transfer is paused until half is written.
final class FileDownloadSink: Sendable {
    /// Pending bytes above which the transfer pauses: what a disk writes within some milliseconds.
    static let maxPending = 1 << 20
    /// The interval between progress reports: 20 a second make a smooth bar.
    static let progressInterval = Duration.milliseconds(50)

    private enum Step: Sendable {
        /// A body starts, or starts again; with its length, if known.
        case begin(total: Int?)
        case bytes([UInt8])
    }

    private struct Progress: Sendable {
        var isAccepting = false
        var isStopped = false
        var failure: FetchError?
        var written = 0
        var total: Int?
        var lastReport: Duration?
        /// Pauses the transfer; it refers back to the sink, so it is released at the end.
        var control: FetchControl?

        var isOver: Bool { isStopped || failure != nil }

        /// Counts a step that was carried out; returns whether a progress report is due.
        mutating func note(_ step: Step, at now: Duration) -> Bool {
            switch step {
            case .begin(let total): (written, self.total) = (0, total)
            case .bytes(let bytes): written += bytes.count
            }
            if let lastReport, now < lastReport + progressInterval { return false }
            lastReport = now
            return true
        }
    }

    private typealias Queue = WriteBehindQueue<Never, Step, Progress>

    private let queue: Queue
    private let progress: @Sendable (Int, Int?) -> Void

    init(
        _ target: FileDownloadTarget, _ threads: ThreadPool, _ time: ElapsedClock,
        _ progress: @escaping @Sendable (Int, Int?) -> Void
    ) {
        self.progress = progress
        queue = Queue(Progress(), on: threads, writesPerTurn: 64, didWrite: Self.unpause) { step, queue in
            do throws(FetchError) {
                switch step {
                case .begin(let total): try target.begin(expecting: total)
                case .bytes(let bytes): try target.write(bytes)
                }
            } catch {
                // The transport gets the failure with the next bytes.
                return queue.withLock { state in
                    state.policy.failure = error
                    state.removeQueued()
                }
            }
            let now = time.now()
            let report = queue.withLock { state in
                state.policy.note(step, at: now) ? (state.policy.written, state.policy.total) : nil
            }
            if let (written, total) = report { progress(written, total) }
        }
    }

    var failure: FetchError? { queue.withLock { $0.policy.failure } }

    func makeControl() -> FetchControl {
        let control = FetchControl(priority: .visible) { self.receive($0) }
        queue.withLock { $0.policy.control = control }
        return control
    }

    func receive(whole body: [UInt8]) {
        let length = HTTPHeaders.Field(name: "Content-Length", value: "\(body.count)")
        if receive(.started(status: 200, headers: HTTPHeaders([length]))) { _ = receive(.bytes(body)) }
    }

    /// Returns the number of bytes in the file when all are written.
    func finish() async throws(FetchError) -> Int {
        await queue.flush()
        let end = queue.withLock { state in
            state.policy.control = nil
            return state.policy
        }
        if let failure = end.failure { throw failure }
        progress(end.written, end.total)
        return end.written
    }

    /// Returns when no more will be written.
    func stop() async {
        queue.withLock { state in
            state.policy.isStopped = true
            state.policy.control = nil
            state.removeQueued()
        }
        await queue.flush()
    }

    /// Returns whether more of the body is wanted.
    private func receive(_ event: FetchControl.BodyEvent) -> Bool {
        queue.withLock { state in
            guard !state.policy.isOver else { return false }
            switch event {
            case .started(let status, let headers):
                state.policy.isAccepting = (200...299).contains(status)
                guard state.policy.isAccepting else { return true }
                state.put(.begin(total: headers.isContentEncoded ? nil : headers.contentLength))
            case .bytes(let bytes):
                guard state.policy.isAccepting else { return true }
                state.put(.bytes(bytes), byteCount: bytes.count)
                // Under the lock, so that the writing thread cannot unpause before.
                if state.byteCount >= Self.maxPending { state.policy.control?.isPaused = true }
            }
            return true
        }
    }

    private static func unpause(_ queue: Queue) {
        queue.withLock { state in
            let isOver = state.policy.isOver
            if isOver || state.byteCount <= maxPending / 2 { state.policy.control?.isPaused = false }
        }
    }
}

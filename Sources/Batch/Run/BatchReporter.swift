internal import SpyglassThreads

/// An event of a batch; observers get one at a time; a slow observer slows the batch down.
package enum BatchEvent: Sendable {
    case began(number: Int, id: String)
    /// Every item that began ends.
    case ended(ItemReport)
    /// The last event, also of an interrupted or failed run.
    case finished(BatchSummary)
}

final class BatchReporter: Sendable {
    private struct State {
        var summary = BatchSummary()
        var hasDropped = false
        var runError: BatchError?
    }

    private let observer: @Sendable (BatchEvent) -> Void
    /// Held while the observer is called: a queue would grow behind a report that is not read.
    private let state = Mutex(State())

    init(_ observer: @escaping @Sendable (BatchEvent) -> Void) { self.observer = observer }

    var hasDropped: Bool { state.withLock { $0.hasDropped } }
    /// Why no further item can be made.
    var runError: BatchError? { state.withLock { $0.runError } }
    func fail(_ error: BatchError) { state.withLock { $0.runError = $0.runError ?? error } }
    func noteDropped() { state.withLock { $0.hasDropped = true } }

    func begin(_ number: Int, _ id: String) {
        state.withLock { _ in observer(.began(number: number, id: id)) }
    }

    func end(_ result: ItemResult) {
        state.withLock { state in
            switch result.report.status {
            case .ok: state.summary.ok += 1
            case .skipped: state.summary.skipped += 1
            case .failed:
                state.summary.failed += 1
                if let kind = result.report.failure?.kind { state.summary.failures[kind, default: 0] += 1 }
            case .planned: state.summary.planned += 1
            case .cancelled: state.summary.cancelled += 1
            }
            state.summary.files += result.filesWritten
            state.summary.bytesWritten += result.bytesWritten
            if result.report.status == .cancelled { state.hasDropped = true }
            observer(.ended(result.report))
        }
    }

    /// `count` is the number of all items, if it is known; samples in no tar file count as left.
    func finish(
        isInterrupted: Bool, of count: Int?, leftOut: [String: Int], after duration: Duration, packed: TarPacker.Counts?
    ) -> BatchSummary {
        state.withLock { state in
            if let packed {
                state.summary.ok -= packed.unfinished
                (state.summary.files, state.summary.bytesWritten) = (packed.files, packed.bytes)
            }
            state.summary.isInterrupted = isInterrupted
            state.summary.leftOut = leftOut
            let ended = state.summary.total - state.summary.cancelled
            if isInterrupted { state.summary.left = count.map { max($0 - ended, 0) } }
            state.summary.duration = duration
            observer(.finished(state.summary))
            return state.summary
        }
    }
}

internal import SpyglassThreads

/// Counts what becomes of items, and tells of it.
final class BatchReporter: Sendable {
    private struct State {
        var summary = BatchSummary()
        var hasDropped = false
    }

    private let observer: @Sendable (BatchEvent) -> Void
    /// Held while the observer is called: events come one after the other, in the order in which they are counted.
    ///
    /// So a slow observer holds the workers up. It should: a queue between them would grow behind a report that nobody reads, and an item would
    /// make room for the next one before its line is written.
    private let state = Mutex(State())

    init(_ observer: @escaping @Sendable (BatchEvent) -> Void) { self.observer = observer }

    /// Whether an item that had begun was dropped.
    var hasDropped: Bool { state.withLock { $0.hasDropped } }

    /// An item was dropped before a thread was free for it.
    func noteDropped() { state.withLock { $0.hasDropped = true } }

    func begin(_ number: Int, _ id: String) {
        state.withLock { _ in observer(.began(number: number, id: id)) }
    }

    func end(_ result: ItemResult) {
        state.withLock { state in
            switch result.report.status {
            case .ok: state.summary.ok += 1
            case .skipped: state.summary.skipped += 1
            case .failed: state.summary.failed += 1
            case .planned: state.summary.planned += 1
            }
            state.summary.files += result.filesWritten
            state.summary.bytesWritten += result.bytesWritten
            if result.report.failure?.kind == .cancelled { state.hasDropped = true }
            observer(.ended(result.report))
        }
    }

    /// Tells the summary, and returns it.
    func finish(isInterrupted: Bool, after duration: Duration) -> BatchSummary {
        state.withLock { state in
            state.summary.isInterrupted = isInterrupted
            state.summary.duration = duration
            observer(.finished(state.summary))
            return state.summary
        }
    }
}

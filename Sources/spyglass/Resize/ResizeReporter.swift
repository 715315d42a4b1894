import SpyglassBatch
import SpyglassTerminalUI
import SpyglassThreads

/// Says what becomes of the items of a run as they end: report lines to a program; failures, warnings and progress to people.
///
/// Safe to use from any thread.
final class ResizeReporter: Sendable {
    private struct State {
        var progress: BatchProgress
        /// Failures that people were told of.
        var complaints = 0
        var summary: BatchSummary?
        var silence: (any Error)?
    }

    private let console: Console
    private let report: ReportWriter?
    private let statistics: Statistics
    /// Whether standard output is told what a dry run would make.
    private let printsPlan: Bool
    private let style: BatchProgress.Style
    private let stopwatch: Stopwatch
    private let state: Mutex<State>
    /// Called once nothing can be reported any more.
    private let onReportClosed: @Sendable () -> Void

    /// Failures that people are told of where nobody asked for more; the report has them all.
    private static let complaintLimit = 20

    init(
        _ console: Console, _ report: ReportWriter?, _ statistics: Statistics, count: Int?, printsPlan: Bool,
        style: BatchProgress.Style, clock: any Clock<Duration>, onReportClosed: @escaping @Sendable () -> Void
    ) {
        self.console = console
        self.report = report
        self.statistics = statistics
        self.printsPlan = printsPlan
        self.style = style
        self.onReportClosed = onReportClosed
        stopwatch = .started(on: clock)
        state = Mutex(State(progress: BatchProgress(style, total: count)))
    }

    /// How the run went, once it has ended.
    var summary: BatchSummary? { state.withLock { $0.summary } }

    /// Takes an event of the run; they come one at a time.
    func receive(_ event: BatchEvent) {
        switch event {
        case .began: break
        case .ended(let item): tell(item)
        case .finished(let summary):
            state.withLock { $0.summary = summary }
            write(summary.json())
        }
        guard let line = state.withLock({ $0.progress.update(event, at: stopwatch.elapsed()) }) else { return }
        if style == .bar { console.progress(line) } else { console.note(line) }
    }

    // MARK: Items

    private func tell(_ item: ItemReport) {
        write(item.json)
        if printsPlan { printPlan(item) }
        switch item.status {
        case .ok: statistics.decodedLocally()
        case .planned: break
        case .skipped: console.verbose("\(item.shownSource) is up to date")
        case .failed:
            guard item.failure?.kind != .cancelled else { return }
            statistics.failed()
            let reason = item.failure?.message ?? "it failed"
            // What a transfer says begins with the address itself, what refuses one quotes it, and a broken line may name none.
            let isNamed = reason.hasPrefix(item.shownSource) || reason.hasPrefix("'\(item.shownSource)'")
            error(isNamed ? reason : "\(item.shownSource): \(reason)")
        }
        for warning in item.warnings { console.verbose("\(item.shownSource): \(warning)") }
    }

    /// Says that an item failed, of the first few.
    private func error(_ message: String) {
        let count = state.withLock { state in
            state.complaints += 1
            return state.complaints
        }
        guard count > Self.complaintLimit, !console.isVerbose else { return console.error(message) }
        guard count == Self.complaintLimit + 1 else { return }
        console.note("more failed; --report FILE has them all, and --verbose says them here")
    }

    /// What would become of an item, a line a result.
    private func printPlan(_ item: ItemReport) {
        guard item.failure == nil else { return }
        let isDone = item.status == .skipped
        for output in item.outputs {
            let text = "\(item.shownSource) -> \(output.path)\(isDone ? " (up to date)" : "")"
            do {
                try console.print(TerminalBytes(line: TerminalText(cleaning: text), glyphs: console.glyphs))
            } catch {
                stop(error)
            }
        }
    }

    private func write(_ json: @autoclosure () -> String) {
        guard let report, !report.write(json()) else { return }
        if let error = report.error { stop(error) }
    }

    private func stop(_ error: any Error) {
        let isFirst = state.withLock { state in
            defer { if state.silence == nil { state.silence = error } }
            return state.silence == nil
        }
        if isFirst { onReportClosed() }
    }

    /// Why nothing can be reported any more, if so.
    var silence: (any Error)? { state.withLock { $0.silence } }
}

extension BatchSummary {
    /// How a run went, for people: `12 made, 3 up to date, 1 failed, in 1.5 s`.
    var text: String {
        var parts: [String] = []
        if planned > 0 { parts.append("\(Values.grouped(planned)) would be made") }
        if ok > 0 || total == 0 { parts.append("\(Values.grouped(ok)) made") }
        if skipped > 0 { parts.append("\(Values.grouped(skipped)) up to date") }
        if failed > 0 { parts.append("\(Values.grouped(failed)) failed") }
        let tenths = duration.milliseconds / 100
        return (isInterrupted ? "interrupted: " : "") + parts.joined(separator: ", ")
            + ", in \(tenths / 10).\(tenths % 10) s"
    }
}

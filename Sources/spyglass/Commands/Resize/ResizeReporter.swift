import SpyglassBatch
import SpyglassFetching
import SpyglassTerminalUI
import SpyglassThreads

/// Reports the items of a run as they end: report lines, failures, warnings and progress; safe to use from any thread.
final class ResizeReporter: Sendable {
    private struct State {
        var progress: BatchProgress
        var failures = 0
        var summary: BatchSummary?
        var reportError: (any Error)?
    }

    private let console: Console
    private let report: ReportWriter?
    private let statistics: Statistics
    /// Whether standard output lists the results of a dry run.
    private let printsPlan: Bool
    private let style: BatchProgress.Style
    private let stopwatch: ElapsedClock
    private let state: Mutex<State>
    private let onReportClosed: @Sendable () -> Void

    /// The maximum number of printed failures without --verbose.
    private static let maxPrintedFailures = 20

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
        stopwatch = ElapsedClock(clock)
        state = Mutex(State(progress: BatchProgress(style, total: count)))
    }

    var summary: BatchSummary? { state.withLock { $0.summary } }

    func receive(_ event: BatchEvent) {
        switch event {
        case .began: break
        case .ended(let item): report(item)
        case .finished(let summary):
            state.withLock { $0.summary = summary }
            write(summary.json())
        }
        let now = stopwatch.now()
        let (line, progress) = state.withLock { ($0.progress.update(event, at: now), $0.progress) }
        guard let line else { return }
        if style == .bar {
            console.progress(progress.lines(at: now), fraction: progress.fraction)
        } else {
            console.note(line)
        }
    }

    private func report(_ item: ItemReport) {
        write(item.json)
        if printsPlan { printPlan(item) }
        switch item.status {
        case .ok: statistics.decodedLocally()
        case .planned, .cancelled: break
        case .skipped: console.verbose("\(item.shownSource): up to date")
        case .failed:
            statistics.failed()
            let reason = item.failure?.message ?? "failed"
            // Messages of transfers start with the URL, those of invalid URLs quote it, and a broken line has no source.
            let isNamed = reason.hasPrefix(item.shownSource) || reason.hasPrefix("'\(item.shownSource)'")
            printFailure(isNamed ? reason : "\(item.shownSource): \(reason)")
        }
        for warning in item.warnings { console.verbose("\(item.shownSource): \(warning)") }
    }

    private func printFailure(_ message: String) {
        let count = state.withLock { state in
            state.failures += 1
            return state.failures
        }
        guard count > Self.maxPrintedFailures, !console.isVerbose else { return console.error(message) }
        guard count == Self.maxPrintedFailures + 1 else { return }
        console.note("more failures: see --report FILE or --verbose")
    }

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
            defer { if state.reportError == nil { state.reportError = error } }
            return state.reportError == nil
        }
        if isFirst { onReportClosed() }
    }

    var reportError: (any Error)? { state.withLock { $0.reportError } }
}

extension BatchSummary {
    /// A summary for the user: `12 made, 3 up to date, 1 failed, in 1.5 s; 2 left out: RAW`.
    var text: String {
        var parts: [String] = []
        if planned > 0 { parts.append("\(ValueText.grouped(planned)) would be made") }
        if ok > 0 || planned + skipped + failed == 0 { parts.append("\(ValueText.grouped(ok)) made") }
        if skipped > 0 { parts.append("\(ValueText.grouped(skipped)) up to date") }
        if failed > 0 { parts.append("\(ValueText.grouped(failed)) failed") }
        if let left { parts.append("\(ValueText.grouped(left)) left") }
        if left == nil, cancelled > 0 { parts.append("at least \(ValueText.grouped(cancelled)) left") }
        let tenths = duration.milliseconds / 100
        return (isInterrupted ? "interrupted: " : "") + parts.joined(separator: ", ")
            + ", in \(tenths / 10).\(tenths % 10) s" + leftOutText
    }

    /// `; 2 left out: RAW`, `; 5 left out: 3 RAW, 2 SVG`.
    private var leftOutText: String {
        guard !leftOut.isEmpty else { return "" }
        let kinds = leftOut.sorted { $0.key < $1.key }.map { kind, count in
            leftOut.count > 1 ? "\(ValueText.grouped(count)) \(kind)" : kind
        }
        return "; \(ValueText.grouped(leftOut.values.reduce(0, +))) left out: \(kinds.joined(separator: ", "))"
    }
}

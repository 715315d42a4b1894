import Glibc
import SpyglassBatch
import SpyglassFetching
import SpyglassFiles
import SpyglassJSON
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
    var reportError: (any Error)? { state.withLock { $0.reportError } }

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
        guard style == .bar else { return console.note(line) }
        console.progress(progress.lines(at: now), fraction: progress.fraction)
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
            // Messages of transfers start with the URL, those of invalid URLs quote it; a broken line has no source.
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
        if count == Self.maxPrintedFailures + 1 { console.note("more failures: see --report FILE or --verbose") }
    }

    private func printPlan(_ item: ItemReport) {
        guard item.failure == nil else { return }
        let isDone = item.status == .skipped
        for output in item.outputs {
            let text = "\(item.shownSource) -> \(output.path)\(isDone ? " (up to date)" : "")"
            let line = TerminalBytes(line: TerminalText(cleaning: text), glyphs: console.glyphs)
            do { try console.print(line) } catch { stop(error) }
        }
    }

    private func write(_ json: @autoclosure () -> String) {
        do { try report?.write(json()) } catch { stop(error) }
    }

    private func stop(_ error: any Error) {
        let isFirst = state.withLock { state in
            defer { state.reportError = state.reportError ?? error }
            return state.reportError == nil
        }
        if isFirst { onReportClosed() }
    }
}

extension BatchSummary {
    var text: String { (isInterrupted ? "interrupted: " : "") + counts }

    /// Whether the only item failed: its error line makes a summary needless.
    var isOneFailure: Bool { total == 1 && failed == 1 && leftOut.isEmpty }

    /// A summary for the user: `12 made, 3 up to date, 1 failed, in 1.5 s; 2 left out: RAW`.
    var counts: String {
        let counts = [
            (planned, planned > 0, "would be made"), (ok, ok > 0 || planned + skipped + failed == 0, "made"),
            (skipped, skipped > 0, "up to date"), (failed, failed > 0, "failed" + kindsText),
            (left ?? 0, left != nil, "left"),
        ]
        var parts = counts.filter(\.1).map { "\(ValueText.grouped($0)) \($2)" }
        if left == nil, cancelled > 0 { parts.append("at least \(ValueText.grouped(cancelled)) left") }
        let tenths = duration.milliseconds / 100
        return parts.joined(separator: ", ") + ", in \(tenths / 10).\(tenths % 10) s" + leftOutText
    }

    /// ` (2 not found, 1 damaged)`: the most frequent kinds first.
    private var kindsText: String {
        let kinds = failures.sorted { ($1.value, $0.key.words) < ($0.value, $1.key.words) }
            .map { "\(ValueText.grouped($0.value)) \($0.key.words)" }
        return kinds.isEmpty ? "" : " (\(kinds.joined(separator: ", ")))"
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

/// Writes a report line by line to standard output or a file.
///
/// A line is complete once `write` has returned, also if the process is killed. Safe to use from any thread.
final class ReportWriter: Sendable {
    private struct State {
        /// Whether an older report is still in the file.
        var isOld = false
        /// No line follows one that failed.
        var hasFailed = false
    }

    private let put: @Sendable (TerminalBytes) throws -> Void
    private let file: FileDescriptor?
    private let path: String
    /// Serialises lines.
    private let state: Mutex<State>

    init(_ console: Console) {
        put = { try console.print($0) }
        file = nil
        path = "-"
        state = Mutex(State())
    }

    /// A report in a file; its first line replaces an older report, never the manifest or the report of a run that goes on.
    init(path: String, apartFrom manifest: String?) throws(Failure) {
        let file = try Self.open(path, apartFrom: manifest)
        self.path = path
        let status = try? file.status
        state = Mutex(State(isOld: status?.isRegular == true && status?.byteCount ?? 0 > 0))
        let writer = StreamWriter(descriptor: file.number)
        put = { bytes in
            do throws(TerminalError) { try writer.write(bytes) } catch {
                // `outputClosed`: the reader of a named pipe has closed it.
                guard case .writeFailed(let number) = error else { throw error }
                throw Self.unusable(path, number)
            }
        }
        self.file = consume file
    }

    private static func open(_ path: String, apartFrom manifest: String?) throws(Failure) -> FileDescriptor {
        func refused(_ reason: String) -> Failure { .usage("cannot write report \(path): \(reason)") }
        do {
            // The system's links, such as /dev/stdout, lead to files that are open already.
            let isStream = ["/dev/std", "/dev/fd/", "/proc/self/fd/"].contains { path.hasPrefix($0) }
            // With read access to a pipe this process would be its own reader, and block when the other one is gone.
            // Without it this waits for a reader, as a shell's redirection does.
            if !isStream, (try? Folder.working.status(of: path, followingLinks: false).kind) == .pipe {
                return try Folder.working.open(path, [.write, .refusingLinks])
            }
            let file = try Folder.working.open(
                path, isStream ? [.readAndWrite, .create] : [.readAndWrite, .create, .refusingLinks])
            if try file.status.kind == .pipe { return try Folder.working.open(path, .write) }
            let isFree = file.lock() != .isHeldElsewhere
            let status = try file.status
            guard status.isRegular else { return file }
            let list = manifest == "-" ? "/dev/stdin" : manifest
            if let list, (try? Folder.working.status(of: list, followingLinks: true).identity) == status.identity {
                throw refused("it is the manifest; choose another name")
            }
            guard isFree else {
                throw Failure(
                    .unavailable, "another run is writing report \(path); wait for its end, or choose another name")
            }
            guard status.byteCount > 0 else { return file }
            guard let head = try? file.bytes(maxFirstLine), isReport(head) else {
                throw refused("file exists and is not a report; choose another name")
            }
            return file
        } catch let error as FileError {
            throw error.code == ELOOP
                ? refused("links are not followed; name the file itself") : unusable(path, error.code)
        } catch { throw error as? Failure ?? refused("\(error)") }
    }

    /// Bytes of a report's first line: a manifest's of 1 MiB, whose characters may each take six when they are escaped.
    private static let maxFirstLine = 8 << 20

    /// Whether the first line is from `ItemReport` or `BatchSummary`; a manifest has an id and a source, too.
    private static func isReport(_ head: [UInt8]) -> Bool {
        guard let line = head.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first,
            let value = try? JSONValue(parsing: Array(line)), case .object(let members) = value
        else { return false }
        if case .object(let counts)? = value["summary"] { return counts.first?.name == "ok" }
        return members.map(\.name).starts(with: ["id", "src", "status", "out"])
    }

    /// Writes one line, unless an earlier one failed.
    func write(_ json: String) throws {
        try state.withLock { state in
            guard !state.hasFailed else { return }
            state.hasFailed = true
            if state.isOld {
                do throws(FileError) { try file?.truncate(to: 0) } catch { throw Self.unusable(path, error.code) }
                state.isOld = false
            }
            try put(TerminalBytes(escaped: json + "\n"))
            state.hasFailed = false
        }
    }

    private static func unusable(_ path: String, _ number: Int32) -> Failure {
        Failure(.unavailable, "cannot write report \(path): \(FileError("write", code: number).reason)")
    }
}

import SpyglassBench
import SpyglassFetching
import SpyglassTerminalUI
import SpyglassThreads

/// `spyglass bench PART [FILE|FOLDER...]`: measures the parts of the program on this machine.
///
/// Starts no task where nothing is fetched: the thread that runs it does the work that is measured.
struct BenchCommand: Sendable {
    private let settings: Settings
    private let parts: [BenchPart]
    private let pictures: [Argument]
    private let system: SystemServices

    /// Checks what is asked for.
    ///
    /// - Throws: `Failure` of exit code 2.
    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        self.settings = settings
        self.system = system
        parts = try BenchParts(operands.first, hasAddresses: settings.bench.urls != nil).parts
        pictures = Array(operands.dropFirst())
        if let first = pictures.first, !parts.contains(where: \.acceptsImages) {
            throw .usage("bench \(operands[0].text) measures no pictures of your own, so not \(first.text)")
        }
    }

    /// The streams of this run.
    var console: Console { Console(system, settings, progressOn: settings.terminal(of: system)) }

    /// Whether a task is needed, since something is fetched.
    var needsNetwork: Bool { parts.contains(.fetch) }

    /// Measures everything, where nothing is fetched; blocks until it is done.
    func run(_ console: Console) throws -> ExitCode {
        let preparation = try prepare(console, fetching: nil)
        let interruption = system.interruption()
        return try finish(try measure(preparation, console, interruption), preparation, console, interruption)
    }

    /// Measures everything.
    func runFetching(_ console: Console) async throws -> ExitCode {
        let addresses = try addresses()
        let preparation = try prepare(console, fetching: addresses)
        let interruption = system.interruption()
        let outcome = try await ThreadPool(count: 1).run { _ in try measure(preparation, console, interruption) }
        guard !outcome.isStopped else { return try finish(outcome, preparation, console, interruption) }
        let work = Task { try await fetch(addresses, preparation, console, after: outcome) }
        if let interruption {
            Task {
                _ = await interruption.signal()
                work.cancel()
            }
        }
        return try finish(try await work.value, preparation, console, interruption)
    }

    // MARK: Before

    /// What is there before anything is measured.
    private struct Preparation: Sendable {
        let machine: Machine
        let conditions: RunConditions
        let baseline: Baseline?
        let file: SavedReportFile?
        let files: [SampleFile]?
        /// Whether a picture could not be read.
        let hasFailures: Bool
    }

    /// Reads and checks everything, so that nobody measures for nothing.
    private func prepare(_ console: Console, fetching addresses: [WebAddress]?) throws -> Preparation {
        if parts.count > 1, addresses == nil { console.note("fetch is left out: it needs addresses, --urls FILE") }
        if Self.isDebugBuild { console.error("this is a debug build: its figures say nothing of a release") }
        let saved = try settings.bench.against.map { try SavedReport(path: $0) }
        let file = try settings.bench.save.map { try SavedReportFile(path: $0) }
        var samples = BenchSamples(settings, console)
        let files = pictures.isEmpty ? nil : try samples.read(pictures)
        let machine = Machine.current()
        let conditions = RunConditions(
            isQuick: settings.bench.isQuick, isDebug: Self.isDebugBuild,
            hasImages: parts.contains(where: \.acceptsImages), files: files, scale: sampleScale, addresses: addresses,
            connections: connections)
        let baseline = try saved.map { try self.baseline($0, machine, conditions) }
        for warning in baseline?.warnings ?? [] { console.error("\(baselineName): \(warning)") }
        return Preparation(
            machine: machine, conditions: conditions, baseline: baseline, file: file, files: files,
            hasFailures: samples.hasFailures)
    }

    private func baseline(
        _ saved: SavedReport, _ machine: Machine, _ conditions: RunConditions
    ) throws(Failure) -> Baseline {
        do throws(BenchError) { return try Baseline(saved, for: machine, conditions) } catch {
            throw .usage("\(baselineName): \(error)")
        }
    }

    private func addresses() throws(Failure) -> [WebAddress] {
        let path = settings.bench.urls ?? ""
        let bytes: [UInt8]
        do throws(ReadError) {
            bytes = try FileReader.readAll(Argument(path), limit: settings.maxBytes)
        } catch {
            throw Failure(error, path)
        }
        do throws(BenchError) {
            return try FetchBench.addresses(in: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .usage("\(path): \(error)")
        }
    }

    // MARK: Measuring

    /// What was measured.
    private struct Outcome: Sendable {
        var report: BenchReport
        /// What is held against a saved run: suspects were taken a second time, and the better take of each is here.
        var judged: [Measurement] = []
        /// Whether a figure could not be taken, or something that it rests on.
        var hasFailures: Bool
        /// Whether a signal came before the end.
        var isStopped = false
    }

    /// Takes what needs no task, on the calling thread.
    private func measure(
        _ preparation: Preparation, _ console: Console, _ interruption: (any Interruption)?
    ) throws -> Outcome {
        let counters = Self.counters()
        var machine = preparation.machine
        machine.countersError = counters.failure?.description
        var outcome = Outcome(
            report: BenchReport(machine, preparation.conditions, []), hasFailures: preparation.hasFailures)
        let bench = Bench(parts, of: preparation.files, scratch: scratch, scale: sampleScale)
        if let baseline = preparation.baseline, !parts.contains(.fetch), !baseline.hasAny(of: bench.names) {
            throw Failure.usage("\(baselineName): it has no figure that this run has")
        }
        let sampler = Sampler(
            effort, now: ElapsedClock(system.clock).now, counters: try? counters.get(),
            isCancelled: { interruption?.received != nil })
        let count = bench.names.count
        var number = 0
        do {
            try bench.run(
                with: sampler,
                onStart: { name in
                    number += 1
                    console.progress("\(number) of \(count), \(name)")
                },
                onFailure: { name, error in
                    outcome.hasFailures = true
                    console.error("\(name): \(BenchSamples.reason(error, settings))")
                },
                onMeasurement: { outcome.report.results.append($0) })
            outcome.judged = outcome.report.results
            if let baseline = preparation.baseline {
                outcome.judged = try bench.remeasure(
                    outcome.judged, against: baseline, with: sampler,
                    onStart: { name in console.progress("\(name), again") })
            }
        } catch is CancellationError {
            outcome.judged = outcome.report.results
            outcome.isStopped = true
        }
        return outcome
    }

    /// Takes the figures of transfers.
    private func fetch(
        _ addresses: [WebAddress], _ preparation: Preparation, _ console: Console, after outcome: Outcome
    ) async throws -> Outcome {
        var outcome = outcome
        console.progress(BenchPart.fetch.rawValue)
        // As many to one host as there are tasks: else most of them would wait for each other.
        var settings = settings
        settings.connections = connections
        let bench = FetchBench(
            addresses, over: system.network(settings) { _ in }, connections: connections, bodyLimit: settings.maxBytes)
        let time = ElapsedClock(system.clock)
        do {
            var (figures, failure) = try await bench.measure(effort, now: time.now)
            outcome.report.results += figures
            if let baseline = preparation.baseline, figures.contains(where: baseline.needsRemeasuring) {
                let second = try await bench.measure(effort, now: time.now)
                figures = zip(figures, second.figures).map { baseline.better(of: $0, $1) }
                failure = failure ?? second.failure
            }
            outcome.judged += figures
            guard let failure else { return outcome }
            console.error(failure)
        } catch let error as BenchError {
            console.error("\(BenchPart.fetch.rawValue): \(error)")
        } catch is CancellationError {
            outcome.isStopped = true
        }
        outcome.hasFailures = true
        return outcome
    }

    // MARK: After

    /// Saves, prints and compares, in this order: what fails loses nothing but itself.
    ///
    /// Where no figure could be taken there is nothing to save, and a saved run of an earlier day stays as it is. After a signal what
    /// was taken is printed, and nothing saved; the process then ends by that signal.
    private func finish(
        _ outcome: Outcome, _ preparation: Preparation, _ console: Console, _ interruption: (any Interruption)?
    ) throws -> ExitCode {
        console.clearProgress()
        if outcome.isStopped {
            if !outcome.report.results.isEmpty, !settings.printsJSON {
                try? console.print(ReportTable.text(outcome.report))
            }
            console.error("interrupted: nothing is saved or compared")
            if let signal = interruption?.received { interruption?.terminate(bySignal: signal) }
            return .someFailed
        }
        guard !outcome.report.results.isEmpty else { return .someFailed }
        var code: ExitCode = outcome.hasFailures ? .someFailed : .success
        // First takes are saved: of better ones each run would have to be luckier than the last.
        do throws(Failure) { try preparation.file?.write(outcome.report.json()) } catch {
            console.error(error.message)
            code = error.code
        }
        var report = outcome.report
        report.results = outcome.judged
        let comparison = preparation.baseline.map { Comparison(report.results, against: $0) }
        let printing = Result {
            try console.print(
                settings.printsJSON
                    ? report.json(against: comparison) + "\n" : ReportTable.text(report, against: comparison))
        }
        if let verdict = comparison.flatMap({ say($0, console) }), code == .success { code = verdict }
        if code == .success { try printing.get() }
        if let failure = printing.failure.flatMap({ Failure($0) }) {
            console.error(failure.message)
            code = failure.code
        }
        return code
    }

    /// Says what a comparison found; the exit code that follows from it, if any does.
    private func say(_ comparison: Comparison, _ console: Console) -> ExitCode? {
        if comparison.lines.isEmpty {
            console.error("\(baselineName): it has no figure that this run has")
            return .usage
        }
        for (place, names) in [("this run", comparison.onlyHere), (baselineName, comparison.onlySaved)]
        where !names.isEmpty {
            console.note("only in \(place): \(names.joined(separator: ", "))")
        }
        for message in comparison.regressions.compactMap(\.message) { console.error(message) }
        return comparison.regressions.isEmpty ? nil : .someFailed
    }

    /// What messages call the saved run.
    private var baselineName: String { settings.bench.against ?? "" }

    /// How many addresses are fetched at once.
    private var connections: Int { settings.connections ?? FetchBench.defaultConnections }

    private var effort: Effort { settings.bench.isQuick ? .quick : .standard }

    /// Where files are made that are measured, and removed again.
    private var scratch: String {
        guard let folder = system.environment["TMPDIR"], !folder.isEmpty else { return "/tmp" }
        return folder
    }

    /// How large samples are: the usual ones take an unoptimised program minutes.
    private var sampleScale: Double { Self.isDebugBuild ? 0.1 : 1 }

    private static func counters() -> Result<Counters, BenchError> {
        do throws(BenchError) { return .success(try Counters()) } catch { return .failure(error) }
    }

    /// Whether this program was built without optimisation.
    static var isDebugBuild: Bool { _isDebugAssertConfiguration() }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

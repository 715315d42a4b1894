import SpyglassBench
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassThreads

/// `spyglass bench PART [FILE|FOLDER...]`: measures the parts of the program on this machine.
///
/// Starts no task unless something is fetched: the calling thread runs the benchmarks.
struct BenchCommand: Sendable {
    private let settings: Settings
    private let parts: [BenchPart]
    private let images: [Argument]
    /// The file of URLs that `fetch` reads.
    private let urls: String?
    private let system: SystemServices

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        self.settings = settings
        self.system = system
        parts = try BenchParts(operands.first).parts
        let files = Array(operands.dropFirst())
        guard parts != [.fetch] else {
            guard files.count == 1 else {
                throw .usage("bench fetch needs one file of URLs, one a line: spyglass bench fetch FILE")
            }
            (images, urls) = ([], files[0].text)
            return
        }
        (images, urls) = (files, nil)
        if let first = images.first, !parts.contains(where: \.acceptsImages) {
            throw .usage("bench \(operands[0].text) takes no images: \(first.text)")
        }
    }

    /// Whether anything is fetched, which needs a task.
    var needsNetwork: Bool { parts.contains(.fetch) }

    /// Measures everything, where nothing is fetched; blocks.
    func run(_ console: Console) throws -> ExitCode {
        let preparation = try prepare(console, fetching: nil)
        let interruption = system.interruption()
        return try finish(try measure(preparation, console, interruption), preparation, console, interruption)
    }

    func runFetching(_ console: Console) async throws -> ExitCode {
        let addresses = try addresses()
        let preparation = try prepare(console, fetching: addresses)
        let interruption = system.interruption()
        let work = Task { try await fetch(addresses, preparation, console) }
        if let interruption {
            Task {
                _ = await interruption.signal()
                work.cancel()
            }
        }
        return try finish(try await work.value, preparation, console, interruption)
    }

    // MARK: Preparation

    private struct Preparation: Sendable {
        let machine: Machine
        let conditions: RunConditions
        let baseline: Baseline?
        let files: [SampleFile]?
        let hasFailures: Bool
    }

    /// Reads and checks everything, so that errors end the run before it measures.
    private func prepare(_ console: Console, fetching addresses: [WebAddress]?) throws -> Preparation {
        if Self.isDebugBuild { console.error("debug build: results do not apply to release builds") }
        let saved = try settings.bench.baseline.map { try SavedReport(path: $0) }
        var samples = BenchSamples(settings, console)
        let files = images.isEmpty ? nil : try samples.read(images)
        let machine = Machine.current()
        let conditions = RunConditions(
            isQuick: settings.bench.isQuick, isDebug: Self.isDebugBuild,
            hasImages: parts.contains(where: \.acceptsImages), files: files, scale: sampleScale, addresses: addresses,
            connections: connections)
        let baseline = try saved.map { try self.baseline($0, machine, conditions) }
        for warning in baseline?.warnings ?? [] { console.error("\(baselineName): \(warning)") }
        return Preparation(
            machine: machine, conditions: conditions, baseline: baseline, files: files,
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
        let path = urls ?? ""
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Folder.working.read(path, limit: settings.limits.bodyBytes)
        } catch {
            throw Failure(error)
        }
        do throws(BenchError) {
            return try FetchBench.addresses(in: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .usage("\(path): \(error)")
        }
    }

    // MARK: Measuring

    private struct Outcome: Sendable {
        var report: BenchReport
        /// The results to compare with a baseline: of a suspected regression, the better of two measurements.
        var compared: [Measurement] = []
        var hasFailures: Bool
        var isStopped = false
    }

    /// Runs the benchmarks that need no task, on the calling thread.
    private func measure(
        _ preparation: Preparation, _ console: Console, _ interruption: (any Interruption)?
    ) throws -> Outcome {
        var machine = preparation.machine
        var counters: Counters?
        do throws(BenchError) { counters = try Counters() } catch { machine.countersError = error.description }
        var outcome = Outcome(
            report: BenchReport(machine, preparation.conditions, []), hasFailures: preparation.hasFailures)
        let bench = Bench(parts, of: preparation.files, scratch: settings.scratchFolder, scale: sampleScale)
        if let baseline = preparation.baseline, !baseline.hasAny(of: bench.names) {
            throw Failure.usage("\(baselineName): \(Self.nothingInCommon)")
        }
        let sampler = Sampler(
            effort, now: ElapsedClock(system.clock).now, counters: counters,
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
            outcome.compared = outcome.report.results
            if let baseline = preparation.baseline {
                outcome.compared = try bench.remeasure(
                    outcome.compared, against: baseline, with: sampler,
                    onStart: { name in console.progress("\(name), again") })
            }
        } catch is CancellationError {
            outcome.compared = outcome.report.results
            outcome.isStopped = true
        }
        return outcome
    }

    private func fetch(
        _ addresses: [WebAddress], _ preparation: Preparation, _ console: Console
    ) async throws -> Outcome {
        var outcome = Outcome(report: BenchReport(preparation.machine, preparation.conditions, []), hasFailures: false)
        console.progress(BenchPart.fetch.rawValue)
        // As many to one host as there are tasks, so that no task waits for another.
        let bench = FetchBench(
            addresses, over: system.network(settings, connections) { _ in }, connections: connections,
            bodyLimit: settings.limits.bodyBytes)
        let time = ElapsedClock(system.clock)
        do {
            var (measurements, failure) = try await bench.measure(effort, now: time.now, cpuTime: system.cpuTime)
            outcome.report.results += measurements
            if let baseline = preparation.baseline, measurements.contains(where: baseline.needsRemeasuring) {
                let second = try await bench.measure(effort, now: time.now, cpuTime: system.cpuTime)
                measurements = zip(measurements, second.results).map { baseline.better(of: $0, $1) }
                failure = failure ?? second.failure
            }
            outcome.compared += measurements
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

    // MARK: Results

    /// Prints and compares; a failing step does not prevent the other.
    ///
    /// After a signal it prints the results so far, except as JSON, and ends the process by that signal.
    private func finish(
        _ outcome: Outcome, _ preparation: Preparation, _ console: Console, _ interruption: (any Interruption)?
    ) throws -> ExitCode {
        console.clearProgress()
        if outcome.isStopped {
            if !outcome.report.results.isEmpty, !settings.printsJSON {
                try? console.print(ReportTable.text(outcome.report))
            }
            console.error("interrupted: nothing compared")
            if let signal = interruption?.received { interruption?.terminate(bySignal: signal) }
            return .someFailed
        }
        guard !outcome.report.results.isEmpty else { return .someFailed }
        var code: ExitCode = outcome.hasFailures ? .someFailed : .success
        var report = outcome.report
        report.results = outcome.compared
        let comparison = preparation.baseline.map { Comparison(report.results, against: $0) }
        var printingError: (any Error)?
        do {
            try console.print(
                settings.printsJSON
                    ? report.json(against: comparison) + "\n" : ReportTable.text(report, against: comparison))
        } catch {
            printingError = error
        }
        if let verdict = comparison.flatMap({ printFindings($0, console) }), code == .success { code = verdict }
        if let failure = printingError.flatMap({ Failure($0) }) {
            console.error(failure.message)
            code = failure.code
        }
        return code
    }

    /// Prints the findings of a comparison; returns the exit code that follows from them, if any.
    private func printFindings(_ comparison: Comparison, _ console: Console) -> ExitCode? {
        if comparison.lines.isEmpty {
            console.error("\(baselineName): \(Self.nothingInCommon)")
            return .usage
        }
        for (place, names) in [("this run", comparison.onlyHere), (baselineName, comparison.onlySaved)]
        where !names.isEmpty {
            console.note("only in \(place): \(names.joined(separator: ", "))")
        }
        for message in comparison.regressions.compactMap(\.message) { console.error(message) }
        return comparison.regressions.isEmpty ? nil : .someFailed
    }

    private static let nothingInCommon = "no benchmark in common with this run"

    private var baselineName: String { settings.bench.baseline ?? "" }

    private var connections: Int { settings.connections ?? FetchBench.defaultConnections }

    private var effort: Effort { settings.bench.isQuick ? .quick : .standard }

    /// The scale of samples; an unoptimised build would take minutes for full ones.
    private var sampleScale: Double { Self.isDebugBuild ? 0.1 : 1 }

    private static var isDebugBuild: Bool { _isDebugAssertConfiguration() }
}

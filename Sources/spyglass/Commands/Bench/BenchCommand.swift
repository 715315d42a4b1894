import SpyglassBatch
import SpyglassBench
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassThreads

/// `spyglass bench PART [FILE|FOLDER...]`: measures the program on this machine; only fetching needs a task.
struct BenchCommand: Sendable {
    private let settings: Settings
    private let parts: [BenchPart]
    /// Images, or the file of URLs that `fetch` reads.
    private let files: [Argument]
    private let system: SystemServices
    static let partNames = BenchPart.names + ["all"]

    init(_ settings: Settings, _ operands: [Argument], _ system: SystemServices) throws(Failure) {
        self.settings = settings
        self.system = system
        let name = try Command.bench.firstOperand(operands, "part", among: Self.partNames)
        // `all` needs no network.
        parts = BenchPart(rawValue: name).map { [$0] } ?? BenchPart.allCases.filter { $0 != .fetch }
        files = Array(operands.dropFirst())
        if needsNetwork, files.count != 1 {
            throw .usage("bench fetch needs one file of URLs, one a line: spyglass bench fetch FILE")
        }
        if let first = files.first, !needsNetwork, !parts.contains(where: \.acceptsImages) {
            throw .usage("bench \(name) takes no images: \(first.text)")
        }
    }

    /// Whether URLs are fetched, which needs a task.
    var needsNetwork: Bool { parts == [.fetch] }

    /// Runs the benchmarks that fetch nothing; blocks.
    func run(_ console: Console) throws -> ExitCode {
        let preparation = try prepare(console)
        return try finish(try measure(preparation, console), preparation, console)
    }

    func runFetching(_ console: Console) async throws -> ExitCode {
        let preparation = try prepare(console)
        let work = Task { try await fetch(preparation, console) }
        preparation.interruption?.onSignal { work.cancel() }
        return try finish(try await work.value, preparation, console)
    }

    private struct Preparation: Sendable {
        let machine: Machine
        let conditions: RunConditions
        let baseline: Baseline?
        let files: [SampleFile]?
        let addresses: [WebAddress]?
        let hasFailures: Bool
        let interruption: (any Interruption)?
    }

    /// Reads and checks everything, so that errors end the run before it measures.
    private func prepare(_ console: Console) throws -> Preparation {
        let addresses = needsNetwork ? try addresses() : nil
        if Self.isDebugBuild { console.error("debug build: results do not apply to release builds") }
        let saved = try settings.bench.baseline.map { try SavedReport(path: $0) }
        var samples = BenchSamples(settings, console)
        let files = needsNetwork || files.isEmpty ? nil : try samples.read(files)
        let machine = Machine.current()
        let conditions = RunConditions(
            isQuick: settings.bench.isQuick, isDebug: Self.isDebugBuild,
            hasImages: parts.contains(where: \.acceptsImages), files: files, scale: sampleScale, addresses: addresses,
            connections: connections)
        let baseline: Baseline?
        do { baseline = try saved.map { try Baseline($0, for: machine, conditions) } } catch {
            throw Failure.usage("\(baselineName): \(error)")
        }
        for warning in baseline?.warnings ?? [] { console.error("\(baselineName): \(warning)") }
        return Preparation(
            machine: machine, conditions: conditions, baseline: baseline, files: files, addresses: addresses,
            hasFailures: samples.hasFailures, interruption: system.interruption())
    }

    private func addresses() throws(Failure) -> [WebAddress] {
        let bytes = try contents(of: files[0], limit: settings.limits.bodyBytes)
        do throws(BenchError) { return try FetchBench.addresses(in: String(decoding: bytes, as: UTF8.self)) } catch {
            throw .usage("\(files[0].text): \(error)")
        }
    }

    private struct Outcome: Sendable {
        /// Has the better of two measurements for suspected regressions.
        var report: BenchReport
        var hasFailures: Bool
        var isStopped = false
    }

    /// Runs the benchmarks that need no task, on the calling thread.
    private func measure(_ preparation: Preparation, _ console: Console) throws -> Outcome {
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
            effort, now: ElapsedClock(system.clock).now, counts: { counters?.read() },
            isCancelled: { preparation.interruption?.received != nil })
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
            if let baseline = preparation.baseline {
                outcome.report.results = try bench.remeasure(
                    outcome.report.results, against: baseline, with: sampler,
                    onStart: { name in console.progress("\(name), again") })
            }
        } catch is CancellationError { outcome.isStopped = true }
        return outcome
    }

    private func fetch(_ preparation: Preparation, _ console: Console) async throws -> Outcome {
        var outcome = Outcome(report: BenchReport(preparation.machine, preparation.conditions, []), hasFailures: false)
        console.progress(BenchPart.fetch.rawValue)
        // One host may take all connections, so that no transfer waits for another.
        let bench = FetchBench(
            preparation.addresses ?? [], over: system.network(settings, connections) { _ in },
            connections: connections, bodyLimit: settings.limits.bodyBytes)
        let time = ElapsedClock(system.clock)
        do {
            var (measurements, failure) = try await bench.measure(effort, now: time.now, cpuTime: system.cpuTime)
            outcome.report.results = measurements
            if let baseline = preparation.baseline, measurements.contains(where: baseline.needsRemeasuring) {
                let second = try await bench.measure(effort, now: time.now, cpuTime: system.cpuTime)
                measurements = zip(measurements, second.results).map { baseline.better(of: $0, $1) }
                outcome.report.results = measurements
                failure = failure ?? second.failure
            }
            guard let failure else { return outcome }
            console.error(failure)
        } catch let error as BenchError {
            console.error("\(BenchPart.fetch.rawValue): \(error)")
        } catch is CancellationError { outcome.isStopped = true }
        outcome.hasFailures = true
        return outcome
    }

    /// Prints and compares the results; after a signal, prints those so far.
    private func finish(_ outcome: Outcome, _ preparation: Preparation, _ console: Console) throws -> ExitCode {
        console.clearProgress()
        if outcome.isStopped {
            if !outcome.report.results.isEmpty, !settings.printsJSON {
                try? console.print(ReportTable.text(outcome.report))
            }
            console.error("interrupted: nothing compared")
            preparation.interruption?.terminateIfReceived()
            return .someFailed
        }
        guard !outcome.report.results.isEmpty else { return .someFailed }
        var code: ExitCode = outcome.hasFailures ? .someFailed : .success
        let report = outcome.report
        let comparison = preparation.baseline.map { Comparison(report.results, against: $0) }
        var printingError: (any Error)?
        do {
            let table = ReportTable.text(report, against: comparison)
            try console.print(settings.printsJSON ? report.json(against: comparison) + "\n" : table)
        } catch { printingError = error }
        if let verdict = comparison.flatMap({ printFindings($0, console) }), code == .success { code = verdict }
        if let failure = printingError.flatMap({ Failure($0) }) {
            console.error(failure.message)
            code = failure.code
        }
        return code
    }

    /// Prints the findings of a comparison; returns their exit code, `nil` without a regression.
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
    private static var isDebugBuild: Bool { _isDebugAssertConfiguration() }
    private var baselineName: String { settings.bench.baseline ?? "" }
    private var connections: Int { settings.connections ?? FetchBench.defaultConnections }
    private var effort: Effort { settings.bench.isQuick ? .quick : .standard }
    /// The scale of samples; a debug build would take minutes for full ones.
    private var sampleScale: Double { Self.isDebugBuild ? 0.1 : 1 }
}

extension SavedReport {
    /// Maximum bytes of a saved report, which usually has 10 KB.
    private static let byteLimit = 4 << 20

    init(path: String) throws(Failure) {
        let bytes = try contents(of: path, limit: Self.byteLimit)
        do throws(BenchError) { try self.init(parsing: bytes) } catch { throw .usage("\(path): \(error)") }
    }
}

private func contents(of file: some FilePath, limit: Int) throws(Failure) -> [UInt8] {
    do { return try Folder.working.read(file, limit: limit) } catch {
        if error.cause == .tooLarge { throw .usage("cannot read \(error.path): too large") }
        throw Failure(.unavailable, "cannot read \(error.path): \(error.reason)")
    }
}

/// The images to measure.
struct BenchSamples {
    /// The maximum bytes of all images together, which stay in memory.
    static let byteLimit = 1 << 30

    private let settings: Settings
    private let console: Console
    private var files: [SampleFile] = []
    private var remainingBytes: Int

    private(set) var hasFailures = false

    init(_ settings: Settings, _ console: Console, byteLimit: Int = Self.byteLimit) {
        self.settings = settings
        self.console = console
        remainingBytes = byteLimit
    }

    /// Reads the images of files and folders; prints a line for each that fails.
    mutating func read(_ operands: [Argument]) throws -> [SampleFile] {
        for operand in operands {
            if let folder = try? Folder(opening: operand) { try walk(folder, operand) } else { try add(operand) }
        }
        guard !files.isEmpty else { throw Failure(.someFailed, "no image to measure") }
        return files
    }

    private mutating func walk(_ open: consuming Folder, _ folder: Argument) throws {
        var walk = FolderWalk(open, excluding: nil)
        while let found = walk.next() {
            switch found {
            case .file(let folders, let name, _): try add(Self.path(folder, folders + [name]))
            case .failed(let folders, let reason): reject(Self.path(folder, folders), reason)
            }
        }
    }

    private static func path(_ folder: Argument, _ names: [[UInt8]]) -> Argument {
        Argument(bytes: Array(([folder.bytes] + names).joined(separator: [UInt8(ascii: "/")])))
    }

    private mutating func add(_ name: Argument) throws {
        do {
            let bytes = try Folder.working.read(name, limit: min(settings.limits.bodyBytes, remainingBytes))
            files.append(try SampleFile(bytes, limits: settings.limits))
            remainingBytes -= bytes.count
        } catch {
            if remainingBytes < settings.limits.bodyBytes, (error as? FileError)?.cause == .tooLarge {
                throw Failure.usage("more than \(ValueText.bytes(Self.byteLimit)) of images; measure fewer")
            }
            reject(name, Self.reason(error, settings))
        }
    }

    static func reason(_ error: any Error, _ settings: Settings) -> String {
        switch error {
        case let error as CodecError: error.message(within: settings.limits)
        case let error as BenchError: error.description
        case let error as FileError: error.message(settings)
        default: "\(error)"
        }
    }

    private mutating func reject(_ name: Argument, _ reason: String) {
        hasFailures = true
        console.error("\(name.text): \(reason)")
    }
}

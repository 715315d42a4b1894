import SpyglassBench
import SpyglassFetching
import SpyglassTerminalUI

/// `spyglass bench PART [FILE|FOLDER...]`: measures the parts of the program on this machine.
///
/// Starts no task: the thread that runs it does the work that is measured.
struct BenchCommand: Sendable {
    private let settings: Settings
    private let parts: [BenchPart]
    private let pictures: [Argument]
    private let world: World

    /// Checks what is asked for.
    ///
    /// - Throws: `Failure` of exit code 2.
    init(_ settings: Settings, _ operands: [Argument], _ world: World) throws(Failure) {
        self.settings = settings
        self.world = world
        parts = try BenchParts(operands.first).parts
        pictures = Array(operands.dropFirst())
        if let first = pictures.first, !parts.contains(where: \.takesPictures) {
            throw .usage("bench \(operands[0].text) measures no pictures of your own, so not \(first.text)")
        }
    }

    /// The streams of this run.
    var console: Console { Console(world, settings, progressOn: settings.terminal(of: world)) }

    /// Measures everything; blocks until it is done.
    func run(_ console: Console) throws -> ExitCode {
        if Self.isDebugBuild { console.complain("this is a debug build: its figures say nothing of a release") }
        let saved = try settings.bench.against.map { try SavedRun(path: $0) }
        let file = try settings.bench.save.map { try SavedRunFile(path: $0) }
        var samples = BenchSamples(settings, console)
        let files = pictures.isEmpty ? nil : try samples.read(pictures)

        console.progress("making samples")
        let report = try measure(files, console)
        console.clearProgress()
        let comparison = saved.map { Comparison(report.results, against: $0) }
        try file?.write(report.json())
        try console.print(
            settings.printsJSON
                ? report.json(against: comparison) + "\n" : ReportTable.text(report, against: comparison))
        for line in comparison?.worse ?? [] { console.complain(line.sentence) }
        return samples.hasFailures || comparison?.worse.isEmpty == false ? .someFailed : .success
    }

    private func measure(_ files: [SampleFile]?, _ console: Console) throws -> BenchReport {
        let counters = Self.counters()
        let time = Timekeeper(world.clock)
        let sampler = Sampler(
            settings.bench.isQuick ? .quick : .usual, now: time.now, counters: try? counters.get())
        var report = BenchReport(.current(refusal: counters.failure), [])
        try Bench(parts, of: files, scratch: scratch, scale: sampleScale).run(
            with: sampler, onStart: { name in console.progress(name) },
            onFigure: { report.results.append($0) })
        return report
    }

    /// Where files are made that are measured, and removed again.
    private var scratch: String { world.environment["TMPDIR"] ?? "/tmp" }

    /// How large samples are: the usual ones take an unoptimised program minutes.
    private var sampleScale: Double { Self.isDebugBuild ? 0.1 : 1 }

    private static func counters() -> Result<Counters, Counters.Refusal> {
        do throws(Counters.Refusal) { return .success(try Counters()) } catch { return .failure(error) }
    }

    /// Whether this program was built without optimisation.
    static var isDebugBuild: Bool { _isDebugAssertConfiguration() }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

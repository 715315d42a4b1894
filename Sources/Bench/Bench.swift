/// A part of the program that is measured.
package enum BenchPart: String, Hashable, Sendable, CaseIterable {
    case decode, resize, cache, fetch, render, browse

    /// Whether it can measure the user's own images.
    package var acceptsImages: Bool { self == .decode || self == .resize }
}

/// Why something cannot be measured.
package struct BenchError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Measures parts of the program.
///
///     let bench = Bench([.decode, .resize], of: files)
///     try bench.run(with: sampler) { print($0.name, $0.value, $0.unit.rawValue) }
///
/// Calls compute and block.
package struct Bench {
    private let benchmarks: [Benchmark]

    /// The names of the benchmarks, in order.
    package var names: [String] { benchmarks.map(\.name) }

    /// The benchmarks of some parts. `fetch` has none here: it needs tasks, see `FetchBench`.
    ///
    /// - Parameters:
    ///   - parts: in the order in which they are measured.
    ///   - files: images to measure; `nil` for generated samples.
    ///   - scratch: a folder in which the disk cache that is measured gets a folder of its own.
    ///   - scale: the sides of samples as a share of their default; small ones are for tests.
    package init(
        _ parts: [BenchPart], of files: [SampleFile]? = nil, scratch: String = "/tmp", scale: Double = 1
    ) {
        self.init(
            parts.flatMap { part -> [Benchmark] in
                switch part {
                case .decode: DecodeBench(files, scale: scale).benchmarks
                case .resize: ResizeBench(files, scale: scale).benchmarks
                case .cache:
                    MemoryCacheBench().benchmarks + CacheTrace.benchmarks
                        + DiskCacheBench(scratch: scratch, scale: scale).benchmarks
                case .fetch: []
                case .render: RenderBench(scale: scale).benchmarks
                case .browse: BrowseBench(scale: scale).benchmarks
                }
            })
    }

    init(_ benchmarks: [Benchmark]) { self.benchmarks = benchmarks }

    /// Runs every benchmark.
    ///
    /// - Parameters:
    ///   - sampler: of the calling thread.
    ///   - onStart: called with each name before it is measured.
    ///   - onFailure: called when a benchmark fails; the others still run, unless it throws.
    ///   - onMeasurement: called with each measurement.
    /// - Throws: what the observers throw; `CancellationError`, as the sampler does.
    package func run(
        with sampler: Sampler, onStart: (String) throws -> Void = { _ in },
        onFailure: (_ name: String, _ error: any Error) throws -> Void = { _, error in throw error },
        onMeasurement: (Measurement) throws -> Void
    ) throws {
        for benchmark in benchmarks {
            try onStart(benchmark.name)
            let measurement: Measurement
            do { measurement = try benchmark.run(with: sampler) } catch let error as CancellationError {
                throw error
            } catch {
                try onFailure(benchmark.name, error)
                continue
            }
            try onMeasurement(measurement)
        }
    }

    /// Runs benchmarks that look like regressions a second time, and keeps the better measurement of each.
    ///
    /// By then, what slowed down a shared machine has often passed. A benchmark that fails the second time keeps its first measurement.
    ///
    /// - Throws: `CancellationError`, as the sampler does.
    package func remeasure(
        _ results: [Measurement], against baseline: Baseline, with sampler: Sampler,
        onStart: (String) -> Void = { _ in }
    ) throws(CancellationError) -> [Measurement] {
        try results.map { (result) throws(CancellationError) in
            guard baseline.needsRemeasuring(result), let benchmark = benchmarks.first(where: { $0.name == result.name })
            else { return result }
            onStart(result.name)
            do {
                return baseline.better(of: result, try benchmark.run(with: sampler))
            } catch let error as CancellationError {
                throw error
            } catch {
                return result
            }
        }
    }
}

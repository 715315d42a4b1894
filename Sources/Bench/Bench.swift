package enum BenchPart: String, Hashable, Sendable, CaseIterable {
    case decode, resize, cache, fetch, render, browse

    /// True for a part that can measure the user's own images.
    package var acceptsImages: Bool { self == .decode || self == .resize }
}

package struct BenchError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Measures parts of the program; calls compute and block.
package struct Bench {
    private let benchmarks: [Benchmark]

    package var names: [String] { benchmarks.map(\.name) }

    /// The benchmarks of some parts, except `fetch` (`FetchBench`).
    package init(_ parts: [BenchPart], of files: [SampleFile]? = nil, scratch: String = "/tmp", scale: Double = 1) {
        self.init(
            parts.flatMap { part -> [Benchmark] in
                switch part {
                case .decode: DecodeBench(files, scale: scale).benchmarks
                case .resize: ResizeBench(files, scale: scale).benchmarks
                case .cache:
                    MemoryCacheBench().benchmarks + DiskCacheBench(scratch: scratch, scale: scale).benchmarks
                case .fetch: []
                case .render: RenderBench(scale: scale).benchmarks
                case .browse:
                    BrowseBench(scale: scale).benchmarks + ZoomBench(scratch: scratch, scale: scale).benchmarks
                }
            })
    }

    init(_ benchmarks: [Benchmark]) { self.benchmarks = benchmarks }

    package func run(
        with sampler: Sampler, onStart: (String) throws -> Void = { _ in },
        onFailure: (_ name: String, _ error: any Error) throws -> Void = { _, error in throw error },
        onMeasurement: (Measurement) throws -> Void
    ) throws {
        for benchmark in benchmarks {
            try onStart(benchmark.name)
            let result = Result { try benchmark.run(sampler) }
            switch result {
            case .success(let measurement): try onMeasurement(measurement)
            case .failure(let error as CancellationError): throw error
            case .failure(let error): try onFailure(benchmark.name, error)
            }
        }
    }

    /// Measures suspected regressions again; the better measurement counts.
    package func remeasure(
        _ results: [Measurement], against baseline: Baseline, with sampler: Sampler,
        onStart: (String) -> Void = { _ in }
    ) throws(CancellationError) -> [Measurement] {
        try results.map { (result) throws(CancellationError) in
            guard baseline.needsRemeasuring(result), let benchmark = benchmarks.first(where: { $0.name == result.name })
            else { return result }
            onStart(result.name)
            switch Result(catching: { try benchmark.run(sampler) }) {
            case .success(let second): return baseline.better(of: result, second)
            case .failure(let error as CancellationError): throw error
            case .failure: return result
            }
        }
    }
}

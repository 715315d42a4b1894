/// Measures parts of the program.
///
///     let bench = Bench([.decode, .resize], of: files)
///     try bench.run(with: sampler) { print($0.name, $0.value, $0.unit.rawValue) }
///
/// Calls compute and block.
package struct Bench {
    private let figures: [Benchmark]

    /// The figures that would be taken.
    package var names: [String] { figures.map(\.name) }

    /// The figures of some parts.
    ///
    /// - Parameters:
    ///   - parts: in the order in which they are measured.
    ///   - files: pictures to measure; `nil` for pictures of our own making.
    ///   - scratch: a folder in which the disk cache that is measured gets a folder of its own.
    ///   - scale: how large pictures of our own are, as a share of their usual sides; small ones are for tests.
    package init(
        _ parts: [BenchPart], of files: [SampleFile]? = nil, scratch: String = "/tmp", scale: Double = 1
    ) {
        var figures: [Benchmark] = []
        for part in parts {
            switch part {
            case .decode: figures += DecodeBench(files, scale: scale).benchmarks
            case .resize: figures += ResizeBench(files, scale: scale).benchmarks
            case .cache: figures += CacheBench(scratch: scratch, scale: scale).benchmarks
            case .fetch: break  // needs tasks: `FetchBench`
            case .render: figures += RenderBench(scale: scale).benchmarks
            case .browse: figures += BrowseBench(scale: scale).benchmarks
            }
        }
        self.init(figures)
    }

    /// Figures that are given.
    init(_ figures: [Benchmark]) { self.figures = figures }

    /// Takes every figure, telling before each what is measured, and each as it is there.
    ///
    /// - Parameters:
    ///   - sampler: of the calling thread.
    ///   - onStart: told the name.
    ///   - onFailure: told the name and why the figure could not be taken; the others are taken all the same, unless it throws.
    ///   - onMeasurement: told the figure.
    /// - Throws: what the observers throw; `CancellationError`, as the sampler does.
    package func run(
        with sampler: Sampler, onStart: (String) throws -> Void = { _ in },
        onFailure: (_ name: String, _ error: any Error) throws -> Void = { _, error in throw error },
        onMeasurement: (Measurement) throws -> Void
    ) throws {
        for figure in figures {
            try onStart(figure.name)
            let measurement: Measurement
            do { measurement = try figure.run(with: sampler) } catch let error as CancellationError {
                throw error
            } catch {
                try onFailure(figure.name, error)
                continue
            }
            try onMeasurement(measurement)
        }
    }

    /// Takes those of some figures a second time that look worse than a saved run, and keeps the better take of each.
    ///
    /// What slowed down a machine that others use, too, has often passed by then. A figure that cannot be taken again stays as it is.
    ///
    /// - Throws: `CancellationError`, as the sampler does.
    package func remeasure(
        _ results: [Measurement], against baseline: Baseline, with sampler: Sampler,
        onStart: (String) -> Void = { _ in }
    ) throws(CancellationError) -> [Measurement] {
        try results.map { (result) throws(CancellationError) in
            guard baseline.needsRemeasuring(result), let figure = figures.first(where: { $0.name == result.name })
            else {
                return result
            }
            onStart(result.name)
            do { return baseline.better(of: result, try figure.run(with: sampler)) } catch let error
                as CancellationError
            {
                throw error
            } catch {
                return result
            }
        }
    }
}

/// Why something cannot be measured.
package struct BenchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence without its end.
    package let description: String

    init(_ description: String) { self.description = description }
}

internal import SpyglassCBench

/// A named measurement that can be run; it makes what it needs, and releases it afterwards.
struct Benchmark {
    let name: String
    let run: (Sampler) throws -> Measurement

    /// A benchmark of how long a workload takes, compared with a reference's if there is one.
    static func timed(
        _ name: String, _ unit: Unit, reference: String? = nil, _ make: @escaping () throws -> (Workload, Workload?)
    ) -> Benchmark {
        Benchmark(name: name) { sampler in
            let (workload, other) = try make()
            let pair = reference.flatMap { name in other.map { (name: name, workload: $0) } }
            return try sampler.measure(name, unit, workload, reference: pair)
        }
    }

    /// A benchmark that is counted and not timed, with the same result every time.
    static func counted(
        _ name: String, _ unit: Unit, _ count: @escaping () throws -> (value: Double, reference: (String, Double)?)
    ) -> Benchmark {
        Benchmark(name: name) { _ in
            let (value, reference) = try count()
            var measurement = Measurement(name, value, unit)
            measurement.reference = reference?.0
            measurement.ratio = reference.map { unit.cost(of: $0.1, relativeTo: value) }
            return measurement
        }
    }
}

/// Work that can be repeated, always the same.
struct Workload {
    /// Pixels, bytes, images or the like of one repetition.
    let amount: Double
    let run: (_ times: Int) throws -> Void
    /// Runs before each repetition without being measured; a sample is then one repetition.
    private(set) var prepare: (() throws -> Void)?

    init(of amount: some BinaryInteger, _ once: @escaping () throws -> Void) {
        self.init(of: amount, times: { for _ in 0..<$0 { try once() } })
    }

    init(
        of amount: some BinaryInteger, preparing prepare: @escaping () throws -> Void,
        _ once: @escaping () throws -> Void
    ) {
        self.init(of: amount, once)
        self.prepare = prepare
    }

    /// Work so short that it repeats itself.
    init(of amount: some BinaryInteger, times run: @escaping (_ times: Int) throws -> Void) {
        self.amount = Double(amount)
        self.run = run
    }
}

/// Keeps the optimizer from removing the computation of an unused value.
@inline(__always)
func blackHole<Value>(_ value: Value) {
    withUnsafePointer(to: value) { sg_bench_black_hole($0) }
}

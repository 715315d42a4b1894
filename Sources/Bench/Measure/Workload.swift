internal import SpyglassCBench

/// Something that can be done again and again, always the same.
struct Workload {
    /// Pixels, bytes, images and the like that are done once through.
    let amount: Double
    /// Does it so many times.
    let run: (_ times: Int) throws -> Void
    /// What comes before each time and is not measured; where there is any, a sample is one time.
    private(set) var prepare: (() throws -> Void)?

    /// Work of a size, done once a call.
    init(of amount: some BinaryInteger, _ once: @escaping () throws -> Void) {
        self.init(of: amount, times: { for _ in 0..<$0 { try once() } })
    }

    /// Work of a size that needs something done before each time.
    init(
        of amount: some BinaryInteger, preparing prepare: @escaping () throws -> Void,
        _ once: @escaping () throws -> Void
    ) {
        self.init(of: amount, once)
        self.prepare = prepare
    }

    /// Work that is so short that it counts by itself how often it is done.
    init(of amount: some BinaryInteger, times run: @escaping (_ times: Int) throws -> Void) {
        self.amount = Double(amount)
        self.run = run
    }
}

/// Keeps the optimiser from leaving out what nobody looks at.
@inline(__always)
func blackHole<Value>(_ value: Value) {
    withUnsafePointer(to: value) { sg_bench_black_hole($0) }
}

/// The memory cache beside others of its kind, and the disk cache.
struct CacheBench {
    let benchmarks: [Benchmark]

    /// - Parameters:
    ///   - scratch: a folder in which the disk cache gets one of its own, for as long as it is measured.
    ///   - scale: how much is put into the disk cache, as a share of the usual.
    init(scratch: String, scale: Double) {
        benchmarks =
            MemoryCacheBench().benchmarks + CacheTrace.benchmarks
            + DiskCacheBench(scratch: scratch, scale: scale).benchmarks
    }
}

/// The memory cache beside others of its kind, and the disk cache.
struct CacheBench {
    let figures: [Benchmark]

    /// - Parameters:
    ///   - scratch: a folder in which the disk cache gets one of its own, for as long as it is measured.
    ///   - scale: how much is put into the disk cache, as a share of the usual.
    init(scratch: String, scale: Double) {
        figures =
            MemoryCacheBench().figures + CacheTrace.figures
            + DiskCacheBench(scratch: scratch, scale: scale).figures
    }
}

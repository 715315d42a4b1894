internal import SpyglassCaching

/// The disk cache: storing new entries, and reading entries that are (`warm`) and are not (`cold`) in the page cache.
///
/// Names and inodes stay in memory. A file system in memory (tmpfs) has no cold reads.
struct DiskCacheBench {
    private let scratch: String
    private let isInMemory: Bool
    private let entryCount: Int

    private static let bodyBytes = 40_000
    private static let defaultCount = 128
    /// Far above what is stored.
    private static let byteLimit = 1 << 30

    init(scratch: String, scale: Double, isInMemory: Bool? = nil) {
        self.scratch = scratch
        self.isInMemory = isInMemory ?? ScratchFolder.isInMemory(scratch)
        entryCount = max(Int(Double(Self.defaultCount) * scale), 1)
    }

    var benchmarks: [Benchmark] {
        let cold = Benchmark.timed("cache.disk.get.cold", .hitsPerSecond) {
            let cache = try FilledCache(in: scratch, entryCount)
            return (
                Workload(of: entryCount, preparing: { try cache.folder.forgetContents() }) { try cache.findAll() }, nil
            )
        }
        return [
            .timed("cache.disk.put", .operationsPerSecond) {
                let cache = try FilledCache(in: scratch, entryCount)
                return (Workload(of: entryCount, preparing: { cache.removeAll() }) { try cache.storeAll() }, nil)
            },
            .timed("cache.disk.get.warm", .hitsPerSecond) {
                let cache = try FilledCache(in: scratch, entryCount)
                return (Workload(of: entryCount) { try cache.findAll() }, nil)
            },
        ] + (isInMemory ? [] : [cold])
    }

    struct FilledCache {
        let folder: ScratchFolder
        private let cache: DiskCache
        private let keys: [String]
        private let entry = CacheEntry(metadata: [], body: [UInt8](repeating: 1, count: bodyBytes))

        init(in scratch: String, _ count: Int) throws(BenchError) {
            folder = try ScratchFolder(in: scratch)
            cache = DiskCache(folder: "\(folder.path)/cache", byteLimit: byteLimit)
            keys = (0..<count).map { "https://images-assets.nasa.gov/image/PIA\($0)~thumb.jpg" }
            try storeAll()
        }

        func storeAll() throws(BenchError) {
            for key in keys where !cache.store(entry, for: key) {
                throw BenchError("cannot fill the disk cache in \(folder.path)")
            }
        }

        /// Keeps the folders, as in a cache in use.
        func removeAll() {
            for key in keys { cache.remove(key) }
        }

        func findAll() throws(BenchError) {
            for key in keys {
                guard let entry = cache.entry(for: key), entry.body.count == bodyBytes else {
                    throw BenchError("the disk cache lost an entry in \(folder.path)")
                }
                blackHole(entry)
            }
        }
    }
}

internal import SpyglassCaching

/// The disk cache: storing what is not there yet, and reading what the system's own cache of files has and has not.
///
/// Cold are the contents (`get.cold`): they are read from the disk, or from what caches below the file system hold. Names and inodes
/// are found in memory, as they are soon after a first look. On a file system in memory (tmpfs) nothing can be read cold, and
/// there is no figure of that.
struct DiskCacheBench {
    private let scratch: String
    private let isInMemory: Bool
    private let entryCount: Int

    /// Bytes of an entry, those of a preview.
    private static let bodyBytes = 40_000
    private static let entries = 128
    /// Far above what is stored.
    private static let byteLimit = 1 << 30

    /// - Parameters:
    ///   - scratch: a folder in which each figure has one of its own while it is taken.
    ///   - scale: how many entries, as a share of the usual.
    ///   - isInMemory: whether its files are on no disk; asked of the system unless given.
    init(scratch: String, scale: Double, isInMemory: Bool? = nil) {
        self.scratch = scratch
        self.isInMemory = isInMemory ?? ScratchFolder.isInMemory(scratch)
        entryCount = max(Int(Double(Self.entries) * scale), 1)
    }

    var benchmarks: [Benchmark] {
        let cold = Benchmark.timed("cache.disk.get.cold", .hitsPerSecond) {
            let shelf = try Shelf(in: scratch, entryCount)
            return (
                Workload(of: entryCount, preparing: { try shelf.folder.forgetContents() }) { try shelf.findAll() }, nil
            )
        }
        return [
            .timed("cache.disk.put", .operationsPerSecond) {
                let shelf = try Shelf(in: scratch, entryCount)
                return (Workload(of: entryCount, preparing: { shelf.removeAll() }) { try shelf.storeAll() }, nil)
            },
            .timed("cache.disk.get.warm", .hitsPerSecond) {
                let shelf = try Shelf(in: scratch, entryCount)
                return (Workload(of: entryCount) { try shelf.findAll() }, nil)
            },
        ] + (isInMemory ? [] : [cold])
    }

    /// A cache that is full of entries, in a folder of its own.
    struct Shelf {
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
            for key in keys {
                guard cache.store(entry, for: key) else {
                    throw BenchError("the disk cache cannot be filled in \(folder.path)")
                }
            }
        }

        /// Leaves the folders, as they are in a cache that is in use.
        func removeAll() {
            for key in keys { cache.remove(key) }
        }

        func findAll() throws(BenchError) {
            for key in keys {
                guard let entry = cache.entry(for: key), entry.body.count == bodyBytes else {
                    throw BenchError("the disk cache has lost an entry in \(folder.path)")
                }
                blackHole(entry)
            }
        }
    }
}

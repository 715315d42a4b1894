internal import SpyglassCaching
internal import SpyglassFiles

/// The disk cache: storing new entries, and reading entries that are in the page cache.
struct DiskCacheBench {
    private let scratch: String
    private let entryCount: Int

    private static let bodyBytes = 40_000
    private static let defaultCount = 128
    /// Far above what is stored.
    private static let byteLimit = 1 << 30

    init(scratch: String, scale: Double) {
        self.scratch = scratch
        entryCount = max(Int(Double(Self.defaultCount) * scale), 1)
    }

    var benchmarks: [Benchmark] {
        [
            .timed("cache.disk.put", .operationsPerSecond) {
                let cache = try FilledCache(in: scratch, entryCount)
                return (Workload(of: entryCount, preparing: { cache.removeAll() }) { try cache.storeAll() }, nil)
            },
            .timed("cache.disk.get.warm", .hitsPerSecond) {
                let cache = try FilledCache(in: scratch, entryCount)
                return (Workload(of: entryCount) { try cache.findAll() }, nil)
            },
        ]
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
        func removeAll() { for key in keys { cache.remove(key) } }

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

/// A new folder for files that are measured, removed with its contents at the end.
final class ScratchFolder {
    let path: String

    /// Throws an error that names the folder.
    init(in parent: String) throws(BenchError) {
        path = "\(parent)/spyglass-bench-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        do throws(FileError) { try Folder.working.createFolder(path, permissions: 0o700) } catch {
            throw BenchError("cannot create a folder in \(parent): \(error.reason)")
        }
    }

    deinit {
        (try? Folder(opening: path))?.removeContents()
        try? Folder.working.removeFolder(path)
    }
}

internal import Glibc
internal import SpyglassCaching

/// The disk cache: storing, and reading what the system's own cache of files has and has not.
///
/// On a file system in memory cold is as warm.
struct DiskCacheBench {
    let scratch: String
    let entryCount: Int

    /// Bytes of an entry, those of a preview.
    private static let bodyBytes = 40_000
    private static let entries = 128
    /// Far above what is stored.
    private static let byteLimit = 1 << 30

    init(scratch: String, scale: Double) {
        self.scratch = scratch
        entryCount = max(Int(Double(Self.entries) * scale), 1)
    }

    var figures: [Figure] {
        [
            .timed("cache.disk.put", .operationsPerSecond) {
                let (folder, cache, keys) = try filled()
                return (Work(of: keys.count) { try store(keys, in: cache, folder) }, nil)
            },
            .timed("cache.disk.get.warm", .hitsPerSecond) {
                let (folder, cache, keys) = try filled()
                return (Work(of: keys.count) { try find(keys, in: cache, folder) }, nil)
            },
            .timed("cache.disk.get.cold", .hitsPerSecond) {
                let (folder, cache, keys) = try filled()
                return (
                    Work(of: keys.count, preparing: { folder.forgetContents() }) { try find(keys, in: cache, folder) },
                    nil
                )
            },
        ]
    }

    private func filled() throws -> (ScratchFolder, DiskCache, [String]) {
        let folder = try ScratchFolder(in: scratch)
        let cache = DiskCache(folder: "\(folder.path)/cache", byteLimit: Self.byteLimit)
        let keys = (0..<entryCount).map { "https://images-assets.nasa.gov/image/PIA\($0)~thumb.jpg" }
        try store(keys, in: cache, folder)
        return (folder, cache, keys)
    }

    private func store(_ keys: [String], in cache: DiskCache, _ folder: ScratchFolder) throws {
        for (number, key) in keys.enumerated() {
            let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Self.bodyBytes)
            guard cache.store(CacheEntry(metadata: [], body: body), for: key) else {
                throw BenchError("the disk cache cannot be filled in \(folder.path)")
            }
        }
    }

    private func find(_ keys: [String], in cache: DiskCache, _ folder: ScratchFolder) throws {
        for key in keys {
            guard let entry = cache.entry(for: key), entry.body.count == Self.bodyBytes else {
                throw BenchError("the disk cache has lost an entry in \(folder.path)")
            }
            keep(entry)
        }
    }
}

/// A folder that goes with everything in it when nobody needs it any more.
final class ScratchFolder {
    let path: String

    /// - Throws: `BenchError` with the system's words.
    init(in parent: String) throws(BenchError) {
        var template = Array("\(parent)/spyglass-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchError("no folder can be made in \(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.visit(path) { path, isFolder in if isFolder { rmdir(path) } else { unlink(path) } }
    }

    /// Has the system forget what it keeps of the files in memory (`POSIX_FADV_DONTNEED`), once it is on the disk.
    func forgetContents() {
        Self.visit(path) { path, isFolder in
            guard !isFolder else { return }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { return }
            fdatasync(descriptor)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            close(descriptor)
        }
    }

    /// Visits all that is in a folder, and then itself.
    private static func visit(_ path: String, _ body: (_ path: String, _ isFolder: Bool) -> Void) {
        if let stream = opendir(path) {
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard name != ".", name != ".." else { continue }
                if Int(entry.pointee.d_type) == Int(DT_DIR) {
                    visit("\(path)/\(name)", body)
                } else {
                    body("\(path)/\(name)", false)
                }
            }
            closedir(stream)
        }
        body(path, true)
    }
}

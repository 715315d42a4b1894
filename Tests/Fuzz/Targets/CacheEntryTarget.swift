import Glibc
import SpyglassCaching

/// Any content of a disk cache entry: the stored value, or a miss.
///
/// All inputs share one file, so one at a time.
struct CacheEntryTarget {
    static let shared = CacheEntryTarget()

    private static let key = "https://example.org/moon"

    private let folder: String
    private let cache: DiskCache
    private let path: String
    private let good: [UInt8]

    private init() {
        // In memory if possible, since every input is written to a file.
        folder = "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/spyglass-fuzz-\(getpid())"
        cache = DiskCache(folder: folder, byteLimit: 1 << 24)
        // FNV-1a of the key, which names its file.
        let hash = Self.key.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        let name = String(repeating: "0", count: hash.leadingZeroBitCount / 4) + String(hash, radix: 16)
        path = "\(folder)/\(name.prefix(2))/\(name)"
        let entry = CacheEntry(metadata: Array("ETag: 7".utf8), body: Array("a byte a pixel".utf8))
        precondition(cache.store(entry, for: Self.key))
        good = Self.contents(of: path)
        precondition(cache.entry(for: Self.key) != nil && !good.isEmpty)
        atexit {
            let (folder, path) = (CacheEntryTarget.shared.folder, CacheEntryTarget.shared.path)
            unlink(path)
            rmdir(String(path.prefix(folder.utf8.count + 3)))
            for name in ["count", "sweeping", "CACHEDIR.TAG"] { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
    }

    func run(_ input: [UInt8]) {
        expectRightOrNothing(input)
        // Checksums are hard to guess, so inputs change positions and bytes of a valid entry.
        var changed = good
        for edit in stride(from: 0, to: input.count - 1, by: 2) {
            changed[Int(input[edit]) % changed.count] = input[edit + 1]
        }
        expectRightOrNothing(changed)
    }

    private func expectRightOrNothing(_ bytes: [UInt8]) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(file >= 0 && write(file, bytes, bytes.count) == bytes.count)
        close(file)
        let entry = cache.entry(for: Self.key)
        if bytes == good { precondition(entry != nil) }
        guard let entry else { return }
        // A fuzzer that forges checksums makes valid entries, which are returned unchanged.
        precondition(bytes.suffix(entry.metadata.count + entry.body.count).elementsEqual(entry.metadata + entry.body))
    }

    private static func contents(of path: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let count = read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
}

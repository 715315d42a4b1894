import Fuzzing
import Glibc
import SpyglassCaching

// Any content of a disk cache entry: the stored value, or a miss.

let key = "https://example.org/moon"
// In memory if possible, since every input is written to a file.
let folder = "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/spyglass-fuzz-\(getpid())"
let cache = DiskCache(folder: folder, byteLimit: 1 << 24)
/// FNV-1a of the key, which names its file.
let hash = key.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
let name = String(repeating: "0", count: hash.leadingZeroBitCount / 4) + String(hash, radix: 16)
let subfolder = "\(folder)/\(name.prefix(2))"
let path = "\(subfolder)/\(name)"

precondition(
    cache.store(CacheEntry(metadata: Array("ETag: 7".utf8), body: Array("a byte a pixel".utf8)), for: key))
let good = contents()
precondition(cache.entry(for: key) != nil && !good.isEmpty)

atexit {
    unlink(path)
    rmdir(subfolder)
    for name in ["count", "sweeping", "CACHEDIR.TAG"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
}

fuzz { data, size in
    let input = [UInt8](UnsafeBufferPointer(start: data, count: size))
    expectRightOrNothing(input)
    // Checksums are hard to guess, so inputs change positions and bytes of a valid entry.
    var changed = good
    for edit in stride(from: 0, to: input.count - 1, by: 2) {
        changed[Int(input[edit]) % changed.count] = input[edit + 1]
    }
    expectRightOrNothing(changed)
    return 0
}

func expectRightOrNothing(_ bytes: [UInt8]) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(file >= 0 && write(file, bytes, bytes.count) == bytes.count)
    close(file)
    let entry = cache.entry(for: key)
    if bytes == good { precondition(entry != nil) }
    guard let entry else { return }
    // A fuzzer that forges checksums makes valid entries, which are returned unchanged.
    precondition(bytes.suffix(entry.metadata.count + entry.body.count).elementsEqual(entry.metadata + entry.body))
}

func contents() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    let count = read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
}

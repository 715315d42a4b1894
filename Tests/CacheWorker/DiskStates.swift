import Glibc
import SpyglassCaching
import SpyglassThreads

/// A disk that becomes full, and an unwritable folder: images stay correct, and the error is reported once.
struct DiskStates {
    let folder: String

    private static let entryCount = 60
    /// Above the size of the disk, so that the disk fills before the limit.
    private static let byteLimit = 64 << 20

    func fill() {
        let cache = DiskCache(folder: folder, byteLimit: Self.byteLimit, onError: { fail("\($0)") })
        for number in 0..<Self.entryCount { require(store(cache, number), "cannot store on a good disk") }
    }

    func workOnFullDisk() {
        let problems = Problems()
        let clock = Clock()
        let cache = DiskCache(
            folder: folder, byteLimit: Self.byteLimit, now: { clock.now }, onError: { problems.add($0) })
        var (stored, minutes) = (0, 0)
        for number in 0..<20 * Self.entryCount {
            if store(cache, number) {
                stored += 1
            } else {
                // The pause ends, and a sweep frees half of the bytes.
                clock.advance()
                minutes += 1
                _ = try? cache.trim(toBytes: (try? cache.statistics().bytes).map { $0 / 2 } ?? 0)
            }
            checkAll(cache)
        }
        require(problems.all == [.diskFull(folder: folder)], "reported: \(problems.all)")
        require(minutes > 1 && stored > Self.entryCount, "\(stored) stored, full \(minutes) times")
        require((try? cache.statistics().temporaryFiles) == 0, "a full disk leaves temporary files")
        print("full disk: \(stored) stored, full \(minutes) times, told once, no wrong byte")
    }

    func workOnReadOnlyFolder() {
        let problems = Problems()
        let cache = DiskCache(folder: folder, byteLimit: Self.byteLimit, onError: { problems.add($0) })
        var found = 0
        for number in 0..<Self.entryCount {
            let key = Sample.key(number)
            guard let entry = cache.entry(for: key) else { continue }
            require(Sample.isRight(entry, key), "WRONG BYTES under \(key)")
            found += 1
            require(!store(cache, number), "something was stored in a read-only folder")
            cache.remove(key)
        }
        require(found == Self.entryCount, "only \(found) of \(Self.entryCount) are read")
        guard problems.all.count == 1, case .notWritable = problems.all[0] else { fail("reported: \(problems.all)") }
        print("read-only folder: \(found) read, told once")
    }

    private func store(_ cache: DiskCache, _ number: Int) -> Bool {
        cache.store(Sample.entry(Sample.key(number), edition: 7), for: Sample.key(number))
    }

    private func checkAll(_ cache: DiskCache) {
        for number in 0..<20 * Self.entryCount where number % 17 == 0 {
            let key = Sample.key(number)
            guard let entry = cache.entry(for: key) else { continue }
            require(Sample.isRight(entry, key), "WRONG BYTES under \(key)")
        }
    }

    /// The problems that were reported.
    private final class Problems: Sendable {
        private let stored = Mutex<[DiskCacheError]>([])
        var all: [DiskCacheError] { stored.withLock { $0 } }
        func add(_ problem: DiskCacheError) { stored.withLock { $0.append(problem) } }
    }

    /// A calendar that only `advance` moves.
    private final class Clock: Sendable {
        private let stored = Mutex(WallTime.now())
        var now: WallTime { stored.withLock { $0 } }
        func advance() { stored.withLock { $0 = $0.advanced(by: .seconds(61)) } }
    }
}

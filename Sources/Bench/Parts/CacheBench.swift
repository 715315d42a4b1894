internal import SpyglassCaching

/// The memory cache beside a plain dictionary under a lock, and the disk cache.
struct CacheBench {
    let figures: [Figure]

    /// What the memory cache holds: a few screens of pictures.
    private static let entryCount = 1024
    /// The threads that are let loose on one cache.
    private static let threadCounts = [1, 2]

    /// - Parameters:
    ///   - scratch: a folder in which the disk cache gets one of its own, for as long as it is measured.
    ///   - scale: how much is put into it, as a share of the usual.
    init(scratch: String, scale: Double) {
        figures = Self.memory + CacheTrace().figures + DiskCacheBench(scratch: scratch, scale: scale).figures
    }

    // MARK: Memory

    private static var memory: [Figure] {
        threadCounts.flatMap { threads in
            let suffix = threads == 1 ? "1thread" : "\(threads)threads"
            return [
                figure("hit.\(suffix)", .hitsPerSecond, threads) { $0.findAll($1) },
                figure("miss.\(suffix)", .operationsPerSecond, threads, with: Key.strangers) { $0.findAll($1) },
                figure("insert.\(suffix)", .operationsPerSecond, threads) { $0.insertAll($1) },
                figure("evict.\(suffix)", .operationsPerSecond, threads, with: Key.flood) { $0.insertAll($1) },
            ]
        }
    }

    /// Addresses as those of pictures, made anew for each use, since a look-up comes with another string than the insertion.
    private enum Key {
        static func known() -> [String] { addresses(0..<entryCount) }
        static func strangers() -> [String] { addresses(entryCount..<2 * entryCount) }
        /// So many that each has gone when it comes again.
        static func flood() -> [String] { addresses(0..<4 * entryCount) }

        private static func addresses(_ numbers: Range<Int>) -> [String] {
            numbers.map { "https://images-assets.nasa.gov/image/PIA\(10_000 + $0)/PIA\(10_000 + $0)~thumb.jpg" }
        }
    }

    private static func figure(
        _ name: String, _ unit: Unit, _ threads: Int, with keys: @escaping () -> [String] = Key.known,
        _ pass: @escaping @Sendable (any MemoryContestant, [String]) -> Void
    ) -> Figure {
        .timed("cache.memory.\(name)", unit, beside: PlainCache.name) {
            let contestants: [any MemoryContestant] = [
                OurCache(capacity: entryCount), PlainCache(capacity: entryCount),
            ]
            let works = contestants.map { cache in
                cache.insertAll(Key.known())
                let keys = keys()
                return Work(of: threads * keys.count) { times in
                    ThreadTeam.run(threads) { number in
                        // The threads are not to march in step.
                        let half = keys.count * number / threads
                        let own = Array(keys[half...] + keys[..<half])
                        for _ in 0..<times { pass(cache, own) }
                    }
                }
            }
            return (works[0], works[1])
        }
    }
}

/// What caches hold when they are measured: an object, as a picture's bytes are.
final class Sample: Sendable {
    static let shared = Sample()
}

/// A cache of a number of entries.
protocol MemoryContestant: Sendable {
    func find(_ key: String) -> Sample?
    func insert(_ sample: Sample, _ key: String)
    /// Looks all keys up; a loop of each contestant's own, so that a call through the protocol is not what is measured.
    func findAll(_ keys: [String])
    /// Inserts all keys, the same.
    func insertAll(_ keys: [String])
}

extension MemoryContestant {
    func findAll(_ keys: [String]) {
        var found = 0
        for key in keys where find(key) != nil { found += 1 }
        keep(found)
    }

    func insertAll(_ keys: [String]) {
        for key in keys { insert(Sample.shared, key) }
    }
}

/// `MemoryCache`, each entry of which costs 1.
struct OurCache: MemoryContestant {
    private let cache: MemoryCache<String, Sample>

    init(capacity: Int) { cache = MemoryCache(totalCostLimit: capacity, entryCostLimit: 1) { _ in 1 } }

    func find(_ key: String) -> Sample? { cache.value(for: key) }

    func insert(_ sample: Sample, _ key: String) { cache.insert(sample, for: key) }
}

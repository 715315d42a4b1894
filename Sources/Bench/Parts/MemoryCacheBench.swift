internal import SpyglassCatalog

/// The memory cache compared with a dictionary under a lock, by one thread and by two and four on the same cache.
///
/// - `hit`: all keys are present. `miss`: none is.
/// - `insert`: into an empty cache with room for all, including the allocations of its growth.
/// - `evict`: into a full cache, so that each insertion evicts an entry.
///
/// Keys are shuffled, differently for each thread and from the order of insertion. So the processor cannot predict the next one.
/// Several threads insert disjoint keys.
struct MemoryCacheBench {
    static let entryCount = 1024
    private static let threadCounts = [1, 2, 4]
    /// Caches that one sample fills, so that waking a thread is negligible.
    private static let cachesPerSample = 64
    /// So many keys that each is evicted before it is inserted again, also while the other threads wait.
    static func evictingKeyCount(_ threads: Int) -> Int { max(4, 2 * threads) * entryCount }

    var benchmarks: [Benchmark] {
        Self.threadCounts.flatMap { threads in
            let suffix = threads == 1 ? "1thread" : "\(threads)threads"
            return [
                Self.benchmark("hit.\(suffix)", .hitsPerSecond, Self.lookUp(Self.present, threads)),
                Self.benchmark("miss.\(suffix)", .operationsPerSecond, Self.lookUp(Self.absent, threads)),
                Self.benchmark("insert.\(suffix)", .operationsPerSecond, Self.insert(threads)),
                Self.benchmark("evict.\(suffix)", .operationsPerSecond, Self.evict(threads)),
            ]
        }
    }

    typealias Job = (any CacheUnderTest.Type) throws -> Workload

    private static func benchmark(_ name: String, _ unit: Unit, _ job: @escaping Job) -> Benchmark {
        .timed("cache.memory.\(name)", unit, reference: FIFOCache.name) {
            (try job(MemoryCacheUnderTest.self), try job(FIFOCache.self))
        }
    }

    // MARK: Jobs

    static func lookUp(_ numbers: Range<Int>, _ threads: Int) -> Job {
        { type in
            let cache = type.init(capacity: entryCount)
            cache.insertAll(keys(present, seed: 0)[...])
            let orders = (1...threads).map { keys(numbers, seed: UInt64($0)) }
            let team = try ThreadTeam(threads)
            return Workload(of: threads * numbers.count) { times in
                team.run { number in
                    for _ in 0..<times { cache.findAll(orders[number][...]) }
                }
            }
        }
    }

    static func insert(_ threads: Int) -> Job {
        { type in
            let own = parts(of: keys(present, seed: 1), threads)
            let team = try ThreadTeam(threads)
            var caches: [any CacheUnderTest] = []
            return Workload(
                of: cachesPerSample * entryCount,
                preparing: { caches = (0..<cachesPerSample).map { _ in type.init(capacity: entryCount) } }
            ) {
                let empty = caches
                team.run { number in
                    for cache in empty { cache.insertAll(own[number]) }
                }
            }
        }
    }

    static func evict(_ threads: Int) -> Job {
        { type in
            let cache = type.init(capacity: entryCount)
            let count = evictingKeyCount(threads)
            let own = parts(of: keys(0..<count, seed: 1), threads)
            cache.insertAll(keys(count..<count + entryCount, seed: 2)[...])
            let team = try ThreadTeam(threads)
            return Workload(of: count) { times in
                team.run { number in
                    for _ in 0..<times { cache.insertAll(own[number]) }
                }
            }
        }
    }

    // MARK: Keys

    static let present = 0..<entryCount
    static let absent = entryCount..<2 * entryCount

    /// Image URLs in a shuffled order, made for each use: a look-up's string is not the inserted one.
    private static func keys(_ numbers: Range<Int>, seed: UInt64) -> [String] {
        var keys = numbers.map {
            "https://images-assets.nasa.gov/image/PIA\(10_000 + $0)/PIA\(10_000 + $0)~thumb.jpg"
        }
        var random = SplitMix64(state: seed)
        for last in keys.indices.dropFirst().reversed() { keys.swapAt(last, random.below(last + 1)) }
        return keys
    }

    private static func parts(of keys: [String], _ threads: Int) -> [ArraySlice<String>] {
        (0..<threads).map { keys[keys.count * $0 / threads..<keys.count * ($0 + 1) / threads] }
    }
}

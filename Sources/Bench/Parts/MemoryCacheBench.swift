/// The memory cache beside a plain dictionary under a lock, of one thread and of two on the same cache.
///
/// - `hit`: every key is there. `miss`: none is.
/// - `insert`: into a cache that is empty at first and has room for all; the memory that it takes as it grows is in it.
/// - `evict`: into a full cache, so that each insertion sends the oldest away.
///
/// Keys come in a shuffled order, which is another one for each thread and for what was put in before: neither memory nor the
/// processor can know what is next. What two threads insert has no key in common.
struct MemoryCacheBench {
    /// What a cache holds: a few screens of pictures.
    static let entryCount = 1024
    /// The threads that are let loose on one cache.
    private static let threadCounts = [1, 2]
    /// Caches that are filled for one sample: enough that waking a thread is little beside it.
    private static let cachesOfSample = 64
    /// As many keys as make each leave before it comes again: a thread alone must have more than a cache holds.
    private static let floodCount = 4 * entryCount

    var benchmarks: [Benchmark] {
        Self.threadCounts.flatMap { threads in
            let suffix = threads == 1 ? "1thread" : "\(threads)threads"
            return [
                Self.benchmark("hit.\(suffix)", .hitsPerSecond, Self.lookUp(Self.known, threads)),
                Self.benchmark("miss.\(suffix)", .operationsPerSecond, Self.lookUp(Self.strangers, threads)),
                Self.benchmark("insert.\(suffix)", .operationsPerSecond, Self.insert(threads)),
                Self.benchmark("evict.\(suffix)", .operationsPerSecond, Self.evict(threads)),
            ]
        }
    }

    /// What is done with caches of one kind.
    typealias Job = (any CacheUnderTest.Type) throws -> Workload

    private static func benchmark(_ name: String, _ unit: Unit, _ job: @escaping Job) -> Benchmark {
        .timed("cache.memory.\(name)", unit, reference: FIFOCache.name) {
            (try job(MemoryCacheUnderTest.self), try job(FIFOCache.self))
        }
    }

    // MARK: Jobs

    static func lookUp(_ numbers: Range<Int>, _ threads: Int) -> Job {
        { contestant in
            let cache = contestant.init(capacity: entryCount)
            cache.insertAll(keys(known, seed: 0)[...])
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
        { contestant in
            let own = parts(of: keys(known, seed: 1), threads)
            let team = try ThreadTeam(threads)
            var caches: [any CacheUnderTest] = []
            return Workload(
                of: cachesOfSample * entryCount,
                preparing: { caches = (0..<cachesOfSample).map { _ in contestant.init(capacity: entryCount) } }
            ) {
                let empty = caches
                team.run { number in
                    for cache in empty { cache.insertAll(own[number]) }
                }
            }
        }
    }

    static func evict(_ threads: Int) -> Job {
        { contestant in
            let cache = contestant.init(capacity: entryCount)
            let own = parts(of: keys(0..<floodCount, seed: 1), threads)
            cache.insertAll(keys(floodCount..<floodCount + entryCount, seed: 2)[...])
            let team = try ThreadTeam(threads)
            return Workload(of: floodCount) { times in
                team.run { number in
                    for _ in 0..<times { cache.insertAll(own[number]) }
                }
            }
        }
    }

    // MARK: Keys

    static let known = 0..<entryCount
    static let strangers = entryCount..<2 * entryCount

    /// Addresses as those of pictures, in a shuffled order.
    ///
    /// They are made anew for each use, since a look-up comes with another string than the insertion.
    private static func keys(_ numbers: Range<Int>, seed: UInt64) -> [String] {
        var keys = numbers.map {
            "https://images-assets.nasa.gov/image/PIA\(10_000 + $0)/PIA\(10_000 + $0)~thumb.jpg"
        }
        var random = SampleRandom(seed: seed)
        for last in keys.indices.dropFirst().reversed() { keys.swapAt(last, random.below(last + 1)) }
        return keys
    }

    /// Consecutive parts of keys, one a thread.
    private static func parts(of keys: [String], _ threads: Int) -> [ArraySlice<String>] {
        (0..<threads).map { keys[keys.count * $0 / threads..<keys.count * ($0 + 1) / threads] }
    }
}

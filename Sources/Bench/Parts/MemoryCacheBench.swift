internal import Glibc
internal import SpyglassCaching
internal import SpyglassCatalog
internal import SpyglassThreads

/// The memory cache compared with a dictionary under a lock, used by one thread and by two.
///
/// - `hit`: looks up keys that are all present.
/// - `evict`: inserts into a full cache, so that each insertion evicts an entry.
///
/// Keys are shuffled, differently for each thread, so that the processor cannot predict the next one.
struct MemoryCacheBench {
    static let entryCount = 1024
    /// So many keys that each is evicted before it is inserted again, also while the other thread waits.
    static let evictingKeyCount = 4 * entryCount

    var benchmarks: [Benchmark] {
        [1, 2].flatMap { threads in
            let suffix = threads == 1 ? "1thread" : "\(threads)threads"
            return [
                Self.benchmark("hit.\(suffix)", .hitsPerSecond, Self.lookUp(threads)),
                Self.benchmark("evict.\(suffix)", .operationsPerSecond, Self.evict(threads)),
            ]
        }
    }

    typealias Job = (any CacheUnderTest.Type) -> Workload

    private static func benchmark(_ name: String, _ unit: Unit, _ job: @escaping Job) -> Benchmark {
        .timed("cache.memory.\(name)", unit, reference: FIFOCache.name) {
            (job(MemoryCacheUnderTest.self), job(FIFOCache.self))
        }
    }

    static func lookUp(_ threads: Int) -> Job {
        { type in
            let cache = type.init(capacity: entryCount)
            cache.insertAll(keys(0..<entryCount, seed: 0)[...])
            let orders = (1...threads).map { keys(0..<entryCount, seed: UInt64($0)) }
            return Workload(of: threads * entryCount) { times in
                try onThreads(threads) { number in
                    for _ in 0..<times { cache.findAll(orders[number][...]) }
                }
            }
        }
    }

    /// Several threads insert disjoint keys.
    static func evict(_ threads: Int) -> Job {
        { type in
            let cache = type.init(capacity: entryCount)
            let count = evictingKeyCount
            let keys = keys(0..<count, seed: 1)
            cache.insertAll(Self.keys(count..<count + entryCount, seed: 2)[...])
            return Workload(of: count) { times in
                try onThreads(threads) { number in
                    let own = keys[count * number / threads..<count * (number + 1) / threads]
                    for _ in 0..<times { cache.insertAll(own) }
                }
            }
        }
    }

    /// Image URLs in a shuffled order, made for each use: a look-up's string is not the inserted one.
    private static func keys(_ numbers: Range<Int>, seed: UInt64) -> [String] {
        var random = SplitMix64(state: seed)
        return numbers.map { "https://images-assets.nasa.gov/image/PIA\(10_000 + $0)/PIA\(10_000 + $0)~thumb.jpg" }
            .shuffled(using: &random)
    }
}

/// Runs `body` with each number below `count` on a thread of its own, 0 on the caller's, and waits for all.
///
/// Starting a thread takes about 20 µs, less than 1 % of a sample.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) throws(BenchError) {
    var threads: [pthread_t] = []
    defer { for thread in threads { pthread_join(thread, nil) } }
    for number in 1..<max(count, 1) {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(ThreadWork { body(number) })
        let code = pthread_create(
            &thread, nil,
            { work in
                if let work { Unmanaged<ThreadWork>.fromOpaque(work).takeRetainedValue().run() }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw BenchError("cannot start thread \(number + 1) of \(count): \(String(cString: strerror(code)))")
        }
        threads.append(thread)
    }
    body(0)
}

private final class ThreadWork: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

protocol CacheUnderTest: Sendable {
    init(capacity: Int)

    func find(_ key: String) -> Sample?
    func insert(_ sample: Sample, _ key: String)
    /// Loops of each cache's own, so that calls through the protocol are not measured.
    func findAll(_ keys: ArraySlice<String>)
    func insertAll(_ keys: ArraySlice<String>)
}

extension CacheUnderTest {
    func findAll(_ keys: ArraySlice<String>) { for key in keys { blackHole(find(key)) } }
    func insertAll(_ keys: ArraySlice<String>) { for key in keys { insert(Sample.shared, key) } }
}

/// The value in the caches: an object, as an image's bytes are.
final class Sample: Sendable {
    static let shared = Sample()
}

struct MemoryCacheUnderTest: CacheUnderTest {
    let cache: MemoryCache<String, Sample>

    init(capacity: Int) { cache = MemoryCache(totalCostLimit: capacity, entryCostLimit: 1) { _ in 1 } }

    func find(_ key: String) -> Sample? { cache.value(for: key) }
    func insert(_ sample: Sample, _ key: String) { cache.insert(sample, for: key) }
}

/// The simplest cache: a dictionary under a lock that evicts the oldest insertion.
final class FIFOCache: CacheUnderTest {
    static let name = "dictionary"

    private struct State {
        var samples: [String: Sample] = [:]
        var order: [String] = []
        var oldest = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    func find(_ key: String) -> Sample? { state.withLock { $0.samples[key] } }

    func insert(_ sample: Sample, _ key: String) {
        state.withLock { state in
            guard state.samples.updateValue(sample, forKey: key) == nil else { return }
            guard state.order.count == capacity else { return state.order.append(key) }
            state.samples.removeValue(forKey: state.order[state.oldest])
            state.order[state.oldest] = key
            state.oldest = (state.oldest + 1) % capacity
        }
    }
}

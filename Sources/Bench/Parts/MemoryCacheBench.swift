internal import Glibc
internal import SpyglassCaching
internal import SpyglassCatalog
internal import SpyglassThreads

/// Look-ups in the memory cache and in a dictionary under a lock.
///
/// Each thread has an order of its own, which the processor cannot predict.
struct MemoryCacheBench {
    static let entryCount = 1024

    var benchmarks: [Benchmark] {
        [1, 2].map { threads in
            let name = threads == 1 ? "1thread" : "\(threads)threads"
            return .timed("cache.memory.hit.\(name)", .hitsPerSecond, reference: "dictionary") {
                let cache = Self.filledCache()
                let dictionary = Mutex(Dictionary(uniqueKeysWithValues: Self.keys(seed: 0).map { ($0, Sample.shared) }))
                let ours = Self.lookUp(threads) { keys in
                    for key in keys { blackHole(cache.value(for: key)) }
                }
                let reference = Self.lookUp(threads) { keys in
                    for key in keys { blackHole(dictionary.withLock { $0[key] }) }
                }
                return (ours, reference)
            }
        }
    }

    static func filledCache() -> MemoryCache<String, Sample> {
        let cache = MemoryCache<String, Sample>(totalCostLimit: entryCount, entryCostLimit: 1) { _ in 1 }
        for key in keys(seed: 0) { cache.insert(Sample.shared, for: key) }
        return cache
    }

    /// `find` has the loop, so that its call is not measured.
    static func lookUp(_ threads: Int, _ find: @escaping @Sendable (_ keys: [String]) -> Void) -> Workload {
        let orders = (1...threads).map { keys(seed: UInt64($0)) }
        return Workload(of: threads * entryCount) { times in
            try onThreads(threads) { number in
                for _ in 0..<times { find(orders[number]) }
            }
        }
    }

    /// Made for each use: a look-up's string is not the inserted one.
    private static func keys(seed: UInt64) -> [String] {
        var random = SplitMix64(state: seed)
        return (10_000..<10_000 + entryCount).map { "https://images-assets.nasa.gov/image/PIA\($0)/PIA\($0)~thumb.jpg" }
            .shuffled(using: &random)
    }
}

/// Runs `body` with each number below `count`, 0 on the caller's thread.
///
/// Starting a thread takes about 20 µs, less than 1 % of a sample.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) throws(BenchError) {
    var threads: [pthread_t] = []
    defer { for thread in threads { pthread_join(thread, nil) } }
    for number in 1..<max(count, 1) {
        do throws(ThreadError) { threads.append(try SystemThreads.start { body(number) }) } catch {
            throw BenchError("cannot start thread \(number + 1) of \(count): \(error)")
        }
    }
    body(0)
}

/// The value in the caches: an object, as an image's bytes are.
final class Sample: Sendable {
    static let shared = Sample()
}

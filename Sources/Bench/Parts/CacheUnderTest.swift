internal import SpyglassCaching
internal import SpyglassThreads

protocol CacheUnderTest: Sendable {
    init(capacity: Int)

    func find(_ key: String) -> Sample?
    func insert(_ sample: Sample, _ key: String)
    /// Loops of each cache's own, so that calls through the protocol are not measured.
    func findAll(_ keys: ArraySlice<String>)
    func insertAll(_ keys: ArraySlice<String>)
}

extension CacheUnderTest {
    func findAll(_ keys: ArraySlice<String>) {
        var found = 0
        for key in keys where find(key) != nil { found += 1 }
        blackHole(found)
    }

    func insertAll(_ keys: ArraySlice<String>) {
        for key in keys { insert(Sample.shared, key) }
    }
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

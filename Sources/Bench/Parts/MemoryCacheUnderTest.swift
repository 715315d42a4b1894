internal import SpyglassCaching

/// `MemoryCache`, each entry of which costs 1.
struct MemoryCacheUnderTest: CacheUnderTest {
    let cache: MemoryCache<String, Sample>

    init(capacity: Int) { cache = MemoryCache(totalCostLimit: capacity, entryCostLimit: 1) { _ in 1 } }

    func find(_ key: String) -> Sample? { cache.value(for: key) }

    func insert(_ sample: Sample, _ key: String) { cache.insert(sample, for: key) }
}

internal import SpyglassThreads

/// What somebody writes who needs a cache by tomorrow: a dictionary under a lock, from which the oldest insertion goes.
final class FIFOCache: CacheUnderTest {
    static let name = "dictionary"

    private struct State {
        var samples: [String: Sample] = [:]
        /// The keys in the order in which they came, in a ring.
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

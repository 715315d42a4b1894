/// A cache of a number of entries.
protocol CacheUnderTest: Sendable {
    init(capacity: Int)

    func find(_ key: String) -> Sample?
    func insert(_ sample: Sample, _ key: String)
    /// Looks all keys up; a loop of each contestant's own, so that a call through the protocol is not what is measured.
    func findAll(_ keys: ArraySlice<String>)
    /// Inserts all keys, the same.
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

/// What caches hold when they are measured: an object, as a picture's bytes are.
final class Sample: Sendable {
    static let shared = Sample()
}

import Foundation
import SpyglassCaching

/// What both caches hold: an object, since NSCache takes nothing else.
final class Picture: Sendable {
    let cost: Int

    init(cost: Int) { self.cost = cost }
}

/// A cache that is measured, reached through the index of a key, so that every contestant has its own kind of key made beforehand.
protocol Contestant: Sendable {
    static var name: String { get }

    /// A cache of `capacity` pictures of cost 1, that knows `keyCount` keys.
    init(keyCount: Int, capacity: Int)
    func insert(_ picture: Picture, _ index: Int)
    func holds(_ index: Int) -> Bool
    /// Looks up the keys of all indices, and counts what is found.
    func find(_ indices: [Int]) -> Int
}

/// Image URLs, made again at each call: a look-up's string is not the inserted one.
private func addresses(_ count: Int) -> [String] {
    (0..<count).map { "https://images-assets.nasa.gov/image/PIA\(10_000 + $0)/PIA\(10_000 + $0)~thumb.jpg" }
}

struct MemoryCacheOfAddresses: Contestant {
    static let name = "MemoryCache, addresses"
    private let cache: MemoryCache<String, Picture>
    private let insertKeys: [String]
    private let findKeys: [String]

    init(keyCount: Int, capacity: Int) {
        cache = MemoryCache(totalCostLimit: capacity, entryCostLimit: 1) { $0.cost }
        insertKeys = addresses(keyCount)
        findKeys = addresses(keyCount)
    }

    func insert(_ picture: Picture, _ index: Int) { cache.insert(picture, for: insertKeys[index]) }

    func holds(_ index: Int) -> Bool { cache.value(for: findKeys[index]) != nil }

    func find(_ indices: [Int]) -> Int {
        var found = 0
        for index in indices where cache.value(for: findKeys[index]) != nil { found += 1 }
        return found
    }
}

struct MemoryCacheOfNumbers: Contestant {
    static let name = "MemoryCache, numbers"
    private let cache: MemoryCache<Int, Picture>

    init(keyCount: Int, capacity: Int) {
        cache = MemoryCache(totalCostLimit: capacity, entryCostLimit: 1) { $0.cost }
    }

    func insert(_ picture: Picture, _ index: Int) { cache.insert(picture, for: index) }

    func holds(_ index: Int) -> Bool { cache.value(for: index) != nil }

    func find(_ indices: [Int]) -> Int {
        var found = 0
        for index in indices where cache.value(for: index) != nil { found += 1 }
        return found
    }
}

/// `@unchecked Sendable`: NSCache locks itself and its keys are never changed.
struct NSCacheOfAddresses: Contestant, @unchecked Sendable {
    static let name = "NSCache, addresses"
    private let cache = NSCache<NSString, Picture>()
    private let insertKeys: [NSString]
    private let findKeys: [NSString]

    init(keyCount: Int, capacity: Int) {
        cache.totalCostLimit = capacity
        insertKeys = addresses(keyCount).map { NSString(string: $0) }
        findKeys = addresses(keyCount).map { NSString(string: $0) }
    }

    func insert(_ picture: Picture, _ index: Int) { cache.setObject(picture, forKey: insertKeys[index], cost: 1) }

    func holds(_ index: Int) -> Bool { cache.object(forKey: findKeys[index]) != nil }

    func find(_ indices: [Int]) -> Int {
        var found = 0
        for index in indices where cache.object(forKey: findKeys[index]) != nil { found += 1 }
        return found
    }
}

/// `@unchecked Sendable`: as above.
struct NSCacheOfNumbers: Contestant, @unchecked Sendable {
    static let name = "NSCache, numbers"
    private let cache = NSCache<NSNumber, Picture>()
    private let insertKeys: [NSNumber]
    private let findKeys: [NSNumber]

    init(keyCount: Int, capacity: Int) {
        cache.totalCostLimit = capacity
        insertKeys = (0..<keyCount).map { NSNumber(value: $0) }
        findKeys = (0..<keyCount).map { NSNumber(value: $0) }
    }

    func insert(_ picture: Picture, _ index: Int) { cache.setObject(picture, forKey: insertKeys[index], cost: 1) }

    func holds(_ index: Int) -> Bool { cache.object(forKey: findKeys[index]) != nil }

    func find(_ indices: [Int]) -> Int {
        var found = 0
        for index in indices where cache.object(forKey: findKeys[index]) != nil { found += 1 }
        return found
    }
}

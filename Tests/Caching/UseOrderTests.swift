import Testing

@testable import SpyglassCaching

@Suite("The order of use")
struct UseOrderTests {
    @Test("Entries come in the order of their last use, whenever it is known")
    func order() {
        for seed in 1...50 {
            var random = Xorshift(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
            let uses = Uses(count: 100)
            var time: UInt64 = 0
            for _ in 0..<1_000 {
                time += UInt64(1 + random.next(below: 300))
                switch random.next(below: 8) {
                case 0...2: uses.insert(at: time)
                case 3: uses.expectOldest()
                default: uses.use(random.next(below: 100), at: time)
                }
            }
            uses.expectAll()
        }
    }

    @Test("A use that is stored after a later one was sorted has its place")
    func lateUse() {
        for time: UInt64 in [5, 7, 9, 11] {
            let uses = Uses(count: 8)
            for time: UInt64 in [2, 4, 6, 8, 10] { uses.insert(at: time) }
            uses.expectOldest()
            uses.use(uses.oldest, at: time)
            uses.expectAll()
        }
    }

    @Test("An empty place leaves the order, before and after it is sorted")
    func emptyPlaces() {
        let uses = Uses(count: 8)
        for time: UInt64 in 1...6 { uses.insert(at: time) }
        uses.remove(3)
        uses.expectOldest()
        uses.remove(uses.oldest)
        uses.expectAll()
    }
}

/// An order of use with the places of its entries, and what is known of them.
private final class Uses {
    private let places: UnsafeMutablePointer<Place>
    private let count: Int
    private var order = UseOrder(capacity: 1)
    private var capacity = 1
    private var lastUses: [Int: UInt64] = [:]

    /// - Parameter count: maximum number of entries.
    init(count: Int) {
        self.count = count
        places = .allocate(capacity: count)
        for index in 0..<count { (places + index).initialize(to: Place()) }
    }

    deinit {
        order.deallocate()
        places.deallocate()
    }

    var oldest: Int { lastUses.min { $0.value < $1.value }?.key ?? 0 }

    func insert(at time: UInt64) {
        guard let index = (0..<count).first(where: { places[$0].lastUse == 0 }) else { return }
        if lastUses.count == capacity {
            order.grow()
            capacity *= 2
        }
        places[index].setLastUse(time)
        lastUses[index] = time
        order.append(index, at: time)
    }

    func use(_ index: Int, at time: UInt64) {
        guard lastUses[index] != nil else { return }
        places[index].setLastUse(time)
        lastUses[index] = time
    }

    func remove(_ index: Int) {
        places[index].setLastUse(.max)
        lastUses[index] = nil
    }

    /// Takes the oldest entry, as an eviction does.
    func expectOldest() {
        while let listing = order.oldest(places) {
            let place = places + Int(listing.index)
            let isOldest = place.pointee.lastUse == listing.time
            if isOldest {
                #expect(Int(listing.index) == oldest)
                remove(Int(listing.index))
            }
            order.correctOldest(place)
            if isOldest { return }
        }
        #expect(lastUses.isEmpty)
    }

    func expectAll() {
        while !lastUses.isEmpty { expectOldest() }
        #expect(order.oldest(places) == nil)
    }
}

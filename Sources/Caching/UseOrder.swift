/// The order in which entries were used last, as far as it is known.
///
/// A hit does not come here. It stores its time in the entry's place, so a listed time may be too old, and is never too new. If the
/// oldest listing has the time of its place, its entry is the least recently used one; otherwise `correctOldest` moves it.
///
/// The list begins with a sorted part. All others are newer, in no order; they are sorted when that part has been used up. Sorting
/// takes constant time a listing, so that evictions do on average. Meanwhile it needs the memory of two more lists.
///
/// The owner frees the memory.
@usableFromInline
struct UseOrder {
    @usableFromInline
    struct Listing {
        @usableFromInline var time: UInt64
        @usableFromInline let index: Int32
    }

    /// A ring of `capacity` listings.
    private var listings: UnsafeMutablePointer<Listing>
    private var capacity: Int
    private var first = 0
    private var count = 0
    private var sortedCount = 0

    /// - Parameter capacity: maximum number of listings, a power of two.
    init(capacity: Int) {
        self.capacity = capacity
        listings = .allocate(capacity: capacity)
    }

    func deallocate() { listings.deallocate() }

    private func position(_ number: Int) -> Int { (first + number) & (capacity - 1) }

    @usableFromInline
    mutating func append(_ index: Int, at time: UInt64) {
        listings[position(count)] = Listing(time: time, index: Int32(index))
        count += 1
    }

    /// Returns the listing with the oldest time.
    @usableFromInline
    mutating func oldest(_ places: UnsafePointer<Place>) -> Listing? {
        if sortedCount == 0 { sort(places) }
        return count == 0 ? nil : listings[first]
    }

    /// Moves the oldest listing to the time of its place, or removes it if the place is empty.
    @usableFromInline
    mutating func correctOldest(_ place: UnsafePointer<Place>) {
        let index = listings[first].index
        let time = place.pointee.lastUse
        guard time != .max else {
            place.pointee.setLastUse(0)
            return removeOldest()
        }
        guard time < listings[position(sortedCount - 1)].time else {
            removeOldest()
            return append(Int(index), at: time)
        }
        // A hit took its time before the last sorting and stored it afterwards.
        var number = 0
        while listings[position(number + 1)].time < time {
            listings[position(number)] = listings[position(number + 1)]
            number += 1
        }
        listings[position(number)] = Listing(time: time, index: index)
    }

    private mutating func removeOldest() {
        first = position(1)
        count -= 1
        sortedCount -= 1
    }

    /// Doubles the capacity.
    @usableFromInline
    mutating func grow() {
        let larger = UnsafeMutablePointer<Listing>.allocate(capacity: 2 * capacity)
        for number in 0..<count { larger[number] = listings[position(number)] }
        listings.deallocate()
        listings = larger
        capacity *= 2
        first = 0
    }

    private mutating func sort(_ places: UnsafePointer<Place>) {
        var current: [Listing] = []
        current.reserveCapacity(count)
        for number in 0..<count {
            let index = listings[position(number)].index
            let place = places + Int(index)
            if place.pointee.lastUse == .max {
                place.pointee.setLastUse(0)
            } else {
                current.append(Listing(time: place.pointee.lastUse, index: index))
            }
        }
        Self.sort(&current)
        listings.update(from: current, count: current.count)
        (first, count, sortedCount) = (0, current.count, current.count)
    }

    /// Sorts by digits of 8 bits, the lowest first: comparing times that are in no order takes longer than all else of an eviction.
    private static func sort(_ listings: inout [Listing]) {
        guard var (oldest, newest) = listings.first.map({ ($0.time, $0.time) }) else { return }
        var isSorted = true
        for listing in listings {
            if listing.time < newest { isSorted = false }
            oldest = min(oldest, listing.time)
            newest = max(newest, listing.time)
        }
        if isSorted { return }
        var other = listings
        for shift in stride(from: 0, to: UInt64.bitWidth - (newest - oldest).leadingZeroBitCount, by: 8) {
            func digit(_ listing: Listing) -> Int { Int((listing.time - oldest) >> UInt64(shift) & 255) }
            var starts = [Int](repeating: 0, count: 257)
            for listing in listings { starts[digit(listing) + 1] += 1 }
            for digit in 1..<256 { starts[digit] += starts[digit - 1] }
            for listing in listings {
                other[starts[digit(listing)]] = listing
                starts[digit(listing)] += 1
            }
            swap(&listings, &other)
        }
    }
}

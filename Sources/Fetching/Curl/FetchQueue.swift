/// Fetches that wait for a free connection: the most urgent first, then in the order they came, and nobody behind a host
/// that is busy.
///
/// Adding, moving and taking cost the logarithm of the length; leaving costs nothing, and whoever left is forgotten when its
/// turn comes or when the leavers outnumber the others.
struct FetchQueue<Fetch, Host: Hashable> {
    /// Where one fetch stands: it may be moved and left, and taken up again behind a redirect.
    final class Handle {
        fileprivate let number: UInt64
        /// Who waits; `nil` while nobody does.
        fileprivate var fetch: Fetch?
        fileprivate var host: Host
        fileprivate var priority = FetchPriority.prefetch
        /// Counts where it was put: what stands elsewhere is void.
        fileprivate var version = 0

        fileprivate init(number: UInt64, host: Host) {
            self.number = number
            self.host = host
        }
    }

    /// A place as it was when it was put here.
    private struct Entry {
        let place: Handle
        let priority: FetchPriority
        let host: Host
        let version: Int

        init(_ place: Handle) {
            self.place = place
            priority = place.priority
            host = place.host
            version = place.version
        }

        var holds: Bool { place.fetch != nil && place.version == version }

        var rank: Rank { Rank(priority: priority, number: place.number) }
    }

    /// The most urgent first, then who came first.
    private struct Rank: Comparable {
        let priority: FetchPriority
        let number: UInt64

        static func < (left: Rank, right: Rank) -> Bool {
            left.priority != right.priority ? left.priority > right.priority : left.number < right.number
        }
    }

    /// Those whose host may have room.
    private var ready = Heap<Rank, Entry>()
    /// Those whose host had none when they were looked at.
    private var parked: [Host: Heap<Rank, Entry>] = [:]
    private var voidCount = 0
    private var nextNumber: UInt64 = 0
    /// How many wait.
    private(set) var count = 0

    /// Puts a fetch behind all others of its priority.
    mutating func add(_ fetch: Fetch, host: Host, priority: FetchPriority) -> Handle {
        let place = Handle(number: nextNumber, host: host)
        nextNumber += 1
        putBack(fetch, at: place, host: host, priority: priority)
        return place
    }

    /// Puts a fetch that was taken out back to where it stood, now for another host.
    mutating func putBack(_ fetch: Fetch, at place: Handle, host: Host, priority: FetchPriority) {
        guard place.fetch == nil else { return }
        place.fetch = fetch
        place.host = host
        place.priority = priority
        place.version += 1
        count += 1
        insert(Entry(place))
    }

    /// Gives a fetch another priority; among those of the new one it stands where it would have stood from the start.
    mutating func move(_ place: Handle, to priority: FetchPriority) {
        guard place.fetch != nil, place.priority != priority else { return }
        place.priority = priority
        place.version += 1
        insert(Entry(place))
        leaveVoid()
    }

    /// Takes a fetch out, if it waits.
    mutating func remove(_ place: Handle) {
        guard place.fetch != nil else { return }
        place.fetch = nil
        count -= 1
        leaveVoid()
    }

    /// The fetch whose turn it is among those whose host has room.
    mutating func next(hasRoom: (Host) -> Bool) -> Fetch? {
        while let entry = ready.popFirst() {
            guard entry.holds, let fetch = entry.place.fetch else {
                voidCount -= 1
                unparkOne(at: entry.host)
                continue
            }
            if hasRoom(entry.host) {
                entry.place.fetch = nil
                count -= 1
                return fetch
            }
            parked[entry.host, default: Heap()].insert(entry, rank: entry.rank)
        }
        return nil
    }

    /// Must be called whenever a host has room for one more: the first who waits for it may go on.
    mutating func unparkOne(at host: Host) {
        guard !parked.isEmpty, let entry = parked[host]?.popFirst() else { return }
        if parked[host]?.isEmpty == true { parked[host] = nil }
        insert(entry)
    }

    /// Must be called when a host has room for any number more: all who wait for it are looked at again.
    mutating func unparkAll(at host: Host) {
        for entry in parked.removeValue(forKey: host)?.elements ?? [] { insert(entry) }
    }

    private mutating func insert(_ entry: Entry) { ready.insert(entry, rank: entry.rank) }

    private mutating func leaveVoid() {
        voidCount += 1
        guard voidCount > 64, voidCount > count else { return }
        let everybody = ready.elements + parked.values.flatMap(\.elements)
        parked = [:]
        ready = Heap()
        for entry in everybody where entry.holds { insert(entry) }
        voidCount = 0
    }
}

/// A binary heap: the element of the lowest rank is at hand, the others are in no order.
///
/// Ranks stand apart, so that comparing two elements retains neither.
struct Heap<Rank: Comparable, Element> {
    private(set) var elements: [Element] = []
    private var ranks: [Rank] = []

    var isEmpty: Bool { elements.isEmpty }

    mutating func insert(_ element: Element, rank: Rank) {
        elements.append(element)
        ranks.append(rank)
        var index = elements.count - 1
        while index > 0, ranks[index] < ranks[(index - 1) / 2] {
            exchange(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popFirst() -> Element? {
        guard !elements.isEmpty else { return nil }
        exchange(0, elements.count - 1)
        let first = elements.removeLast()
        ranks.removeLast()
        var index = 0
        while true {
            var best = index
            for child in [2 * index + 1, 2 * index + 2] where child < ranks.count && ranks[child] < ranks[best] {
                best = child
            }
            guard best != index else { return first }
            exchange(index, best)
            index = best
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        elements.swapAt(one, other)
        ranks.swapAt(one, other)
    }
}

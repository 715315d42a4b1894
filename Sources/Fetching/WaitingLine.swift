/// Fetches that wait for a free connection: the most urgent first, then in the order they came, and nobody behind a host
/// that is busy.
///
/// Adding, moving and taking cost the logarithm of the length; leaving costs nothing, and whoever left is forgotten when its
/// turn comes or when the leavers outnumber the others.
struct WaitingLine<Fetch> {
    /// Where one fetch stands: it may be moved and left, and taken up again behind a redirect.
    final class Place {
        fileprivate let number: UInt64
        /// Who waits; `nil` while nobody does.
        fileprivate var fetch: Fetch?
        fileprivate var host = ""
        fileprivate var priority = FetchPriority.prefetch
        /// Counts where it was put: what stands elsewhere is void.
        fileprivate var version = 0

        fileprivate init(number: UInt64) { self.number = number }
    }

    /// A place as it was when it was put here.
    private struct Entry {
        let place: Place
        let priority: FetchPriority
        let host: String
        let version: Int

        init(_ place: Place) {
            self.place = place
            priority = place.priority
            host = place.host
            version = place.version
        }

        var holds: Bool { place.fetch != nil && place.version == version }

        func isBefore(_ other: Entry) -> Bool {
            priority != other.priority ? priority > other.priority : place.number < other.place.number
        }
    }

    /// Those whose host may have room.
    private var ready = Heap<Entry> { $0.isBefore($1) }
    /// Those whose host had none when they were looked at.
    private var parked: [String: Heap<Entry>] = [:]
    private var voidCount = 0
    private var nextNumber: UInt64 = 0
    /// How many wait.
    private(set) var count = 0

    /// Puts a fetch behind all others of its priority.
    mutating func add(_ fetch: Fetch, host: String, priority: FetchPriority) -> Place {
        let place = Place(number: nextNumber)
        nextNumber += 1
        putBack(fetch, at: place, host: host, priority: priority)
        return place
    }

    /// Puts a fetch that was taken out back to where it stood, now for another host.
    mutating func putBack(_ fetch: Fetch, at place: Place, host: String, priority: FetchPriority) {
        guard place.fetch == nil else { return }
        place.fetch = fetch
        place.host = host
        place.priority = priority
        place.version += 1
        count += 1
        ready.insert(Entry(place))
    }

    /// Gives a fetch another priority; among those of the new one it stands where it would have stood from the start.
    mutating func move(_ place: Place, to priority: FetchPriority) {
        guard place.fetch != nil, place.priority != priority else { return }
        place.priority = priority
        place.version += 1
        ready.insert(Entry(place))
        leaveVoid()
    }

    /// Takes a fetch out, if it waits.
    mutating func remove(_ place: Place) {
        guard place.fetch != nil else { return }
        place.fetch = nil
        count -= 1
        leaveVoid()
    }

    /// The fetch whose turn it is among those whose host has room.
    mutating func next(hasRoom: (String) -> Bool) -> Fetch? {
        while let entry = ready.popFirst() {
            guard entry.holds, let fetch = entry.place.fetch else {
                voidCount -= 1
                roomCame(at: entry.host)
                continue
            }
            if hasRoom(entry.host) {
                entry.place.fetch = nil
                count -= 1
                return fetch
            }
            parked[entry.host, default: Heap { $0.isBefore($1) }].insert(entry)
        }
        return nil
    }

    /// Must be called whenever a host has room for one more: the first who waits for it may go on.
    mutating func roomCame(at host: String) {
        guard !parked.isEmpty, let entry = parked[host]?.popFirst() else { return }
        if parked[host]?.isEmpty == true { parked[host] = nil }
        ready.insert(entry)
    }

    /// Must be called when a host has room for any number more: all who wait for it are looked at again.
    mutating func muchRoomCame(at host: String) {
        for entry in parked.removeValue(forKey: host)?.elements ?? [] { ready.insert(entry) }
    }

    private mutating func leaveVoid() {
        voidCount += 1
        guard voidCount > 64, voidCount > count else { return }
        let everybody = ready.elements + parked.values.flatMap(\.elements)
        parked = [:]
        ready = Heap(everybody.filter(\.holds)) { $0.isBefore($1) }
        voidCount = 0
    }
}

/// A binary heap: the first by `precedes` is at hand, the others are in no order.
struct Heap<Element> {
    private(set) var elements: [Element] = []
    private let precedes: (Element, Element) -> Bool

    init(_ elements: [Element] = [], precedes: @escaping (Element, Element) -> Bool) {
        self.precedes = precedes
        for element in elements { insert(element) }
    }

    var isEmpty: Bool { elements.isEmpty }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, precedes(elements[index], elements[(index - 1) / 2]) {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popFirst() -> Element? {
        guard let first = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return first }
        elements[0] = last
        var index = 0
        while true {
            var best = index
            for child in [2 * index + 1, 2 * index + 2] where child < elements.count {
                if precedes(elements[child], elements[best]) { best = child }
            }
            guard best != index else { return first }
            elements.swapAt(index, best)
            index = best
        }
    }
}

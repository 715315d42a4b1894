/// Fetches that wait for a free connection: the most urgent first, then in the order they came, and nobody behind a host
/// that is busy.
///
/// Adding and taking cost the logarithm of the length; a fetch that is taken out is forgotten when its turn comes.
struct WaitingLine<Fetch: AnyObject> {
    /// One that waits.
    private struct Place {
        let fetch: Fetch
        let host: String
        let priority: FetchPriority
        let number: UInt64

        func isBefore(_ other: Place) -> Bool {
            priority != other.priority ? priority > other.priority : number < other.number
        }
    }

    /// Those whose host may have room.
    private var ready = Heap<Place> { $0.isBefore($1) }
    /// Those whose host had none when they were looked at.
    private var parked: [String: Heap<Place>] = [:]
    private var left: Set<ObjectIdentifier> = []
    private var nextNumber: UInt64 = 0
    /// How many wait.
    private(set) var count = 0

    /// Puts a fetch behind all others of its priority, or at the place it had before, and returns its place.
    @discardableResult
    mutating func add(_ fetch: Fetch, host: String, priority: FetchPriority, number: UInt64? = nil) -> UInt64 {
        let place = Place(fetch: fetch, host: host, priority: priority, number: number ?? nextNumber)
        ready.insert(place)
        if number == nil { nextNumber += 1 }
        count += 1
        return place.number
    }

    /// Takes a fetch out that waits here.
    mutating func remove(_ fetch: Fetch) {
        left.insert(ObjectIdentifier(fetch))
        count -= 1
        if left.count > 64, left.count > count { forgetThoseWhoLeft() }
    }

    /// The fetch whose turn it is among those whose host has room.
    mutating func next(hasRoom: (String) -> Bool) -> Fetch? {
        while let place = ready.popFirst() {
            if left.remove(ObjectIdentifier(place.fetch)) != nil {
                roomCame(at: place.host)
            } else if hasRoom(place.host) {
                count -= 1
                return place.fetch
            } else {
                parked[place.host, default: Heap { $0.isBefore($1) }].insert(place)
            }
        }
        return nil
    }

    /// Must be called whenever a host has one more free connection: the first who waits for it may go on.
    mutating func roomCame(at host: String) {
        guard let place = parked[host]?.popFirst() else { return }
        if parked[host]?.isEmpty == true { parked[host] = nil }
        ready.insert(place)
    }

    private mutating func forgetThoseWhoLeft() {
        let everybody = ready.elements + parked.values.flatMap(\.elements)
        parked = [:]
        ready = Heap(everybody.filter { !left.contains(ObjectIdentifier($0.fetch)) }) { $0.isBefore($1) }
        left = []
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

/// A line in which the highest rank is served first and, within a rank, who came first.
///
///     var line = PriorityQueue<Job>()
///     let place = line.add(job, rank: 1)
///     line.move(place, to: 2)
///     line.popFirst()
///
/// A binary heap in which a place that was left or moved stays until it comes up, or until such places outnumber the others. Adding,
/// moving and taking cost the logarithm of the length, leaving costs nothing. Not shared between threads by itself.
public struct PriorityQueue<Element> {
    /// Where somebody stands; worthless in any other line.
    public struct Handle: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Entry {
        let rank: Int
        let number: UInt64

        func isBefore(_ other: Entry) -> Bool { rank != other.rank ? rank > other.rank : number < other.number }
    }

    private var heap: [Entry] = []
    private var waiting: [UInt64: (rank: Int, element: Element)] = [:]
    private var nextNumber: UInt64 = 0

    /// A line in which nobody stands.
    public init() {}

    /// How many wait.
    public var count: Int { waiting.count }
    /// Whether nobody waits.
    public var isEmpty: Bool { waiting.isEmpty }
    /// Everybody who waits, in no order.
    public var elements: [Element] { waiting.values.map(\.element) }

    /// Puts an element behind all others of its rank.
    @discardableResult
    public mutating func add(_ element: Element, rank: Int) -> Handle {
        let number = nextNumber
        nextNumber += 1
        waiting[number] = (rank, element)
        insert(Entry(rank: rank, number: number))
        return Handle(number: number)
    }

    /// Changes a rank; among those of the new rank the element stands where it would have stood from the start.
    public mutating func move(_ place: Handle, to rank: Int) {
        guard let (old, element) = waiting[place.number], old != rank else { return }
        waiting[place.number] = (rank, element)
        insert(Entry(rank: rank, number: place.number))
        forgetThoseWhoLeft()
    }

    /// Takes an element out, if it still waits.
    @discardableResult
    public mutating func remove(_ place: Handle) -> Element? {
        let element = waiting.removeValue(forKey: place.number)?.element
        forgetThoseWhoLeft()
        return element
    }

    /// The rank of whoever is served next.
    public mutating func highestPriority() -> Int? { first()?.rank }

    /// Takes out whoever is served next.
    public mutating func popFirst() -> Element? {
        guard let entry = first() else { return nil }
        removeTop()
        return waiting.removeValue(forKey: entry.number)?.element
    }

    /// The first entry that still holds; those before it are dropped.
    private mutating func first() -> Entry? {
        while let entry = heap.first {
            if waiting[entry.number]?.rank == entry.rank { return entry }
            removeTop()
        }
        return nil
    }

    private mutating func forgetThoseWhoLeft() {
        guard heap.count > 64, heap.count > 2 * waiting.count else { return }
        heap = []
        for (number, place) in waiting { insert(Entry(rank: place.rank, number: number)) }
    }

    // MARK: The heap

    private mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func removeTop() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var best = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].isBefore(heap[best]) { best = child }
            }
            guard best != index else { return }
            heap.swapAt(index, best)
            index = best
        }
    }
}

/// A queue that serves the highest priority first and, within a priority, the earliest insertion.
///
/// A binary heap. Insert, move and pop: O(log n). Remove: O(1); stale entries stay until they reach the top or outnumber the
/// others. Not thread-safe. Public, since the compiler specialises inlinable code of other modules only then (Swift 6.3).
public struct PriorityQueue<Element> {
    /// The position of one element, in one queue at a time.
    public final class Handle {
        /// The order of the first insertion; moves keep it.
        @usableFromInline let number: UInt64
        /// `nil` while it is in no queue.
        public var element: Element?
        /// Greater is sooner.
        public var priority = 0
        /// Counts insertions and moves; heap entries of earlier versions are stale.
        @usableFromInline var version = 0

        @inlinable
        init(number: UInt64) { self.number = number }
    }

    @usableFromInline
    struct Rank {
        @usableFromInline let priority: Int
        @usableFromInline let number: UInt64

        @inlinable
        init(_ handle: Handle) {
            priority = handle.priority
            number = handle.number
        }

        @inlinable
        func isBefore(_ other: Rank) -> Bool {
            priority != other.priority ? priority > other.priority : number < other.number
        }
    }

    @usableFromInline
    struct Entry {
        @usableFromInline let handle: Handle
        @usableFromInline let version: Int

        @inlinable
        init(_ handle: Handle) {
            self.handle = handle
            version = handle.version
        }

        @inlinable var isVoid: Bool { handle.element == nil || handle.version != version }
    }

    @usableFromInline var entries: [Entry] = []
    /// Kept apart from the entries, so that comparing two retains neither handle.
    @usableFromInline var ranks: [Rank] = []
    @usableFromInline var voidCount = 0
    @usableFromInline var nextNumber: UInt64 = 0

    /// An empty queue.
    @inlinable
    public init() {}

    /// The number of elements.
    @inlinable public var count: Int { entries.count - voidCount }
    /// Whether it has no element.
    @inlinable public var isEmpty: Bool { count == 0 }
    /// Those of all elements, in no order.
    @inlinable public var handles: [Handle] { entries.lazy.filter { !$0.isVoid }.map(\.handle) }

    /// Inserts an element behind all others of its priority; greater is sooner.
    @inlinable @discardableResult
    public mutating func insert(_ element: Element, priority: Int) -> Handle {
        let handle = Handle(number: nextNumber)
        nextNumber += 1
        insert(element, at: handle, priority: priority)
        return handle
    }

    /// Inserts an element at a handle that is in no queue, and keeps its order of insertion.
    @inlinable
    public mutating func insert(_ element: Element, at handle: Handle, priority: Int) {
        handle.element = element
        handle.priority = priority
        insert(handle)
    }

    /// Inserts a handle from `popHandle`, with its element and priority.
    @inlinable
    public mutating func insert(_ handle: Handle) {
        handle.version += 1
        entries.append(Entry(handle))
        ranks.append(Rank(handle))
        var index = ranks.count - 1
        while index > 0, ranks[index].isBefore(ranks[(index - 1) / 2]) {
            swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Changes a priority; within the new one the order of insertion counts.
    @inlinable
    public mutating func move(_ handle: Handle, to priority: Int) {
        guard handle.element != nil, handle.priority != priority else { return }
        handle.priority = priority
        insert(handle)
        addVoid()
    }

    /// Removes and returns an element; `nil` if it is in no queue.
    @inlinable @discardableResult
    public mutating func remove(_ handle: Handle) -> Element? {
        guard let element = handle.element else { return nil }
        handle.element = nil
        addVoid()
        return element
    }

    /// The priority of the next element; `nil` if there is none.
    @inlinable
    public mutating func highestPriority() -> Int? {
        dropVoids()
        return ranks.first?.priority
    }

    /// Removes and returns the next element.
    @inlinable
    public mutating func popFirst() -> Element? { popHandle()?.element.take() }

    /// Removes and returns the handle of the next element, with the element.
    @inlinable
    public mutating func popHandle() -> Handle? {
        dropVoids()
        return entries.isEmpty ? nil : removeTop()
    }

    @inlinable
    mutating func dropVoids() {
        while entries.first?.isVoid == true {
            removeTop()
            voidCount -= 1
        }
    }

    @inlinable
    mutating func addVoid() {
        voidCount += 1
        guard voidCount > 64, voidCount > count else { return }
        let handles = handles
        (entries, ranks, voidCount) = ([], [], 0)
        for handle in handles { insert(handle) }
    }

    @inlinable @discardableResult
    mutating func removeTop() -> Handle {
        swapAt(0, ranks.count - 1)
        ranks.removeLast()
        let top = entries.removeLast().handle
        var (index, child) = (0, 1)
        while child < ranks.count {
            if child + 1 < ranks.count, ranks[child + 1].isBefore(ranks[child]) { child += 1 }
            guard ranks[child].isBefore(ranks[index]) else { break }
            swapAt(index, child)
            (index, child) = (child, 2 * child + 1)
        }
        return top
    }

    @inlinable
    mutating func swapAt(_ one: Int, _ other: Int) {
        // Not the array's own, which retains both handles.
        entries.withUnsafeMutableBufferPointer { $0.swapAt(one, other) }
        ranks.swapAt(one, other)
    }
}

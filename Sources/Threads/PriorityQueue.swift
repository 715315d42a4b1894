/// A queue that serves the highest priority first and, within a priority, the earliest insertion.
///
/// A binary heap whose elements know their positions: changes take O(log n). Not thread-safe.
package struct PriorityQueue<Element> {
    /// One element of a queue, to move or remove it.
    package final class Handle {
        /// `nil` once it has left the queue.
        fileprivate var element: Element?
        fileprivate var priority: Int
        fileprivate let number: UInt64
        fileprivate var index = 0

        fileprivate init(_ element: Element, _ priority: Int, _ number: UInt64) {
            self.element = element
            self.priority = priority
            self.number = number
        }

        fileprivate func precedes(_ other: Handle) -> Bool {
            priority != other.priority ? priority > other.priority : number < other.number
        }
    }

    private var heap: [Handle] = []
    private var nextNumber: UInt64 = 0

    package init() {}

    package var count: Int { heap.count }
    package var isEmpty: Bool { heap.isEmpty }
    package var first: Element? { heap.first?.element }
    /// All elements, in no order.
    package var elements: [Element] { heap.compactMap(\.element) }

    /// Inserts an element after all others of its priority; greater is sooner.
    @discardableResult
    package mutating func insert(_ element: Element, priority: Int) -> Handle {
        let handle = Handle(element, priority, nextNumber)
        nextNumber += 1
        handle.index = heap.count
        heap.append(handle)
        rise(from: handle.index)
        return handle
    }

    /// Changes a priority; within the new one the order of insertion counts.
    package mutating func move(_ handle: Handle, to priority: Int) {
        guard handle.element != nil else { return }
        handle.priority = priority
        restore(at: handle.index)
    }

    /// Removes and returns an element; `nil` if it has left the queue.
    @discardableResult
    package mutating func remove(_ handle: Handle) -> Element? {
        guard let element = handle.element.take() else { return nil }
        let index = handle.index
        swapAt(index, heap.count - 1)
        heap.removeLast()
        if index < heap.count { restore(at: index) }
        return element
    }

    package mutating func popFirst() -> Element? { heap.first.flatMap { remove($0) } }

    /// Moves a handle whose priority changed to its place.
    private mutating func restore(at index: Int) {
        rise(from: index)
        sink(from: index)
    }

    private mutating func rise(from start: Int) {
        var index = start
        while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
            swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(from start: Int) {
        var (index, child) = (start, 2 * start + 1)
        while child < heap.count {
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(heap[index]) else { return }
            swapAt(index, child)
            (index, child) = (child, 2 * child + 1)
        }
    }

    private mutating func swapAt(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        heap[one].index = one
        heap[other].index = other
    }
}

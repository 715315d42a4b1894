import SpyglassThreads
import Testing

@Suite("PriorityQueue")
struct PriorityQueueTests {
    @Test("The highest priority is served first, and the oldest within it")
    func order() {
        var queue = PriorityQueue<String>()
        for (name, priority) in [("low", 0), ("first", 2), ("second", 2), ("middle", 1)] {
            queue.insert(name, priority: priority)
        }
        #expect(Self.drain(&queue) == ["first", "second", "middle", "low"])
    }

    @Test("A moved element keeps its order of insertion")
    func moving() {
        var queue = PriorityQueue<String>()
        let early = queue.insert("early", priority: 0)
        queue.insert("late", priority: 1)
        queue.move(early, to: 1)
        #expect(Self.drain(&queue) == ["early", "late"])
    }

    @Test("Removed elements are not served, and other handles stay valid")
    func removing() {
        var queue = PriorityQueue<Int>()
        let handles = (0..<1000).map { queue.insert($0, priority: $0 % 3) }
        for index in 0..<1000 where index % 2 == 0 { #expect(queue.remove(handles[index]) == index) }
        #expect(queue.remove(handles[0]) == nil)
        for index in 0..<1000 where index % 2 == 1 { queue.move(handles[index], to: 0) }
        #expect(queue.count == 500)
        #expect(Self.drain(&queue) == (0..<1000).filter { $0 % 2 == 1 })
        #expect(queue.isEmpty)
    }

    @Test("Random priorities are served in order", arguments: 0..<50 as Range<UInt64>)
    func randomPriorities(seed: UInt64) {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1
        let numbers = (0..<100).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 40)
        }
        var queue = PriorityQueue<Int>()
        for number in numbers { queue.insert(number, priority: -number) }
        #expect(Self.drain(&queue) == numbers.sorted())
    }

    private static func drain<Element>(_ queue: inout PriorityQueue<Element>) -> [Element] {
        var elements: [Element] = []
        while let element = queue.popFirst() { elements.append(element) }
        return elements
    }
}

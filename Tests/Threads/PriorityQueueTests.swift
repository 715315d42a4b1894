import Testing

@testable import SpyglassThreads

@Suite("PriorityQueue")
struct PriorityQueueTests {
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

@Suite("Monitor", .timeLimit(.minutes(10)))
struct MonitorTests {
    private let monitor = Monitor(false)

    @Test("A wait ends with a value or with its cancellation, whichever comes first", arguments: 0..<100)
    func wait(round: Int) async throws {
        let cancellation = Cancellation()
        let threads = ThreadPool(count: 1)
        async let result = threads.run { _ in monitor.wait(unless: cancellation) { $0 ? 1 : nil } }
        if round % 2 == 0 {
            cancellation.cancel()
        } else {
            monitor.withLock { $0 = true }
            monitor.wakeAll()
        }
        #expect(try await result == (round % 2 == 0 ? nil : 1))
    }

    @Test("A wait with a time limit ends when the time is over, or with its value")
    func timed() {
        #expect(!monitor.wait(milliseconds: 1) { $0 })
        monitor.withLock { $0 = true }
        #expect(monitor.wait(milliseconds: 60_000) { $0 })
    }
}

@Suite("ProcessorCount")
struct ProcessorCountTests {
    @Test(
        "The bits of Cpus_allowed are counted",
        arguments: [
            ("Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", 2), ("Cpus_allowed:\tffffffff,00000001\n", 33),
            ("Cpus_allowed:\t0\n", nil), ("Name:\tx\n", nil), ("", nil),
        ] as [(String, Int?)])
    func bits(status: String, count: Int?) {
        #expect(ProcessorCount.allowed(inStatus: status) == count)
    }

    @Test("This process may use at least one processor")
    func own() { #expect(ProcessorCount.usable >= 1) }
}

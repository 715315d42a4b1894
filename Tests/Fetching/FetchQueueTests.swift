import Testing

@testable import SpyglassFetching

@Suite("FetchQueue", .timeLimit(.minutes(10)))
struct FetchQueueTests {
    private final class Fetch {
        let name: String
        init(_ name: String) { self.name = name }
    }

    @Test("The highest priority is served first, and the oldest within it")
    func order() {
        var queue = FetchQueue<Fetch, String>()
        for (name, priority) in [
            ("a", FetchPriority.prefetch), ("b", .visible), ("c", .near), ("d", .visible), ("e", .prefetch),
        ] {
            _ = queue.insert(Fetch(name), host: "h", priority: priority)
        }
        var names: [String] = []
        while let fetch = queue.next(hasCapacity: { _ in true }) { names.append(fetch.name) }
        #expect(names == ["b", "d", "c", "a", "e"])
        #expect(queue.count == 0)
    }

    @Test("No fetch waits behind a busy host")
    func busyHost() {
        var queue = FetchQueue<Fetch, String>()
        for name in ["a", "b"] { _ = queue.insert(Fetch(name), host: "busy", priority: .visible) }
        _ = queue.insert(Fetch("c"), host: "free", priority: .prefetch)
        #expect(queue.next { $0 == "free" }?.name == "c")
        #expect(queue.next { $0 == "free" } == nil)
        queue.unparkOne(at: "busy")
        #expect(queue.next { _ in true }?.name == "a")
        #expect(queue.next { _ in true } == nil, "the host has capacity for one only")
        queue.unparkOne(at: "busy")
        #expect(queue.next { _ in true }?.name == "b")
    }

    @Test("A removed fetch passes its turn on to the next of its host")
    func leaving() {
        var queue = FetchQueue<Fetch, String>()
        let handles = ["a", "b", "c"].map { queue.insert(Fetch($0), host: "h", priority: .visible) }
        #expect(queue.next { _ in false } == nil)
        queue.unparkOne(at: "h")
        queue.remove(handles[0])
        #expect(queue.next { _ in true }?.name == "b")
        #expect(queue.count == 1)
    }

    @Test("Fetches removed while their host is busy are released")
    func manyLeave() {
        var queue = FetchQueue<Fetch, String>()
        weak var forgotten: Fetch?
        for number in 0..<5000 {
            let fetch = Fetch("\(number)")
            if number == 0 { forgotten = fetch }
            let handle = queue.insert(fetch, host: "h", priority: .near)
            _ = queue.next { _ in false }
            queue.remove(handle)
        }
        _ = queue.insert(Fetch("last"), host: "h", priority: .near)
        #expect(forgotten == nil)
        #expect(queue.next { _ in true }?.name == "last")
    }

    @Test("A reinserted fetch keeps its position")
    func handle() {
        var queue = FetchQueue<Fetch, String>()
        let first = Fetch("a")
        let handle = queue.insert(first, host: "h", priority: .near)
        _ = queue.insert(Fetch("b"), host: "h", priority: .near)
        #expect(queue.next { _ in true } === first)
        queue.reinsert(first, at: handle, host: "other", priority: .near)
        #expect(queue.next { _ in true } === first)
    }

    @Test("A raised priority counts at a busy host, and the fetch is served once")
    func moving() {
        var queue = FetchQueue<Fetch, String>()
        let handles = ["a", "b", "c"].map { queue.insert(Fetch($0), host: "h", priority: .prefetch) }
        #expect(queue.next { _ in false } == nil)
        queue.move(handles[2], to: .visible)
        queue.move(handles[1], to: .near)
        queue.move(handles[1], to: .prefetch)
        queue.unparkOne(at: "h")
        queue.unparkOne(at: "h")
        queue.unparkOne(at: "h")
        var names: [String] = []
        while let fetch = queue.next(hasCapacity: { _ in true }) { names.append(fetch.name) }
        #expect(names == ["c", "a", "b"])
        #expect(queue.count == 0)
    }

    @Test("A fetch removed from a busy host's queue gets no turn there")
    func leftBehind() {
        var queue = FetchQueue<Fetch, String>()
        let first = Fetch("a")
        let handle = queue.insert(first, host: "busy", priority: .near)
        #expect(queue.next { _ in false } == nil)
        queue.move(handle, to: .visible)
        #expect(queue.next { _ in true } === first)
        queue.reinsert(first, at: handle, host: "other", priority: .near)
        #expect(queue.next { _ in true } === first)
        _ = queue.insert(Fetch("b"), host: "busy", priority: .near)
        #expect(queue.next { $0 != "busy" } == nil)
        queue.unparkOne(at: "busy")
        #expect(queue.next { _ in true }?.name == "b")
    }
}

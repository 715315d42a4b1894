import Testing

@testable import SpyglassFetching

@Suite("FetchQueue", .timeLimit(.minutes(10)))
struct WaitingLineTests {
    private final class Fetch {
        let name: String
        init(_ name: String) { self.name = name }
    }

    @Test("The most urgent goes first, then who came first")
    func order() {
        var line = FetchQueue<Fetch, String>()
        for (name, priority) in [
            ("a", FetchPriority.prefetch), ("b", .visible), ("c", .near), ("d", .visible), ("e", .prefetch),
        ] {
            _ = line.add(Fetch(name), host: "h", priority: priority)
        }
        var names: [String] = []
        while let fetch = line.next(hasRoom: { _ in true }) { names.append(fetch.name) }
        #expect(names == ["b", "d", "c", "a", "e"])
        #expect(line.count == 0)
    }

    @Test("Nobody waits behind a host that is busy")
    func busyHost() {
        var line = FetchQueue<Fetch, String>()
        for name in ["a", "b"] { _ = line.add(Fetch(name), host: "busy", priority: .visible) }
        _ = line.add(Fetch("c"), host: "free", priority: .prefetch)
        #expect(line.next { $0 == "free" }?.name == "c")
        #expect(line.next { $0 == "free" } == nil)
        line.unparkOne(at: "busy")
        #expect(line.next { _ in true }?.name == "a")
        #expect(line.next { _ in true } == nil, "the host has room for one only")
        line.unparkOne(at: "busy")
        #expect(line.next { _ in true }?.name == "b")
    }

    @Test("Who leaves is passed over, and passes the turn on to the next of the same host")
    func leaving() {
        var line = FetchQueue<Fetch, String>()
        let places = ["a", "b", "c"].map { line.add(Fetch($0), host: "h", priority: .visible) }
        #expect(line.next { _ in false } == nil)
        line.unparkOne(at: "h")
        line.remove(places[0])
        #expect(line.next { _ in true }?.name == "b")
        #expect(line.count == 1)
    }

    @Test("Thousands who leave while their host is busy are not kept")
    func manyLeave() {
        var line = FetchQueue<Fetch, String>()
        weak var forgotten: Fetch?
        for number in 0..<5000 {
            let fetch = Fetch("\(number)")
            if number == 0 { forgotten = fetch }
            let place = line.add(fetch, host: "h", priority: .near)
            _ = line.next { _ in false }
            line.remove(place)
        }
        _ = line.add(Fetch("last"), host: "h", priority: .near)
        #expect(forgotten == nil)
        #expect(line.next { _ in true }?.name == "last")
    }

    @Test("A fetch that comes back keeps its place")
    func place() {
        var line = FetchQueue<Fetch, String>()
        let first = Fetch("a")
        let place = line.add(first, host: "h", priority: .near)
        _ = line.add(Fetch("b"), host: "h", priority: .near)
        #expect(line.next { _ in true } === first)
        line.putBack(first, at: place, host: "other", priority: .near)
        #expect(line.next { _ in true } === first)
    }

    @Test("Whoever becomes more urgent passes others, also behind a busy host, and is served once")
    func moving() {
        var line = FetchQueue<Fetch, String>()
        let places = ["a", "b", "c"].map { line.add(Fetch($0), host: "h", priority: .prefetch) }
        #expect(line.next { _ in false } == nil)
        line.move(places[2], to: .visible)
        line.move(places[1], to: .near)
        line.move(places[1], to: .prefetch)
        line.unparkOne(at: "h")
        line.unparkOne(at: "h")
        line.unparkOne(at: "h")
        var names: [String] = []
        while let fetch = line.next(hasRoom: { _ in true }) { names.append(fetch.name) }
        #expect(names == ["c", "a", "b"])
        #expect(line.count == 0)
    }

    @Test("What was left behind at a busy host costs nobody there a turn")
    func leftBehind() {
        var line = FetchQueue<Fetch, String>()
        let first = Fetch("a")
        let place = line.add(first, host: "busy", priority: .near)
        #expect(line.next { _ in false } == nil)
        line.move(place, to: .visible)
        #expect(line.next { _ in true } === first)
        line.putBack(first, at: place, host: "other", priority: .near)
        #expect(line.next { _ in true } === first)
        _ = line.add(Fetch("b"), host: "busy", priority: .near)
        #expect(line.next { $0 != "busy" } == nil)
        line.unparkOne(at: "busy")
        #expect(line.next { _ in true }?.name == "b")
    }

    @Test("A heap hands out any order of arrivals sorted")
    func heap() {
        for seed in 0..<50 as Range<UInt64> {
            var state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1
            let numbers = (0..<100).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state >> 40
            }
            var heap = Heap<UInt64, UInt64>()
            for number in numbers { heap.insert(number, rank: number) }
            var sorted: [UInt64] = []
            while let number = heap.popFirst() { sorted.append(number) }
            #expect(sorted == numbers.sorted())
        }
    }
}

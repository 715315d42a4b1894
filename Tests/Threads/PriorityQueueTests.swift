import SpyglassThreads
import Testing

@Suite("PriorityQueue")
struct PriorityLineTests {
    @Test("The highest rank is served first, and within a rank whoever came first")
    func order() {
        var line = PriorityQueue<String>()
        for (name, rank) in [("low", 0), ("first", 2), ("second", 2), ("middle", 1)] { line.add(name, rank: rank) }
        #expect(Self.served(&line) == ["first", "second", "middle", "low"])
    }

    @Test("Whoever is moved stands where it would have stood from the start")
    func moving() {
        var line = PriorityQueue<String>()
        let early = line.add("early", rank: 0)
        line.add("late", rank: 1)
        line.move(early, to: 1)
        #expect(Self.served(&line) == ["early", "late"])
    }

    @Test("Whoever left is not served, and places of others hold")
    func leaving() {
        var line = PriorityQueue<Int>()
        let places = (0..<1000).map { line.add($0, rank: $0 % 3) }
        for index in 0..<1000 where index % 2 == 0 { #expect(line.remove(places[index]) == index) }
        #expect(line.remove(places[0]) == nil)
        for index in 0..<1000 where index % 2 == 1 { line.move(places[index], to: 0) }
        #expect(line.count == 500)
        #expect(Self.served(&line) == (0..<1000).filter { $0 % 2 == 1 })
    }

    private static func served<Element>(_ line: inout PriorityQueue<Element>) -> [Element] {
        var served: [Element] = []
        while let element = line.popFirst() { served.append(element) }
        return served
    }
}

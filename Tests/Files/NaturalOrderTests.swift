import Testing

@testable import SpyglassFiles

@Suite("NaturalOrder")
struct NaturalOrderTests {
    private func sorted(_ names: [String]) -> [String] {
        names.map { Array($0.utf8) }.sorted(by: NaturalOrder.precedes).map(\.shown)
    }

    @Test("Numbers compare by value, letters without case")
    func people() {
        let names = ["", "2.jpg", "10.jpg", "A1", "a2", "a10", "B", "b.jpg", "IMG_9.jpg", "img_10.jpg", "z"]
        #expect(sorted(names.reversed()) == names)
        #expect(sorted(names.shuffled()) == names)
    }

    @Test("Numbers of any length compare by value")
    func longNumbers() {
        let nines = String(repeating: "9", count: 300)
        let one = "1" + String(repeating: "0", count: 300)
        #expect(sorted([one, "x", nines, "000" + nines]) == ["000" + nines, nines, one, "x"])
    }

    @Test("Names that differ in case or zeros alone have an order")
    func ties() {
        #expect(sorted(["a", "A"]) == ["A", "a"])
        #expect(sorted(["a1", "a01", "a001"]) == ["a001", "a01", "a1"])
        #expect(!NaturalOrder.precedes(Array("a1".utf8), Array("a1".utf8)))
    }

    @Test("The order of any bytes is total and transitive")
    func total() {
        let alphabet: [UInt8] = [0x30, 0x31, 0x39, 0x41, 0x61, 0x2E, 0xC3, 0xFF]
        var names: [[UInt8]] = [[]]
        for _ in 0..<3 { names += names.flatMap { name in alphabet.map { name + [$0] } } }
        let unique = Array(Set(names))
        let order = unique.sorted(by: NaturalOrder.precedes)
        for (index, name) in order.enumerated() {
            for other in order[(index + 1)...].prefix(100) {
                #expect(NaturalOrder.precedes(name, other) && !NaturalOrder.precedes(other, name))
            }
        }
        #expect(unique.reversed().sorted(by: NaturalOrder.precedes) == order)
    }
}

import Testing

@testable import SpyglassBatch

@Suite("SampleKeys")
struct SampleKeysTests {
    @Test("A key is the id, or has a hash where it was changed or is taken")
    func keys() {
        var keys = SampleKeys()
        #expect(keys.next(for: "M_31-a", number: 0) == "M_31-a")
        let others = ["M_31-a", "M_31-a", "M/31.a", "M.31/a", "..", "é", "", String(repeating: "x", count: 300)]
        let made = others.enumerated().map { keys.next(for: $1, number: $0 + 1) }
        #expect(Set(made).count == others.count)
        for key in made {
            let parts = key.split(separator: "-", omittingEmptySubsequences: false)
            #expect(parts.last?.utf8.count == 8 && key.utf8.count <= 64, "\(key)")
            #expect(key.utf8.allSatisfy { $0 != 0x2E && $0 != 0x2F && $0 < 0x80 })
        }
        #expect(made[2].hasPrefix("M_31_a-") && made[4].hasPrefix("__-"))
    }

    @Test("Beyond a million keys, each has sixteen digits of a hash")
    func many() {
        var keys = SampleKeys()
        for number in 0..<1 << 20 { _ = keys.next(for: "\(number)", number: number) }
        let key = keys.next(for: "x", number: 1 << 20)
        #expect(key.hasPrefix("x-") && key.utf8.count == 18)
        #expect(keys.next(for: "x", number: 1 << 20 + 1) != key)
    }
}

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
        #expect(Set(made).count == others.count && made[2].hasPrefix("M_31_a-") && made[4].hasPrefix("__-"))
        for key in made {
            let hash = key.split(separator: "-", omittingEmptySubsequences: false).last
            #expect(hash?.utf8.count == 8 && key.utf8.count <= 64, "\(key)")
            #expect(key.utf8.allSatisfy { $0 != 0x2E && $0 != 0x2F && $0 < 0x80 })
        }
    }

    @Test("Keys stay unique where too many are taken to be remembered")
    func many() {
        var keys = SampleKeys(maxRemembered: 10)
        let count = 200_000
        #expect(Set((0..<count).map { keys.next(for: "x", number: $0) }).count == count)
    }
}

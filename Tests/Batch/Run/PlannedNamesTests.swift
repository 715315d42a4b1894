import Testing

@testable import SpyglassBatch

@Suite("PlannedNames")
struct PlannedNamesTests {
    private func claim(_ names: PlannedNames, _ paths: String..., by id: String) -> PlannedNames.Claim {
        names.claim(paths.map { (OutputName(components: [$0]), Fingerprint(id: id, source: 1, options: 2)) })
    }

    @Test("A name belongs to its first claim and to equal ones")
    func first() {
        let names = PlannedNames()
        #expect(claim(names, "a", "b", by: "one") == .granted)
        #expect(claim(names, "a", "b", by: "one") == .repeated)
        #expect(claim(names, "c", "b", by: "two") == .rejected(OutputName(components: ["b"])))
        // A rejected claim adds nothing.
        #expect(claim(names, "c", by: "three") == .granted)
        #expect(claim(names, "c", "d", by: "three") == .granted)
    }

    @Test("Names beyond the limit are not stored")
    func limit() {
        let names = PlannedNames(limit: 2)
        for name in ["a", "b", "c"] { #expect(claim(names, name, by: "one") == .granted) }
        #expect(claim(names, "b", by: "two") == .rejected(OutputName(components: ["b"])))
        #expect(claim(names, "c", by: "two") == .granted)
    }
}

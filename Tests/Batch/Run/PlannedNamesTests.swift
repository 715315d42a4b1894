import Testing

@testable import SpyglassBatch

@Suite("PlannedNames")
struct PlannedNamesTests {
    private func claim(_ names: PlannedNames, _ paths: String..., by id: String) -> PlannedNames.Claim {
        names.claim(paths.map { (OutputName(components: [$0]), Fingerprint(id: id, source: 1, options: 2)) })
    }

    @Test("A name belongs to whoever claims it first, and to its like")
    func first() {
        let names = PlannedNames()
        #expect(claim(names, "a", "b", by: "one") == .granted)
        #expect(claim(names, "a", "b", by: "one") == .repeated)
        #expect(claim(names, "c", "b", by: "two") == .refused(OutputName(components: ["b"])))
        // Of what was refused nothing is kept.
        #expect(claim(names, "c", by: "three") == .granted)
        #expect(claim(names, "c", "d", by: "three") == .granted)
    }

    @Test("Names beyond the limit are not kept")
    func limit() {
        let names = PlannedNames(limit: 2)
        for name in ["a", "b", "c"] { #expect(claim(names, name, by: "one") == .granted) }
        #expect(claim(names, "b", by: "two") == .refused(OutputName(components: ["b"])))
        #expect(claim(names, "c", by: "two") == .granted)
    }
}

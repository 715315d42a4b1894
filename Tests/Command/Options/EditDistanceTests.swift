import SpyglassCatalog
import Testing

@testable import spyglass

@Suite("EditDistance", .timeLimit(.minutes(10)))
struct EditDistanceTests {
    @Test(
        "Insertions, deletions, replacements and swaps each count one",
        arguments: [
            ("list", "list", 0), ("lst", "list", 1), ("lists", "list", 1), ("lost", "list", 1), ("lsit", "list", 1),
            ("", "list", 4), ("list", "", 4), ("show", "list", 4), ("ca", "abc", 3),
        ])
    func distances(first: String, second: String, distance: Int) {
        #expect(EditDistance.between(first, second) == distance)
    }

    @Test("Only a similar name is suggested")
    func nothingNear() {
        #expect(EditDistance.suggestion(for: "zzzzzz", among: ["list", "show"]) == nil)
        #expect(EditDistance.suggestion(for: "limt", among: ["limit", "timeout"]) == "did you mean limit?")
    }
}

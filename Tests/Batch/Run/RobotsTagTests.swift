import SpyglassFetching
import Testing

@testable import SpyglassBatch

@Suite("RobotsTag")
struct RobotsTagTests {
    @Test(
        "Rules for all robots and for this one count",
        arguments: [
            (["noai"], "noai"), (["NoImageAI, nofollow"], "noimageai"), (["nofollow", " all ,\tnoindex"], "noindex"),
            (["none"], "none"), (["*: noimageindex"], "noimageindex"), (["spyglass: noindex"], "noindex"),
            (["googlebot: noindex"], nil), (["googlebot: nofollow, noindex, spyglass: nosnippet, noai"], "noai"),
            (["unavailable_after: Wed, 3 Dec 2025 13:09:53 GMT, noai"], "noai"),
            (["max-snippet: 5, noindex"], "noindex"),
            (["googlebot: noindex", "noai"], "noai"), (["googlebot: noindex, *:, noai, *:, otherbot: none"], "noai"),
            (["*:, otherbot: none"], nil), (["index, noarchive"], nil), ([""], nil), ([":,::"], nil),
        ] as [([String], String?)])
    func rules(_ values: [String], _ expected: String?) {
        var headers = HeaderFields()
        for value in values { headers.add(name: "x-robots-tag", value: value) }
        #expect(RobotsTag.refusal(in: headers) == expected)
    }
}

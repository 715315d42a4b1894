import Testing

@testable import SpyglassBatch

@Suite("FailureLimit")
struct FailureLimitTests {
    @Test(
        "Allows a number or a share of failures",
        arguments: [
            ("0", 0, true), ("0", 1, false), ("5", 5, true), ("5", 6, false), ("2%", 4, true), ("2%", 5, false),
            ("0.5%", 1, true), ("0.5%", 2, false), ("100%", 200, true),
        ])
    func bounds(_ text: String, _ failed: Int, _ isAllowed: Bool) throws {
        var summary = BatchSummary()
        summary.failed = failed
        summary.ok = 200 - failed
        #expect(try #require(FailureLimit(parsing: text)).allows(summary) == isAllowed)
    }

    @Test("An empty run is a success")
    func nothing() throws {
        #expect(try #require(FailureLimit(parsing: "0%")).allows(BatchSummary()))
        #expect(FailureLimit.none.allows(BatchSummary()))
    }

    @Test(
        "Other texts are rejected",
        arguments: ["", "%", "-1", "+1", "1.5", "101%", "1e3", "2 %", ".5%", "1.2.3%", "nan%", "9999999999999999"])
    func refused(_ text: String) { #expect(FailureLimit(parsing: text) == nil) }
}

import SpyglassCodecs
import SpyglassPixels
import Testing

@testable import SpyglassBatch

@Suite("ItemReport")
struct ItemReportTests {
    @Test("A line has all members in order, escaped")
    func line() {
        var report = ItemReport(number: 3, id: "a\u{9b}\n", shownSource: "b\"", status: .failed)
        report.outputs = [.init(path: "x.jpg", size: PixelSize(width: 3, height: 2), bytes: 99), .init(path: "y.jpg")]
        report.source = .init(size: PixelSize(width: 30, height: 20), format: .jpeg, bytes: 12345)
        report.warnings = ["one", "two"]
        report.failure = BatchError(.notAnImage, "text, not an image")
        report.duration = .microseconds(1_999_999)
        #expect(
            report.json == """
                {"id":"a\\u009b\\n","src":"b\\"","status":"failed",\
                "out":[{"path":"x.jpg","width":3,"height":2,"bytes":99},{"path":"y.jpg","width":null,"height":null,"bytes":null}],\
                "source":{"width":30,"height":20,"format":"jpeg","bytes":12345},"warnings":["one","two"],\
                "error":{"kind":"not_an_image","message":"text, not an image"},"ms":1999}
                """)
    }

    @Test("A summary counts what a stop left and what walks left out, and ends with the added members")
    func summary() {
        var summary = BatchSummary()
        summary.ok = 1
        summary.skipped = 1
        summary.planned = 2
        summary.cancelled = 2
        summary.left = 9
        summary.leftOut = ["SVG": 1, "RAW": 3]
        summary.isInterrupted = true
        #expect(
            summary.json(adding: [("tolerated", "true")]) == """
                {"summary":{"ok":1,"skipped":1,"failed":0,"planned":2,"cancelled":2,"left":9,"left_out":{"RAW":3,"SVG":1},\
                "total":6,"files":0,"bytes":0,"interrupted":true,"ms":0,"tolerated":true}}
                """)
    }
}

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
    func nothing() {
        #expect(FailureLimit(parsing: "0%")?.allows(BatchSummary()) == true)
        #expect(FailureLimit.none.allows(BatchSummary()))
    }

    @Test(
        "Other texts are rejected",
        arguments: ["", "%", "-1", "+1", "1.5", "101%", "1e3", "2 %", ".5%", "1.2.3%", "nan%", "9999999999999999"])
    func refused(_ text: String) { #expect(FailureLimit(parsing: text) == nil) }
}

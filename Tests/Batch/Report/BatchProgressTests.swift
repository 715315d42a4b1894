import Testing

@testable import SpyglassBatch

@Suite("BatchProgress")
struct BatchProgressTests {
    private static func ended(_ status: ItemReport.Status = .ok) -> BatchEvent {
        .ended(ItemReport(number: 0, id: "", shownSource: "", status: status))
    }

    @Test("A line has the counts, the rate, the failures and the time left")
    func wholeLine() {
        var progress = BatchProgress(.bar, total: 10_000)
        for number in 1...1234 {
            _ = progress.update(Self.ended(number <= 3 ? .failed : .ok), at: .milliseconds(number * 5))
        }
        #expect(progress.line(at: .milliseconds(6170)) == "1,234 of 10,000 · 200/s · 3 failed · 0:44 left")
    }

    @Test(
        "Skipped items are counted, but not in the rate and the time left; cancelled ones are neither done nor failed")
    func skipped() {
        var progress = BatchProgress(.bar, total: 1_000)
        _ = progress.update(Self.ended(.cancelled), at: .seconds(1))
        for _ in 0..<900 { _ = progress.update(Self.ended(.skipped), at: .seconds(1)) }
        #expect(progress.line(at: .seconds(1)) == "900 of 1,000")
        for number in 1...20 { _ = progress.update(Self.ended(), at: .milliseconds(1000 + number * 50)) }
        #expect(progress.line(at: .seconds(2)) == "920 of 1,000 · 10/s · 0:08 left")
        #expect(progress.fraction == 0.92)
    }

    @Test("A bar is shown when the first item begins")
    func start() {
        var progress = BatchProgress(.bar, total: 2)
        let event = BatchEvent.began(number: 0, id: "")
        var log = BatchProgress(.lines, total: 2)
        let lines = [progress.update(event, at: .milliseconds(3)), progress.update(event, at: .milliseconds(4))]
        #expect(lines == ["0 of 2", nil] && log.update(event, at: .milliseconds(3)) == nil)
    }

    @Test("Shorter lines drop the rate first, then the failures, then the time left")
    func narrow() {
        var progress = BatchProgress(.bar, total: 4)
        _ = progress.update(Self.ended(.failed), at: .seconds(1))
        #expect(
            progress.lines(at: .seconds(1)) == [
                "1 of 4 · 1.0/s · 1 failed · 0:03 left", "1 of 4 · 1 failed · 0:03 left", "1 of 4 · 0:03 left",
                "1 of 4",
            ])
    }

    @Test("A line without a total has no time left")
    func openEnd() {
        var progress = BatchProgress(.lines, total: nil)
        _ = progress.update(Self.ended(), at: .seconds(4))
        #expect(progress.line(at: .seconds(4)) == "1 · 0.3/s" && progress.fraction == nil)
    }

    @Test("The rate covers the last seconds")
    func recentSpeed() {
        var progress = BatchProgress(.bar, total: 2_000)
        for _ in 0..<1000 { _ = progress.update(Self.ended(.skipped), at: .seconds(1)) }
        for second in 2...30 { _ = progress.update(Self.ended(), at: .seconds(second)) }
        #expect(progress.line(at: .seconds(30)) == "1,029 of 2,000 · 1.0/s · 16:11 left")
    }

    @Test(
        "A style has lines at its interval, and one at the end",
        arguments: [(BatchProgress.Style.bar, 10), (.lines, 0)])
    func pace(_ style: BatchProgress.Style, _ count: Int) {
        var progress = BatchProgress(style, total: nil)
        let lines = (1...1000).compactMap { progress.update(Self.ended(), at: .milliseconds($0)) }
        #expect(lines.count == count)
        #expect(progress.update(.finished(BatchSummary()), at: .seconds(1)) == "1,000 · 1,000/s")
    }

    @Test("none has no lines")
    func none() {
        var progress = BatchProgress(.none, total: 1)
        let lines = [Self.ended(), .finished(BatchSummary())].map { progress.update($0, at: .seconds(100)) }
        #expect(lines == [nil, nil])
    }
}

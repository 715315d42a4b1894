/// The progress of a batch: `1,234 of 10,000 · 56/s · 3 failed · 2:12 left`, and a bar where the total is known.
package struct BatchProgress: Sendable {
    package enum Style: Hashable, Sendable {
        /// A bar and a line, rewritten ten times a second.
        case bar
        /// A line every ten seconds, for logs.
        case lines
        case none

        fileprivate var interval: Duration? {
            switch self {
            case .bar: .milliseconds(100)
            case .lines: .seconds(10)
            case .none: nil
            }
        }
    }

    private typealias Mark = (time: Duration, worked: Int)

    /// The rate covers the last seconds.
    private static let rateSpan = Duration.seconds(10)
    private let style: Style
    private let total: Int?
    private var done = 0
    /// Items that were not skipped: the rate is theirs, since skipped ones are a hundred times as fast.
    private var worked = 0
    private var failed = 0
    private var lastLine = Duration.zero
    private var marks: [Mark] = [(.zero, 0)]

    package init(_ style: Style, total: Int?) {
        self.style = style
        self.total = total
    }

    /// Returns a line if one is due: after the style's interval, and at the end; `time` never decreases.
    package mutating func update(_ event: BatchEvent, at time: Duration) -> String? {
        switch event {
        case .began:
            // The bar is there before the first item ends.
            guard style == .bar, done == 0, lastLine == .zero, time > .zero else { return nil }
            lastLine = time
            return line(at: time)
        case .ended(let report):
            guard report.status != .cancelled else { return nil }
            done += 1
            if report.status != .skipped { worked += 1 }
            if report.status == .failed { failed += 1 }
            mark(time)
            guard let interval = style.interval, time - lastLine >= interval else { return nil }
            lastLine = time
            return line(at: time)
        case .finished: return style.interval == nil ? nil : line(at: time)
        }
    }

    private mutating func mark(_ time: Duration) {
        if let last = marks.last, time - last.time >= .seconds(1) { marks.append((time, worked)) }
        // The first one is the start of the span.
        while marks.count > 1, time - marks[1].time >= Self.rateSpan { marks.removeFirst() }
    }

    package func line(at time: Duration) -> String { lines(at: time)[0] }

    /// The line, and shorter ones for narrow terminals.
    package func lines(at time: Duration) -> [String] {
        let start = marks.first ?? (.zero, 0)
        let seconds = (time - start.time) / .seconds(1)
        let rate = seconds > 0 ? Double(worked - start.worked) / seconds : 0
        let count = total.map { "\(done.grouped) of \($0.grouped)" } ?? done.grouped
        let speed = rate > 0 ? "\(Self.short(rate))/s" : nil
        let failures = failed > 0 ? "\(failed.grouped) failed" : nil
        var timeLeft: String?
        if let total, total > done, rate > 0 {
            let left = Double(total - done) / rate
            // Longer estimates are useless.
            if left < 100 * 3600 { timeLeft = "\(Self.clock(Int(left.rounded(.up)))) left" }
        }
        return [[count, speed, failures, timeLeft], [count, failures, timeLeft], [count, timeLeft], [count]].map {
            $0.compactMap(\.self).joined(separator: " · ")
        }
    }

    /// From 0 to 1; `nil` if the total is unknown.
    package var fraction: Double? { total.map { $0 > 0 ? Double(done) / Double($0) : 1 } }

    /// `56`, `1,234`; below ten with one decimal.
    private static func short(_ rate: Double) -> String {
        guard rate < 9.95 else { return Int(rate.rounded()).grouped }
        let tenths = max(1, Int((rate * 10).rounded()))
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// `0:12`, `12:34`, `1:23:45`.
    private static func clock(_ seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (minutes, hours) = (seconds / 60 % 60, seconds / 3600)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }
}

/// The time since its start, on any clock.
struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration

    init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// Opens the existential.
    static func started(on clock: any Clock<Duration>) -> Stopwatch { Stopwatch(clock) }
}

extension Duration {
    /// Whole milliseconds, for reports.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// Milliseconds with one decimal, for messages.
    var tenthsOfMilliseconds: String {
        let (seconds, attoseconds) = components
        let tenths = Int(seconds) * 10_000 + Int(attoseconds / 100_000_000_000_000)
        return "\(tenths / 10).\(tenths % 10)"
    }
}

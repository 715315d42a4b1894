/// Time since a moment, on any clock.
struct Stopwatch: Sendable {
    /// How long ago the stopwatch was started.
    let elapsed: @Sendable () -> Duration

    init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// A stopwatch on a clock of unknown kind.
    static func started(on clock: any Clock<Duration>) -> Stopwatch { Stopwatch(clock) }
}

extension Duration {
    /// Whole milliseconds, for reports.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// Milliseconds with one digit behind the point, for people.
    var tenthsOfMilliseconds: String {
        let (seconds, attoseconds) = components
        let tenths = Int(seconds) * 10_000 + Int(attoseconds / 100_000_000_000_000)
        return "\(tenths / 10).\(tenths % 10)"
    }
}

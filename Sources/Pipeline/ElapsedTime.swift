/// Time on a clock of any kind, counted from a start.
struct ElapsedTime: Sendable {
    /// How long ago the start was.
    let now: @Sendable () -> Duration

    /// Counts from now on `clock`.
    init(_ clock: any Clock<Duration>) { now = Self.counting(on: clock) }

    private static func counting<C: Clock>(on clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

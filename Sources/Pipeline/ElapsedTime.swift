/// Time on a clock of any kind, counted from a start.
struct ElapsedTime: Sendable {
    /// How long ago the start was.
    let now: @Sendable () -> Duration
    /// Waits until that long after the start.
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    /// Counts from now on `clock`.
    init(_ clock: any Clock<Duration>) { self = Self.counting(on: clock) }

    private init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    private static func counting<C: Clock>(on clock: C) -> ElapsedTime where C.Duration == Duration {
        let start = clock.now
        return ElapsedTime(
            now: { start.duration(to: clock.now) },
            sleep: { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) })
    }
}

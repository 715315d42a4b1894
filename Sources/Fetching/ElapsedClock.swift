/// A type-erased clock: times are durations since its creation.
package struct ElapsedClock: Sendable {
    package let now: @Sendable () -> Duration
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    package init(_ clock: any Clock<Duration>) { self = Self.counting(on: clock) }

    private init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    private static func counting<C: Clock>(on clock: C) -> ElapsedClock where C.Duration == Duration {
        let start = clock.now
        return ElapsedClock(
            now: { start.duration(to: clock.now) },
            sleep: { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) })
    }
}

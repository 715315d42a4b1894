/// A type-erased clock: times are durations since its creation.
package struct ElapsedClock: Sendable {
    package let now: @Sendable () -> Duration
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    package init(_ clock: any Clock<Duration>) {
        // Nearly always this one, whose calls are specialised.
        if let clock = clock as? ContinuousClock { self.init(of: clock) } else { self.init(of: clock) }
    }

    private init<C: Clock>(of clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}

/// A condition of `waitUntil` did not hold in time.
public struct ConditionTimeout: Error {}

/// Polls for a condition that sends no event, such as the length of a queue of the product or the end of an object.
///
/// It yields to other tasks between two checks. Prefer `WatchedValue`, `CallRecorder`, `ManualClock.waitForSleepers`,
/// `LoopbackServer.wait` and gates where they apply.
/// - Throws: `ConditionTimeout` after five minutes.
public func waitUntil(
    isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async throws(ConditionTimeout) {
    let end = ContinuousClock.now + .seconds(300)
    while !condition() {
        guard ContinuousClock.now < end else { throw ConditionTimeout() }
        await Task.yield()
    }
}

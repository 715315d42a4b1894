/// Waits for a condition that sends no event, such as the length of a queue or the end of an object.
///
/// Prefer `ManualClock.waitForSleepers`, `LoopbackServer.wait` and gates where they apply.
public func waitUntil(
    isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async {
    while !condition() { await Task.yield() }
}

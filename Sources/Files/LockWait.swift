internal import Glibc
internal import struct Synchronization.Atomic

/// Waits for file locks (`flock`).
///
/// After a timeout, callers try once without waiting, until one succeeds: a stopped process (Ctrl-Z) keeps its lock.
package final class LockWait: Sendable {
    private let hasTimedOut = Atomic(false)

    package init() {}

    /// Calls `attempt` at least once, then every millisecond until it returns true; returns false at the timeout.
    ///
    /// Attempts are counted, not time, so that a stop of this process takes none of it.
    package func retry(
        for timeout: Duration, _ attempt: () throws(FileError) -> Bool
    ) throws(FileError) -> Bool {
        var left = Int(timeout / .milliseconds(1))
        while try !attempt() {
            guard !hasTimedOut.load(ordering: .relaxed) else { return false }
            guard left > 0 else {
                hasTimedOut.store(true, ordering: .relaxed)
                return false
            }
            left -= 1
            poll(nil, 0, 1)
        }
        hasTimedOut.store(false, ordering: .relaxed)
        return true
    }
}

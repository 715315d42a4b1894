internal import Glibc
internal import struct Synchronization.Atomic

/// Waits for locks of files (`flock`); after a wait in vain no more, until one succeeds: a stopped process (Ctrl-Z) keeps its lock.
package final class LockWait: Sendable {
    private let wasInVain = Atomic(false)

    package init() {}

    /// Calls `attempt` every millisecond until it returns true; returns false if the time is over first.
    package func succeeds(within limit: Duration, _ attempt: () throws(FileError) -> Bool) throws(FileError) -> Bool {
        let end = ContinuousClock.now + limit
        while try !attempt() {
            guard ContinuousClock.now < end, !wasInVain.load(ordering: .relaxed) else {
                wasInVain.store(true, ordering: .relaxed)
                return false
            }
            poll(nil, 0, 1)
        }
        wasInVain.store(false, ordering: .relaxed)
        return true
    }
}

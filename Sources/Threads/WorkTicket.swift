internal import struct Synchronization.Atomic

/// The priority of one `ThreadPool.run`, which may change while the work is queued; thread-safe.
package final class WorkTicket: Sendable {
    private let storedPriority: Atomic<Int>
    let cancellation = Cancellation()
    private let queue = Mutex(WeakQueue())

    /// A ticket; greater priorities are sooner.
    package init(priority: Int) { storedPriority = Atomic(priority) }

    /// Greater is sooner.
    ///
    /// Setting it moves queued work; running work continues.
    package var priority: Int {
        get { storedPriority.load(ordering: .acquiring) }
        set {
            storedPriority.store(newValue, ordering: .releasing)
            queue.withLock { $0.queue }?.priorityChanged(of: self)
        }
    }

    func enters(_ queue: WorkQueue) { self.queue.withLock { $0.queue = queue } }

    private struct WeakQueue { weak var queue: WorkQueue? }
}

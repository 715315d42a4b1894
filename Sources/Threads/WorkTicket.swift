internal import struct Synchronization.Atomic

/// The rank of one piece of work, which may change while it waits.
///
/// Good for one `run`; thread-safe.
public final class WorkTicket: Sendable {
    private let storedRank: Atomic<Int>
    private let cancelled = Atomic(false)
    /// Where the work is lined up; told after the rank has changed.
    private let queue = Mutex<WeakQueue>(WeakQueue())

    /// A ticket; greater ranks are sooner.
    public init(rank: Int) { storedRank = Atomic(rank) }

    /// Greater is sooner.
    ///
    /// Setting it moves work that waits; work that has started goes on.
    public var rank: Int {
        get { storedRank.load(ordering: .acquiring) }
        set {
            storedRank.store(newValue, ordering: .releasing)
            queue.withLock { $0.queue }?.rankChanged(of: self)
        }
    }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    func isLinedUp(in queue: WorkQueue) { self.queue.withLock { $0.queue = queue } }

    private struct WeakQueue {
        weak var queue: WorkQueue?
    }
}

import Glibc
import struct Synchronization.Atomic

/// A few threads that decode, so that no thread of Swift's cooperative pool is ever kept from its tasks.
///
///     let threads = DecodingThreads(count: 2)
///     let pixels = await threads.run { isCancelled in decode(bytes, isCancelled) }
///
/// Work is done in the order it came. The threads end when the last reference goes.
final class DecodingThreads: Sendable {
    private let queue: WorkQueue

    /// Starts `count` threads, at least one; where the system refuses them all, work is done on the caller's thread.
    init(count: Int = 2) {
        queue = WorkQueue()
        for _ in 0..<max(1, count) { queue.startThread() }
    }

    deinit { queue.close() }

    /// Runs `work` on one of the threads; other tasks go on meanwhile.
    ///
    /// `work` is given a question that it should ask now and then: whether the task that wants it was cancelled.
    func run<Value: Sendable>(_ work: @escaping @Sendable (_ isCancelled: () -> Bool) -> Value) async -> Value {
        let flag = CancellationFlag()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.add { continuation.resume(returning: work { flag.isUp.load(ordering: .relaxed) }) }
            }
        } onCancel: {
            flag.isUp.store(true, ordering: .relaxed)
        }
    }
}

/// Tells a thread that its work is no longer wanted.
private final class CancellationFlag: Sendable {
    let isUp = Atomic(false)
}

/// Closures that wait for a thread.
///
/// `@unchecked Sendable`: `jobs`, `isClosed` and `threadCount` are touched only between `pthread_mutex_lock` and
/// `pthread_mutex_unlock`; the two pointers never change.
private final class WorkQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [@Sendable () -> Void] = []
    private var isClosed = false
    private var threadCount = 0

    init() {
        mutex.initialize(to: pthread_mutex_t())
        changed.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    func add(_ job: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        let hasThreads = threadCount > 0
        if hasThreads { jobs.append(job) }
        pthread_cond_signal(changed)
        pthread_mutex_unlock(mutex)
        if !hasThreads { job() }
    }

    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }

    func startThread() {
        pthread_mutex_lock(mutex)
        threadCount += 1
        pthread_mutex_unlock(mutex)
        // The thread owns one reference to the queue until it ends.
        let owned = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<WorkQueue>.fromOpaque(context).takeRetainedValue().work()
                return nil
            }, owned.toOpaque())
        guard status == 0 else {
            owned.release()
            pthread_mutex_lock(mutex)
            threadCount -= 1
            pthread_mutex_unlock(mutex)
            return
        }
        pthread_detach(thread)
    }

    private func work() {
        while let job = next() { job() }
    }

    /// The oldest job, waiting for one; `nil` when the queue is closed and empty.
    private func next() -> (@Sendable () -> Void)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty {
            if isClosed { return nil }
            pthread_cond_wait(changed, mutex)
        }
        return jobs.removeFirst()
    }
}

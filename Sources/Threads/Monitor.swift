internal import Glibc

/// A locked value with a condition variable (`pthread_mutex_t`, `pthread_cond_t`), for threads that may block.
///
/// `@unchecked Sendable`: the value is accessed only while the mutex is locked; the pointers never change.
package final class Monitor<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
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

    package func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Runs `attempt` under the lock, again after each wake-up, until it returns a value.
    package func wait<Result>(_ attempt: (inout sending Value) -> sending Result?) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = attempt(&value) { return result }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Runs `attempt` under the lock, again after each wake-up, until it returns a value; `nil` once cancelled.
    package func wait<Result>(
        unless cancellation: Cancellation?, _ attempt: (inout sending Value) -> sending Result?
    ) -> sending Result? {
        // Under the lock, so that no waiter misses it between its look at the cancellation and its wait.
        let registration = cancellation?.onCancel { self.withLock { _ in self.wakeAll() } }
        defer { withExtendedLifetime(registration) {} }
        return wait { value -> Result?? in
            if let result = attempt(&value) { return .some(result) }
            return cancellation.isCancelled ? .some(nil) : nil
        }
    }

    /// Wakes one waiting thread; may be called under the lock.
    package func wakeOne() { pthread_cond_signal(changed) }

    /// Wakes all waiting threads; may be called under the lock.
    package func wakeAll() { pthread_cond_broadcast(changed) }
}

internal import Glibc

/// A value that one thread at a time may touch, and a condition that threads wait for (`pthread_mutex_t`, `pthread_cond_t`).
///
///     let job = line.wait { state in state.next() }
///     line.withLock { $0.add(job) }
///     line.wakeOne()
///
/// For threads that may block; a task awaits, and a value that nobody waits for has a `Mutex`.
///
/// `@unchecked Sendable`: the value is touched only between `pthread_mutex_lock` and `pthread_mutex_unlock`; the pointers never change.
package final class Monitor<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    /// Guards a value.
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

    /// Runs `body` on the value while no other thread can.
    package func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Runs `attempt` on the value, now and whenever this thread is woken, until it answers something; nobody else can in between but
    /// while it sleeps.
    package func wait<Result>(_ attempt: (inout sending Value) -> sending Result?) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = attempt(&value) { return result }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Has one of those who wait look again; may be called under the lock.
    package func wakeOne() { pthread_cond_signal(changed) }

    /// Has all who wait look again; may be called under the lock.
    package func wakeAll() { pthread_cond_broadcast(changed) }
}

// ThreadSanitizer does not know the futex of Synchronization's Mutex (Swift 6.3) and reports every access under it as a race.
// `make test-tsan` therefore builds with THREAD_SANITIZER, which selects a pthread mutex.

#if THREAD_SANITIZER
    internal import Glibc

    /// A locked value.
    ///
    /// `@unchecked Sendable`: the value is accessed in `withLock` only.
    @usableFromInline
    package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        /// Guards a value.
        package init(_ value: consuming sending Value) {
            lock = .allocate(capacity: 1)
            lock.initialize(to: pthread_mutex_t())
            pthread_mutex_init(lock, nil)
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            pthread_mutex_destroy(lock)
            lock.deallocate()
            value.deinitialize(count: 1)
            value.deallocate()
        }

        /// Runs `body` under the lock.
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#else
    public import Synchronization

    /// A locked value: `Synchronization.Mutex`, one word without allocation.
    @usableFromInline
    package struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
        @usableFromInline let mutex: Synchronization.Mutex<Value>

        /// Guards a value.
        @inlinable
        package init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

        /// Runs `body` under the lock.
        @inlinable
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result { try mutex.withLock(body) }
    }
#endif

/// Orders a resume before its await for ThreadSanitizer; otherwise does nothing.
package enum ThreadSanitizer {
    #if THREAD_SANITIZER
        private static let order = Mutex(())
    #endif

    /// Call before a thread resumes a continuation with a result, and in the task after it.
    ///
    /// ThreadSanitizer misses the order of the two where a continuation is resumed before it is awaited (Swift 6.3).
    @inline(__always)
    package static func synchronize() {
        #if THREAD_SANITIZER
            order.withLock { _ in }
        #endif
    }
}

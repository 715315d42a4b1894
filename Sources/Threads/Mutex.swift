// ThreadSanitizer follows pthread's locks but not the futex under Synchronization's Mutex (Swift 6.3), and reports every
// access under it as a race. `make test-tsan` therefore builds with THREAD_SANITIZER, and the lock below is pthread's.

#if THREAD_SANITIZER
    internal import Glibc

    /// A value that one thread at a time may touch.
    ///
    /// `@unchecked Sendable`: the value is reached through `withLock` alone.
    public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        /// Guards a value.
        public init(_ value: consuming sending Value) {
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

        /// Runs `body` on the value while no other thread can.
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#else
    public import Synchronization

    /// A value that one thread at a time may touch: `Synchronization.Mutex`, which is one word and no allocation.
    public struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
        @usableFromInline let mutex: Synchronization.Mutex<Value>

        /// Guards a value.
        @inlinable
        public init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

        /// Runs `body` on the value while no other thread can.
        @inlinable
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif

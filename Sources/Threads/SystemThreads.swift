package import Glibc

/// Threads of the system.
package enum SystemThreads {
    /// Starts a thread (`pthread_create`), which gets no signals but those of faults: a crash must reach its handler.
    ///
    /// - Returns: the thread, which the caller joins or detaches.
    /// - Throws: the error number where the system allows no more.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(ThreadError) -> pthread_t {
        var signals = sigset_t()
        var previous = sigset_t()
        sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&signals, fault) }
        // The thread inherits the mask.
        pthread_sigmask(SIG_SETMASK, &signals, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        let work = Unmanaged.passRetained(ThreadWork(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { work in
                if let work { Unmanaged<ThreadWork>.fromOpaque(work).takeRetainedValue().run() }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw ThreadError(code: code)
        }
        return thread
    }

    /// Starts threads that all live at once, then ends them; costs 20 µs each.
    ///
    /// Swift's tasks wait for ever where the system allows no thread, so a program should ask before it starts one.
    ///
    /// - Throws: the error of the first that did not start.
    package static func check(_ count: Int) throws(ThreadError) {
        let mayEnd = Monitor(false)
        var threads: [pthread_t] = []
        defer {
            mayEnd.withLock { $0 = true }
            mayEnd.wakeAll()
            for thread in threads { pthread_join(thread, nil) }
        }
        for _ in 0..<count { threads.append(try start { _ = mayEnd.wait { $0 ? true : nil } }) }
    }
}

/// The error number of `pthread_create`.
package struct ThreadError: Error, CustomStringConvertible {
    package let code: Int32
    package var description: String { String(cString: strerror(code)) }
}

private final class ThreadWork: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

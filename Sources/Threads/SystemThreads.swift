internal import Glibc

/// The threads that the system allows.
package enum SystemThreads {
    /// Starts threads that all live at once, then ends them (`pthread_create`); costs 20 µs each.
    ///
    /// Swift's tasks wait for ever where the system allows no thread, so a program should ask before it starts one.
    ///
    /// - Returns: 0, or the error number of the first that did not start.
    package static func check(_ count: Int) -> Int32 {
        let mayEnd = Monitor(false)
        var threads: [pthread_t] = []
        var code: Int32 = 0
        while code == 0, threads.count < count {
            var thread = pthread_t()
            code = pthread_create(
                &thread, nil,
                { gate in
                    guard let gate else { return nil }
                    _ = Unmanaged<Monitor<Bool>>.fromOpaque(gate).takeUnretainedValue().wait { $0 ? true : nil }
                    return nil
                }, Unmanaged.passUnretained(mayEnd).toOpaque())
            if code == 0 { threads.append(thread) }
        }
        mayEnd.withLock { $0 = true }
        mayEnd.wakeAll()
        for thread in threads { pthread_join(thread, nil) }
        return withExtendedLifetime(mayEnd) { code }
    }
}

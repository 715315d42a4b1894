internal import Glibc

/// Threads that start together on the same work.
enum ThreadTeam {
    /// What a thread does, on its way through a C pointer.
    private final class Job: Sendable {
        let number: Int
        let body: @Sendable (Int) -> Void

        init(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.number = number
            self.body = body
        }
    }

    /// Runs `body` with the numbers from 0, each but the first on a thread of its own, and returns when all are done.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let threads = (1..<max(count, 1)).map { number in
            var thread = pthread_t()
            let job = Unmanaged.passRetained(Job(number, body))
            let code = pthread_create(
                &thread, nil,
                { pointer in
                    guard let pointer else { return nil }
                    let job = Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue()
                    job.body(job.number)
                    return nil
                }, job.toOpaque())
            precondition(code == 0, "a thread cannot be started")
            return thread
        }
        body(0)
        for thread in threads { pthread_join(thread, nil) }
    }
}

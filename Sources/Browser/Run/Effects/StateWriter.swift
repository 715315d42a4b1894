internal import SpyglassThreads

/// Writes what is remembered on a thread of its own, in order, and says in one line what could not be written.
struct StateWriter {
    private typealias Job = @Sendable () throws -> Void

    private let jobs: AsyncStream<Job>.Continuation
    private let work: Task<Void, Never>

    init(_ inbox: BrowserInbox) {
        let (stream, continuation) = AsyncStream.makeStream(of: Job.self)
        jobs = continuation
        work = Task {
            let thread = ThreadPool(count: 1)
            for await job in stream {
                do {
                    try await thread.run { _ in try job() }
                } catch {
                    inbox.notify("\(error)")
                }
            }
        }
    }

    func write(_ job: @escaping @Sendable () throws -> Void) { jobs.yield(job) }

    func finish() async {
        jobs.finish()
        await work.value
    }
}

internal import SpyglassThreads

/// Writes the browser's state in order on a thread of its own, and reports failures as a message.
struct StateWriter {
    typealias Write = @Sendable () throws -> Void

    private let queue: WriteBehindQueue<Never, Write, Void>

    init(_ inbox: BrowserInbox) {
        queue = WriteBehindQueue((), on: ThreadPool(count: 1)) { write, _ in
            do { try write() } catch { inbox.notify("\(error)") }
        }
    }

    func write(_ write: @escaping Write) { queue.withLock { $0.put(write) } }

    func finish() async { await queue.flush() }
}

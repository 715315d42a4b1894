internal import Dispatch

/// File work one after another on a Dispatch queue, so that the cooperative pool never waits for a disk.
struct FileWork: Sendable {
    private let queue: DispatchQueue

    init(_ name: String) { queue = DispatchQueue(label: name) }

    /// Runs `body` behind everything that was asked for before; not at all when the task is cancelled by then.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let ticket = FetchTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Result { () throws -> Value in
                            if ticket.isCancelled { throw CancellationError() }
                            return try body()
                        })
                }
            }
        } onCancel: {
            ticket.cancel()
        }
    }
}

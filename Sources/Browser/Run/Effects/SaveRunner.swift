internal import SpyglassFetching

/// Saves one original at a time: what comes next begins when the one before has cleared away what it had begun.
struct SaveRunner {
    private let services: BrowserServices
    private let queue: EventQueue
    private var work: Task<Void, Never>?
    /// Tells the newest work from those before, of which events may still be on their way.
    private var number = 0

    init(_ services: BrowserServices, _ queue: EventQueue) {
        self.services = services
        self.queue = queue
    }

    /// Finds out how large a file is; not to know it is no failure.
    mutating func askSize(_ address: WebAddress, _ trust: AddressTrust, of backend: BrowserBackend) {
        begin { tell in
            let size = try? await backend.size(address, trust)
            guard !Task.isCancelled else { return }
            tell(.size(size))
        }
    }

    /// Saves a file, telling of progress.
    mutating func save(
        _ address: WebAddress, _ trust: AddressTrust, to path: String, from backend: BrowserBackend,
        _ search: BrowserSearch
    ) {
        begin { [services] tell in
            do {
                let written = try await backend.save(address, trust, path) { received, bytes in
                    tell(.progress(received: received, bytes: bytes))
                }
                tell(.done(path: written))
            } catch is CancellationError {
                tell(.cancelled)
            } catch {
                tell(.failed(Problem(await services.explain(error, search))))
            }
        }
    }

    /// What an event means by now: of work before the newest only its end is worth a line.
    func event(_ event: SaveEvent, ofWork number: Int) -> BrowserEvent? {
        guard number != self.number else { return .save(event) }
        return switch event {
        case .done(let path): .notice(.saved(path: path))
        case .cancelled: .notice(.saveCancelled)
        case .size, .progress, .failed: nil
        }
    }

    func cancel() { work?.cancel() }

    /// Cancels what is under way; returns when nothing of it is left on the disk.
    func finish() async {
        cancel()
        await work?.value
    }

    private mutating func begin(
        _ body: @escaping @Sendable (_ tell: @escaping @Sendable (SaveEvent) -> Void) async -> Void
    ) {
        let before = work
        before?.cancel()
        number += 1
        work = Task { [queue, number] in
            await before?.value
            await body { queue.add(.saving($0, work: number)) }
        }
    }
}

internal import SpyglassFetching

struct SaveRunner {
    private let services: BrowserServices
    private let queue: EventQueue
    private var work: Task<Void, Never>?
    /// Identifies the newest work; events of earlier work may still arrive.
    private var number = 0

    init(_ services: BrowserServices, _ queue: EventQueue) {
        self.services = services
        self.queue = queue
    }

    mutating func askSize(_ address: WebAddress, _ trust: AddressTrust, of backend: BrowserBackend) {
        begin { send in
            let size = try? await backend.size(address, trust)
            guard !Task.isCancelled else { return }
            send(.size(size))
        }
    }

    mutating func save(
        _ address: WebAddress, _ trust: AddressTrust, to path: String, from backend: BrowserBackend,
        _ search: BrowserSearch
    ) {
        begin { [services] send in
            do {
                let written = try await backend.save(address, trust, path) { received, bytes in
                    send(.progress(received: received, bytes: bytes))
                }
                send(.done(path: written))
            } catch is CancellationError {
                send(.cancelled)
            } catch {
                send(.failed(await services.explain(error, search)))
            }
        }
    }

    /// The event to handle; of earlier work only its end is shown.
    func event(_ event: SaveEvent, ofWork number: Int) -> BrowserEvent? {
        guard number != self.number else { return .save(event) }
        return switch event {
        case .done(let path): .notice(.saved(path: path))
        case .cancelled: .notice(.saveCancelled)
        case .size, .progress, .failed: nil
        }
    }

    func cancel() { work?.cancel() }

    /// Cancels the work; returns when its partial file is removed.
    func finish() async {
        cancel()
        await work?.value
    }

    private mutating func begin(
        _ body: @escaping @Sendable (_ send: @escaping @Sendable (SaveEvent) -> Void) async -> Void
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

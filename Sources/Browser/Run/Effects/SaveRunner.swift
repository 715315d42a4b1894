internal import SpyglassFetching

/// Saves one original at a time.
struct SaveRunner {
    private let services: BrowserServices
    private let queue: EventQueue
    private var work: Task<Void, Never>?

    init(_ services: BrowserServices, _ queue: EventQueue) {
        self.services = services
        self.queue = queue
    }

    /// Finds out how large a file is; not to know it is no failure.
    mutating func askSize(_ address: WebAddress, _ trust: AddressTrust, of supply: BrowserSupply) {
        work?.cancel()
        work = Task { [queue] in
            let size = try? await supply.size(address, trust)
            guard !Task.isCancelled else { return }
            queue.add(.event(.save(.size(size))))
        }
    }

    /// Saves a file, telling of progress.
    mutating func save(
        _ address: WebAddress, _ trust: AddressTrust, to path: String, from supply: BrowserSupply,
        _ search: BrowserSearch
    ) {
        work?.cancel()
        work = Task { [queue, services] in
            do {
                let written = try await supply.save(address, trust, path) { received, bytes in
                    queue.add(.event(.save(.progress(received: received, bytes: bytes))))
                }
                queue.add(.event(.save(.done(path: written))))
            } catch is CancellationError {
                queue.add(.event(.save(.cancelled)))
            } catch {
                queue.add(.event(.save(.failed(Problem(await services.explain(error, search))))))
            }
        }
    }

    mutating func cancel() {
        work?.cancel()
        work = nil
    }
}

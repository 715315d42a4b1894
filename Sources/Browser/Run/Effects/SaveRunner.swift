internal import SpyglassCatalog
internal import SpyglassFetching

/// Saves originals and makes resized copies, one job at a time.
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

    /// Saves one original after the other; a failed one does not stop the others, unless nothing can be written.
    mutating func save(_ job: SaveJob, from backend: BrowserBackend, _ search: BrowserSearch) {
        begin { [services] send in
            var outcome = SaveOutcome()
            for (index, item) in job.items.enumerated() {
                do {
                    try Task.checkCancellation()
                    send(.progress(SaveProgress(done: index)))
                    let (item, note) = try await item.completed(by: backend)
                    guard let source = item.source else { throw BrowserError("no image", canRetry: false) }
                    let target = SaveTarget(path: job.path, name: item.name, isFolder: job.isFolder)
                    outcome.paths.append(
                        try await backend.save(source, target) { received, bytes in
                            send(
                                .progress(
                                    SaveProgress(done: index, received: max(received, 0), bytes: bytes)))
                        })
                    outcome.note = outcome.note ?? note
                } catch is CancellationError {
                    return send(.cancelled)
                } catch {
                    let problem = await services.describe(error, search)
                    outcome.fail(item, problem)
                    guard (error as? FetchError)?.kind == .unavailable else { continue }
                    for item in job.items[(index + 1)...] { outcome.fail(item, problem) }
                    break
                }
            }
            send(.done(outcome))
        }
    }

    /// Makes resized copies.
    mutating func export(_ job: ExportJob, from backend: BrowserBackend, _ search: BrowserSearch) {
        begin { [services] send in
            do {
                send(.done(try await backend.export(job) { send(.progress(SaveProgress(done: $0))) }))
            } catch is CancellationError {
                send(.cancelled)
            } catch {
                let problem = await services.describe(error, search)
                var outcome = SaveOutcome()
                for item in job.items { outcome.fail(item, problem) }
                send(.done(outcome))
            }
        }
    }

    /// The event to handle; of earlier work only its end is shown.
    func event(_ event: SaveEvent, ofWork number: Int) -> BrowserEvent? {
        guard number != self.number else { return .save(event) }
        return switch event {
        case .done(let outcome): outcome.paths.first.map { .notice(.saved(path: $0)) }
        case .cancelled: .notice(.saveCancelled)
        case .size, .progress: nil
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

extension SaveItem {
    /// With all files that the source names; else as it is, and why, if it has an image.
    func completed(by backend: BrowserBackend) async throws -> (item: SaveItem, note: String?) {
        guard !isComplete else { return (self, nil) }
        var item = self
        do {
            item.photo = try await backend.source(backend.transport).renditions(of: photo)
            item.isComplete = true
            return (item, nil)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            guard source != nil else { throw error }
            return (self, "\(error)")
        }
    }
}

internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassThreads

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

    /// The maximum number of transfers at once, as browsers use for one server.
    private static let maxTransfers = 6

    /// Saves originals or makes copies; a failed item does not stop the others, unless nothing can be written.
    mutating func run(_ job: SaveJob, from backend: BrowserBackend, _ search: BrowserSearch) {
        begin { [services] send in
            let describe: Describe = { await services.describe($0, search) }
            if let form = job.copies {
                send(await Self.export(job, form, from: backend, describe) { send(.progress(SaveProgress(done: $0))) })
            } else {
                send(await Self.save(job, from: backend, describe, SaveMeter(job.items.count, send)))
            }
        }
    }

    typealias Describe = @Sendable (any Error) async -> BrowserError

    private static func save(
        _ job: SaveJob, from backend: BrowserBackend, _ describe: Describe, _ meter: SaveMeter
    ) async -> SaveEvent {
        let results = await results(of: job, from: backend, meter)
        var outcome = SaveOutcome()
        for (item, result) in zip(job.items, results) {
            switch result {
            case .success(let saved):
                outcome.paths.append(saved.path)
                outcome.note = outcome.note ?? saved.note
            case .failure(is CancellationError): return .cancelled
            case .failure(let error): outcome.fail(item, await describe(error))
            }
        }
        return .done(outcome)
    }

    private static func results(
        of job: SaveJob, from backend: BrowserBackend, _ meter: SaveMeter
    ) async -> [Result<SavedOriginal, any Error>] {
        await withTaskGroup(of: (number: Int, result: Result<SavedOriginal, any Error>).self) { group in
            var results = [Result<SavedOriginal, any Error>?](repeating: nil, count: job.items.count)
            // Why nothing more can be written.
            var obstacle: (any Error)?
            func record(_ number: Int, _ result: Result<SavedOriginal, any Error>) {
                results[number] = result
                meter.end(number, isSaved: (try? result.get()) != nil)
                if case .failure(let error as FetchError) = result, error.kind == .unavailable { obstacle = error }
            }
            for number in job.items.indices {
                if number >= maxTransfers, let (ended, result) = await group.next() { record(ended, result) }
                guard obstacle == nil, !Task.isCancelled else { break }
                group.addTask {
                    do {
                        return (
                            number,
                            .success(
                                try await job.items[number].save(for: job, from: backend) {
                                    meter.receive($0, of: $1, by: number)
                                })
                        )
                    } catch { return (number, .failure(error)) }
                }
            }
            for await (ended, result) in group { record(ended, result) }
            return results.map { $0 ?? .failure(obstacle ?? CancellationError()) }
        }
    }

    /// Returns the event to handle: earlier work shows only its end.
    func event(_ event: SaveEvent, ofWork number: Int) -> BrowserEvent? {
        guard number != self.number else { return .save(event) }
        return switch event {
        case .done(let outcome): outcome.paths.first.map { .notice(.saved(path: $0)) }
        case .cancelled: .notice(.saveCancelled)
        case .size, .progress, .badSize: nil
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

private struct SavedOriginal {
    let path: String
    /// Why a smaller file was saved.
    let note: String?
}

/// Reports how far a job is, in order.
private final class SaveMeter: Sendable {
    private struct State {
        var progress = SaveProgress()
        /// Bytes of the items that are being saved.
        var received: [Int: Int] = [:]
    }

    private let isSingle: Bool
    private let send: @Sendable (SaveEvent) -> Void
    private let state = Mutex(State())

    init(_ count: Int, _ send: @escaping @Sendable (SaveEvent) -> Void) {
        isSingle = count == 1
        self.send = send
    }

    /// Records the bytes of an item that have arrived.
    func receive(_ bytes: Int, of all: Int?, by number: Int) {
        let bytes = max(bytes, 0)
        state.withLock { state in
            state.progress.received += bytes - (state.received.updateValue(bytes, forKey: number) ?? 0)
            if isSingle { state.progress.bytes = all }
            send(.progress(state.progress))
        }
    }

    func end(_ number: Int, isSaved: Bool) {
        state.withLock { state in
            let bytes = state.received.removeValue(forKey: number) ?? 0
            if !isSaved { state.progress.received -= bytes }
            state.progress.done += 1
            send(.progress(state.progress))
        }
    }
}

extension SaveItem {
    fileprivate func save(
        for job: SaveJob, from backend: BrowserBackend, progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> SavedOriginal {
        let (item, note) = try await completed(by: backend)
        guard let source = item.source else { throw BrowserError("no image", canRetry: false) }
        let target = SaveTarget(path: job.path, name: item.name, isFolder: job.isFolder)
        return SavedOriginal(path: try await backend.save(source, target, progress), note: note)
    }

    /// Returns the item with all files that the source names; else as it is, and why, if it has an image.
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

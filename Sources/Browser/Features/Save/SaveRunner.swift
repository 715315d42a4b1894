internal import SpyglassBatch
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

    init(_ services: BrowserServices, _ queue: EventQueue) { (self.services, self.queue) = (services, queue) }

    mutating func askSize(_ address: WebAddress, _ trust: NetworkReach, of backend: BrowserBackend) {
        begin { send in
            let size = try? await backend.size(address, trust)
            guard !Task.isCancelled else { return }
            send(.size(size))
        }
    }

    /// As many as browsers use for one server.
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
        var outcome = SaveOutcome()
        for (item, result) in zip(job.items, await results(of: job, from: backend, meter)) {
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
                        let saved = try await job.items[number].save(for: job, from: backend) {
                            meter.receive($0, of: $1, by: number)
                        }
                        return (number, .success(saved))
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
        case .cancelled: .notice(.hint(SaveTexts.all.cancelled))
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

/// The path that was written, and why a smaller file was saved.
private typealias SavedOriginal = (path: String, note: String?)

private final class SaveMeter: Sendable {
    private let isSingle: Bool
    private let send: @Sendable (SaveEvent) -> Void
    /// How far the job is, and the bytes of the items that are being saved.
    private let state = Mutex((progress: SaveProgress(), received: [Int: Int]()))

    init(_ count: Int, _ send: @escaping @Sendable (SaveEvent) -> Void) {
        isSingle = count == 1
        self.send = send
    }

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
        return (try await backend.save(source, target, progress), note)
    }

    /// Returns the item with all files that the source names; else as it is, and why, if it has an image.
    func completed(by backend: BrowserBackend) async throws -> (item: SaveItem, note: String?) {
        guard !isComplete else { return (self, nil) }
        do {
            let photo = try await backend.source(backend.transport).renditions(of: photo)
            return (SaveItem(photo: photo, picture: picture, isComplete: true), nil)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            guard source != nil else { throw error }
            return (self, "\(error)")
        }
    }
}

extension SaveRunner {
    /// Makes resized copies, as `resize` does with its defaults; returns the end of the work.
    static func export(
        _ job: SaveJob, _ form: CopyForm, from backend: BrowserBackend, _ describe: @escaping Describe,
        progress: @escaping @Sendable (Int) -> Void
    ) async -> SaveEvent {
        guard let size = OutputSize(form.size) else { return .badSize }
        var batch = BatchJob(sizes: [size])
        batch.format = BatchJob.Format(rawValue: form.format.rawValue) ?? .same
        let results = Mutex((ended: Set<Int>(), outcome: SaveOutcome()))
        do {
            let folder = try await ThreadPool(count: 1).run { _ in
                try OutputFolder(path: job.path.isEmpty ? "." : job.path)
            }
            let source = backend.source(backend.transport)
            let feed = PhotoFeed(job.items.count, batch) { error in
                if let error = error as? BatchError { error } else { BatchError(.fetch, await describe(error).reason) }
            } photo: { number in
                try await job.items[number].whole(of: source)
            }
            let run = BatchRun(
                batch, feed, into: folder, services: backend.batch, jobs: backend.jobs, transfers: backend.transfers
            ) { event in
                guard case .ended(let report) = event else { return }
                progress(
                    results.withLock { results in
                        results.ended.insert(report.number)
                        results.outcome.add(report, of: job, in: folder.path)
                        return results.ended.count
                    })
            }
            _ = try await run.run()
        } catch {
            guard !Task.isCancelled else { return .cancelled }
            let problem = await describe(error)
            results.withLock { results in
                for (number, item) in job.items.enumerated() where !results.ended.contains(number) {
                    results.outcome.fail(item, problem)
                }
            }
        }
        return Task.isCancelled ? .cancelled : .done(results.withLock { $0.outcome })
    }
}

extension SaveItem {
    /// Returns the photo with all files of its picture that the source names.
    fileprivate func whole(of source: any PhotoSource) async throws -> Photo {
        var item = self
        if !isComplete { item.photo = try await source.renditions(of: photo) }
        var photo = item.shown
        if picture > 1 { photo.id += "-\(picture)" }
        return photo
    }
}

extension SaveOutcome {
    fileprivate mutating func add(_ report: ItemReport, of job: SaveJob, in folder: String) {
        switch report.status {
        case .ok, .skipped, .planned: paths += report.outputs.map { "\(folder)/\($0.path)" }.prefix(1)
        // The remedy is an option of `resize`.
        case .failed where job.items.indices.contains(report.number):
            fail(job.items[report.number], BrowserError(report.failure?.reason ?? "failed"))
        case .failed, .cancelled: break
        }
    }
}

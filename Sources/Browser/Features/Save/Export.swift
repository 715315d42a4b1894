internal import SpyglassBatch
internal import SpyglassCatalog
internal import SpyglassThreads

extension SaveRunner {
    /// Makes resized copies, as `resize` does with its defaults; returns the end of the work.
    static func export(
        _ job: SaveJob, _ form: CopyForm, from backend: BrowserBackend, _ describe: @escaping Describe,
        progress: @escaping @Sendable (Int) -> Void
    ) async -> SaveEvent {
        guard let size = OutputSize(form.size) else { return .badSize }
        var batch = BatchJob(sizes: [size])
        batch.format = BatchJob.Format(rawValue: form.format.rawValue) ?? .same
        // A copy of another size has another name.
        batch.template = .standard(sizeCount: 2)
        let results = Mutex((ended: Set<Int>(), outcome: SaveOutcome()))
        do {
            let path = job.path.isEmpty ? "." : job.path
            let folder = try await ThreadPool(count: 1).run { _ in try OutputFolder(path: path) }
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
        case .failed:
            guard job.items.indices.contains(report.number) else { return }
            // The remedy is an option of `resize`.
            fail(job.items[report.number], BrowserError(report.failure?.reason ?? "failed"))
        case .cancelled: break
        }
    }
}

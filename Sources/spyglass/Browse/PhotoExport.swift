internal import SpyglassBatch
internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassThreads

/// Makes resized copies of photos for the browser, as `resize` does.
struct PhotoExport: Sendable {
    let settings: Settings
    let system: SystemServices
    let transport: any Transport
    let source: any PhotoSource
    let fileThreads: ThreadPool

    func run(_ job: ExportJob, progress: @escaping @Sendable (Int) -> Void) async throws -> SaveOutcome {
        let batch = try batchJob(job)
        let folder = try await fileThreads.run { _ in
            try OutputFolder(path: job.folder.isEmpty ? "." : job.folder)
        }
        let feed = PhotoFeed(job.items.count, batch, failure: Self.failure) { [source] number in
            try await job.items[number].whole(of: source)
        }
        let results = Mutex((ended: Set<Int>(), outcome: SaveOutcome()))
        let run = BatchRun(
            batch, feed, into: folder, services: BatchServices(settings, transport, clock: system.clock),
            jobs: settings.jobs ?? ProcessorCount.usable,
            transfers: settings.connections ?? ResizeCommand.defaultTransfers
        ) { event in
            guard case .ended(let report) = event else { return }
            progress(
                results.withLock { results in
                    results.ended.insert(report.number)
                    results.outcome.add(report, of: job, in: folder.path)
                    return results.ended.count
                })
        }
        do { _ = try await run.run() } catch {
            try Task.checkCancellation()
            let reason = await Self.failure(error).message
            results.withLock { results in
                for (number, item) in job.items.enumerated() where !results.ended.contains(number) {
                    results.outcome.fail(item, BrowserError(reason))
                }
            }
        }
        try Task.checkCancellation()
        return results.withLock { $0.outcome }
    }

    /// The quality and the rest are the defaults of `resize`.
    private func batchJob(_ job: ExportJob) throws -> BatchJob {
        guard let size = OutputSize(job.size) else { throw ExportJob.BadSize() }
        var batch = BatchJob(sizes: [size])
        batch.format = BatchJob.Format(rawValue: job.format.rawValue) ?? .same
        // A copy of another size has another name.
        batch.template = .standard(sizeCount: 2)
        return batch
    }

    private static func failure(_ error: any Error) async -> BatchError {
        error as? BatchError ?? BatchError(.fetch, Failure(error)?.message ?? "cancelled")
    }
}

extension SaveOutcome {
    fileprivate mutating func add(_ report: ItemReport, of job: ExportJob, in folder: String) {
        switch report.status {
        case .ok, .skipped, .planned:
            paths += report.outputs.map { "\(folder)/\($0.path)" }.prefix(1)
        case .failed:
            guard job.items.indices.contains(report.number) else { return }
            let reason = report.failure.map { $0.withoutForce } ?? "failed"
            fail(job.items[report.number], BrowserError(reason))
        case .cancelled: break
        }
    }
}

extension BatchError {
    /// The message without the option of `resize` that would replace a file.
    fileprivate var withoutForce: String {
        message.hasSuffix(Self.forceRemedy) ? String(message.dropLast(Self.forceRemedy.count)) : message
    }
}

extension BatchServices {
    /// Those of a run with the settings' limits and remedies.
    init(_ settings: Settings, _ transport: any Transport, clock: any Clock<Duration>) {
        self.init(
            decoder: settings.decoder, transport: transport, clock: clock, bodyLimit: settings.limits.bodyBytes)
        decodeMessage = { [limits = settings.limits] in $0.message(within: limits) }
        fetchMessage = { $0.message }
    }
}

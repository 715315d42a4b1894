internal import SpyglassFetching
internal import SpyglassThreads

/// Runs a batch once; memory depends on the items in flight alone, and outputs do not depend on threads or timing.
package struct BatchRun: Sendable {
    /// Bounds the list of finished items behind one that hangs.
    private static let defaultSpan = 65_536
    /// Prefers the supported formats (RFC 9110 section 12.5.1).
    private static let accept = "image/jpeg, image/png;q=0.9, */*;q=0.1"
    private let job: BatchJob
    private let feed: any BatchFeed
    private let folder: OutputFolder?
    private let services: BatchServices
    private let sheet: ContactSheet?
    private let plannedNames: PlannedNames?
    private let packer: TarPacker?
    private let threads: ThreadPool
    private let elapsed: ElapsedClock
    private let reporter: BatchReporter
    private let cancellation = Cancellation()
    private let limiter: InFlightLimiter

    package init(
        _ job: BatchJob, _ feed: any BatchFeed, into folder: OutputFolder?, services: BatchServices, jobs: Int,
        transfers: Int, sheet: ContactSheet? = nil, packer: TarPacker? = nil,
        observer: @escaping @Sendable (BatchEvent) -> Void
    ) {
        self.job = job
        self.feed = feed
        self.folder = folder
        self.services = services
        // A dry run has no outputs.
        self.sheet = job.isDryRun ? nil : sheet
        self.packer = packer
        plannedNames = job.isDryRun && packer == nil ? PlannedNames() : nil
        threads = ThreadPool(count: jobs)
        elapsed = ElapsedClock(services.clock)
        reporter = BatchReporter(observer)
        limiter = InFlightLimiter(
            InFlightLimiter.Limits(
                // One runs and one waits for each thread.
                files: max(1, jobs) * 2, transfers: min(max(1, transfers), Self.maxTransfers),
                span: packer?.span ?? (self.sheet == nil ? Self.defaultSpan : ContactSheet.span)))
    }

    /// Bounds the bodies of up to 1 MiB, which work memory does not count.
    private static let maxTransfers = 128

    /// Runs the batch once; cancelled items in flight are reported, and no temporary file stays.
    package func run() async throws -> BatchSummary {
        let work = Task { await workOnAll() }
        let registration = cancellation.onCancel { work.cancel() }
        var problem = await withTaskCancellationHandler(operation: { await work.value }, onCancel: { stop() })
        withExtendedLifetime(registration) {}
        var isInterrupted = problem is CancellationError || reporter.hasDropped
        let isComplete = problem == nil && !isInterrupted && !job.isDryRun
        var packed: TarPacker.Counts?
        if let packer {
            // In a task of its own, since this one may be cancelled.
            packed = await Task { try? await threads.run { _ in packer.finish(isComplete: isComplete) } }.value
        }
        if packer?.streamFailure != nil || runError != nil { isInterrupted = true }
        folder?.removeTemporaries()
        if let sheet, problem == nil, !isInterrupted {
            do { try await threads.run { _ in try sheet.finish() } } catch { problem = error }
        }
        let summary = reporter.finish(
            isInterrupted: isInterrupted, of: feed.count, leftOut: feed.leftOut, after: elapsed.now(),
            packed: packed)
        if let error = runError { throw error }
        if let problem, !isInterrupted { throw problem }
        return summary
    }

    private var runError: BatchError? { folder?.runError ?? reporter.runError }

    private func stop() {
        limiter.close()
        cancellation.cancel()
    }

    /// - Returns: the error that ended the feed.
    private func workOnAll() async -> (any Error)? {
        await withDiscardingTaskGroup { group in
            do {
                var first = ArraySlice(try await packer?.start(of: feed) ?? [])
                while let planned = try await next(after: &first) {
                    guard let id = planned.id else { continue }
                    let turn = try await limiter.enter(isTransfer: planned.address != nil)
                    let slot = try packer?.slot(turn, id)
                    // At once, so that a single thread takes files in the feed's order, and names are known in it.
                    group.addImmediateTask {
                        await limiter.waitForNamesakes(of: turn, names(of: planned))
                        await work(on: planned, turn, slot)
                        limiter.leave(turn)
                    }
                }
                return nil
            } catch {
                return limiter.isClosed ? CancellationError() : error
            }
        }
    }

    /// The names that outputs may have; none for what was found in folders, whose names were compared before.
    private func names(of planned: PlannedItem) -> Set<OutputName> {
        guard case .item(let item) = planned, item.isListed || planned.address != nil, packer == nil else { return [] }
        let (template, sizes) = (job.template(of: item), item.sizes.isEmpty ? job.sizes : item.sizes)
        let names = job.possibleFormats(of: item).flatMap { format in
            sizes.compactMap { try? template.name(of: item, size: $0, extension: format.fileExtension) }
        }
        return Set(names)
    }

    private func next(after first: inout ArraySlice<PlannedItem>) async throws -> PlannedItem? {
        if let item = first.popFirst() { return item }
        return try await feed.next()
    }

    private func work(on planned: PlannedItem, _ turn: Int, _ slot: PackSlot?) async {
        switch planned {
        case .excluded: break
        case .failed(let number, let id, let shownSource, let failure):
            await onThread {
                reporter.begin(number, id)
                var report = ItemReport(number: number, id: id, shownSource: shownSource, status: .failed)
                (report.failure, report.tar) = (failure, slot?.tar)
                end(ItemResult(report: report), turn, since: elapsed.now())
            }
        case .item(let item):
            let work = ItemWork(
                item: item, job: job, folder: folder, slot: slot, services: services, plannedNames: plannedNames,
                tileTarget: sheet.map { _ in ContactSheet.target })
            if let address = planned.address { return await makeAddress(address, work, turn) }
            await onThread {
                let start = elapsed.now()
                reporter.begin(item.number, item.id)
                end(work.makeFile(), turn, since: start)
            }
        }
    }

    private func makeAddress(_ address: WebAddress, _ work: ItemWork, _ turn: Int) async {
        let start = await onThread { () -> Duration? in
            let start = elapsed.now()
            reporter.begin(work.item.number, work.item.id)
            guard let result = work.resultWithoutFetching(address) else { return start }
            end(result, turn, since: start)
            return nil
        }
        // Dropped before it began, or finished without a fetch.
        guard case let start?? = start else { return }
        let response = await response(of: address, work.item)
        let body = response.map(\.body)
        let isReported: Void? = await onThread {
            limiter.startedDecoding(of: turn)
            end(work.make(body, from: address), turn, since: start)
            // It keeps the memory of its body reserved.
            withExtendedLifetime(response) {}
        }
        // Items that began are reported, even without a thread.
        if isReported == nil { end(work.make(.failure(.cancelled), from: address), turn, since: start) }
    }

    private func response(of address: WebAddress, _ item: BatchItem) async -> Result<FetchResponse, BatchError> {
        do {
            var request = FetchRequest(address, accept: Self.accept, bodyLimit: services.bodyLimit, trust: item.trust)
            request.keepsMemory = true
            let response = try await services.transport.fetch(request)
            guard response.status == 200 else {
                return .failure(BatchError(status: response.status, of: response.address))
            }
            if item.isListed, !job.ignoresRobotsTag, let rule = RobotsTag.refusal(in: response.headers) {
                return .failure(
                    BatchError(
                        .robotsTag, "\(response.address) refuses this use (X-Robots-Tag: \(rule))",
                        remedy: "--ignore-robots-tag uses it"))
            }
            return .success(response)
        } catch let error as FetchError {
            guard error.isRecordingFailure else { return .failure(BatchError(error, services)) }
            reporter.fail(BatchError(.unavailable, error.description))
            return .failure(.cancelled)
        } catch is CancellationError {
            return .failure(.cancelled)
        } catch {
            return .failure(BatchError(.internal, "\(error)"))
        }
    }

    /// Before `limiter.leave`, which bounds what a contact sheet holds.
    private func end(_ result: ItemResult, _ turn: Int, since start: Duration) {
        var result = result
        result.report.duration = elapsed.now() - start
        sheet?.add(result, turn: turn)
        if let packer, !job.isDryRun {
            // A cancelled item leaves its tar file unfinished.
            if result.report.status != .cancelled { packer.add(result.packed, turn: turn) }
            if packer.streamFailure != nil { stop() }
        }
        reporter.end(result)
        if runError != nil { stop() }
    }

    /// - Returns: `nil` if the run was stopped before a thread was free.
    @discardableResult
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        do {
            return try await threads.run { _ in work() }
        } catch {
            reporter.noteDropped()
            return nil
        }
    }
}

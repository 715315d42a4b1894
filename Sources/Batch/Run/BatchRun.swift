internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassThreads

/// Makes everything that a batch is to make: items from a feed in, files and reports out.
///
///     let run = BatchRun(job, feed, into: folder, services: services, jobs: 2, transfers: 16) { event in print(event) }
///     let summary = try await run.run()
///
/// Files are read, decoded, encoded and written on `jobs` threads; transfers run ahead of them within bounds. Memory follows what is in
/// flight, never the number of items. What is written does not depend on how many threads there are or who is first. Good for one
/// run.
package struct BatchRun: Sendable {
    /// How far items may be ahead of the oldest that has not ended: one that hangs must not let a list grow behind it.
    private static let defaultSpan = 65_536
    /// What is decoded here comes first (RFC 9110 section 12.5.1).
    private static let accept = "image/jpeg, image/png;q=0.9, */*;q=0.1"

    private let job: BatchJob
    private let feed: any BatchFeed
    private let folder: OutputFolder?
    private let services: BatchServices
    private let sheet: ContactSheet?
    private let plannedNames: PlannedNames?
    private let threads: ThreadPool
    private let timekeeper: ElapsedClock
    private let reporter: BatchReporter
    private let work = CancellableWork()
    /// For tests, which look at its peaks.
    let limiter: InFlightLimiter

    /// A run that has not begun.
    ///
    /// - Parameters:
    ///   - job: what is made of every picture.
    ///   - feed: the pictures.
    ///   - folder: where results go; `nil` only in a dry run.
    ///   - services: the way to the world.
    ///   - jobs: threads that decode and encode, at least one.
    ///   - transfers: addresses that are fetched, or wait for a thread, at once; at least one.
    ///   - sheet: shows all results; `nil` for none.
    ///   - observer: hears of everything that happens.
    package init(
        _ job: BatchJob, _ feed: any BatchFeed, into folder: OutputFolder?, services: BatchServices, jobs: Int,
        transfers: Int, sheet: ContactSheet? = nil, observer: @escaping @Sendable (BatchEvent) -> Void
    ) {
        self.job = job
        self.feed = feed
        self.folder = folder
        self.services = services
        // A dry run has nothing to show.
        self.sheet = job.isDryRun ? nil : sheet
        plannedNames = job.isDryRun ? PlannedNames() : nil
        threads = ThreadPool(count: jobs)
        timekeeper = ElapsedClock(services.clock)
        reporter = BatchReporter(observer)
        limiter = InFlightLimiter(
            InFlightLimiter.Limits(
                // While one item is worked on, the next waits for the thread.
                files: max(1, jobs) * 2, transfers: max(1, transfers), bodyBytes: services.waitingBytesLimit,
                span: self.sheet == nil ? Self.defaultSpan : ContactSheet.span))
    }

    /// Does everything, and says how it went.
    ///
    /// Cancelling the task drops what is in flight: such items are reported as `cancelled`, those that had not begun not at all,
    /// and no temporary file stays.
    ///
    /// - Throws: `BatchError`, after `finished` was told: when the feed cannot go on and what was in flight has ended; when no result can
    ///   be written any more (`OutputFolder.problem`) and what was in flight has been dropped; when the contact sheet cannot be written.
    package func run() async throws -> BatchSummary {
        var problem = await withTaskCancellationHandler {
            await work.value { await workOnAll() }
        } onCancel: {
            stop()
        }
        let isInterrupted = problem is CancellationError || reporter.hasDropped
        folder?.removeTemporaries()
        if let sheet, problem == nil, !isInterrupted {
            do { try await threads.run { _ in try sheet.finish() } } catch { problem = error }
        }
        let summary = reporter.finish(isInterrupted: isInterrupted, after: timekeeper.now())
        if let problem = folder?.problem { throw problem }
        if let problem, !isInterrupted { throw problem }
        return summary
    }

    /// Drops what is in flight, and begins nothing more.
    private func stop() {
        limiter.close()
        work.cancel()
    }

    /// - Returns: why the feed ended before its end.
    private func workOnAll() async -> (any Error)? {
        await withDiscardingTaskGroup { group in
            do {
                while let planned = try await feed.next() {
                    switch planned {
                    case .excluded: break
                    case .failed(let number, let id, let shownSource, let failure):
                        let turn = try await limiter.enter(isTransfer: false)
                        group.addTask { await reportFailure(number, id, shownSource, failure, turn) }
                    case .item(let item):
                        switch item.source {
                        case .file:
                            let turn = try await limiter.enter(isTransfer: false)
                            group.addTask { await makeFile(item, turn) }
                        case .address(let address):
                            let turn = try await limiter.enter(isTransfer: true)
                            group.addTask { await makeAddress(address, of: item, turn) }
                        }
                    }
                }
                return nil
            } catch {
                return limiter.isClosed ? CancellationError() : error
            }
        }
    }

    // MARK: Items

    private func reportFailure(
        _ number: Int, _ id: String, _ shownSource: String, _ failure: BatchError, _ turn: Int
    ) async {
        await onThread {
            reporter.begin(number, id)
            var report = ItemReport(number: number, id: id, shownSource: shownSource, status: .failed)
            report.failure = failure
            end(ItemResult(report: report), turn, since: timekeeper.now())
        }
        limiter.leave(turn)
    }

    private func makeFile(_ item: BatchItem, _ turn: Int) async {
        await onThread {
            let start = timekeeper.now()
            reporter.begin(item.number, item.id)
            end(work(on: item).makeFile(), turn, since: start)
        }
        limiter.leave(turn)
    }

    private func makeAddress(_ address: WebAddress, of item: BatchItem, _ turn: Int) async {
        defer { limiter.leave(turn) }
        let work = work(on: item)
        let start = await onThread { () -> Duration? in
            let start = timekeeper.now()
            reporter.begin(item.number, item.id)
            guard let settled = work.judge(address) else { return start }
            end(settled, turn, since: start)
            return nil
        }
        // Dropped before it began, or at its end already.
        guard case let start?? = start else { return }
        let answer = await body(of: address, item)
        limiter.arrived((try? answer.get().count) ?? 0, of: turn)
        let isTold: Void? = await onThread {
            limiter.startedDecoding(of: turn)
            end(work.make(answer, from: address), turn, since: start)
        }
        // What began is told of, even if no thread takes it any more.
        if isTold == nil { end(work.make(.failure(.cancelled), from: address), turn, since: start) }
    }

    private func body(of address: WebAddress, _ item: BatchItem) async -> Result<[UInt8], BatchError> {
        do {
            let response = try await services.transport.fetch(
                FetchRequest(
                    address, accept: Self.accept, bodyLimit: services.bodyLimit, trust: item.trust))
            guard response.status == 200 else {
                return .failure(BatchError(status: response.status, of: response.address))
            }
            return .success(response.body)
        } catch let error as FetchError {
            return .failure(BatchError(error, services))
        } catch is CancellationError {
            return .failure(.cancelled)
        } catch {
            return .failure(BatchError(.internal, "\(error)"))
        }
    }

    private func work(on item: BatchItem) -> ItemWork {
        ItemWork(
            item: item, job: job, folder: folder, services: services, plannedNames: plannedNames,
            tileTarget: sheet.map { _ in ContactSheet.target },
            isCancelled: { [limiter] in limiter.isClosed })
    }

    /// Tells of an item's end; it makes room only afterwards, so that a contact sheet knows its bounds.
    private func end(_ result: ItemResult, _ turn: Int, since start: Duration) {
        var result = result
        result.report.duration = timekeeper.now() - start
        sheet?.add(result, turn: turn)
        reporter.end(result)
        if folder?.problem != nil { stop() }
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

internal import SpyglassCatalog
internal import SpyglassFetching
internal import struct Synchronization.Atomic

/// Reads the pages of one search at a time, in one task, and the details of its photos.
struct SearchRunner {
    private let services: BrowserServices
    private let queue: EventQueue
    private var generation = 0
    private var wanted: AsyncStream<PageDirection>.Continuation?
    private var reader: Task<Void, Never>?
    private var details: Task<Void, Never>?
    private var reading: Task<Void, Never>?

    init(_ services: BrowserServices, _ queue: EventQueue) { (self.services, self.queue) = (services, queue) }

    /// Searches once `ready` returns.
    mutating func search(
        generation: Int, _ search: BrowserSearch, in supply: BrowserBackend, revalidates: Bool,
        after ready: @escaping @Sendable () async -> Void = {}
    ) {
        cancel()
        self.generation = generation
        let revalidating = revalidates ? RevalidatingTransport(base: supply.transport) : nil
        let source = supply.source(revalidating ?? supply.transport)
        let walk = PageWalk(
            generation: generation, search: search, source: source, revalidating: revalidating, services: services,
            queue: queue)
        let (directions, continuation) = AsyncStream.makeStream(of: PageDirection.self)
        wanted = continuation
        reader = Task {
            await ready()
            await walk.run(directions)
        }
    }

    func loadPage(generation: Int, _ direction: PageDirection) {
        guard generation == self.generation else { return }
        wanted?.yield(direction)
    }

    mutating func loadDetails(generation: Int, _ photo: Photo, in supply: BrowserBackend) {
        guard generation == self.generation else { return }
        let source = supply.source(supply.transport)
        let search = BrowserSearch(source: source.name)
        details?.cancel()
        details = Task { [services, queue] in
            let result: Result<Photo, BrowserError>
            do {
                result = .success(try await source.renditions(of: photo))
            } catch is CancellationError {
                return
            } catch {
                result = .failure(await services.describe(error, search))
            }
            guard !Task.isCancelled else { return }
            queue.add(.event(.details(generation: generation, photoID: photo.key, result)))
        }
    }

    mutating func readFiles(generation: Int, of photos: [Photo], in supply: BrowserBackend) {
        guard generation == self.generation else { return }
        let source = supply.source(supply.transport)
        reading?.cancel()
        reading = Task { [queue] in
            for photo in photos {
                guard let read = try? await source.renditions(of: photo), !Task.isCancelled else { return }
                queue.add(.event(.details(generation: generation, photoID: photo.key, .success(read))))
            }
        }
    }

    mutating func cancel() {
        reader?.cancel()
        wanted?.finish()
        details?.cancel()
        reading?.cancel()
        (reader, wanted, details, reading) = (nil, nil, nil, nil)
    }
}

private struct PageWalk: Sendable {
    let generation: Int
    let search: BrowserSearch
    let source: any PhotoSource
    let revalidating: RevalidatingTransport?
    let services: BrowserServices
    let queue: EventQueue

    func run(_ directions: AsyncStream<PageDirection>) async {
        var pages = PagedPhotos(search.query, from: source, startingAt: search.start)
        guard await read(.next, isFirst: true, &pages) else { return }
        for await direction in directions {
            guard await read(direction, &pages) else { return }
        }
    }

    /// Reads a page; returns `false` once the search is cancelled.
    private func read(_ direction: PageDirection, isFirst: Bool = false, _ pages: inout PagedPhotos) async -> Bool {
        do {
            var photos = try await direction == .next ? pages.nextPage() : pages.previousPage()
            if isFirst, photos == nil, !search.start.isFirst {
                // There are fewer results than when the position was saved.
                let last = max((pages.total?.number ?? 0) - 1, 0)
                pages = PagedPhotos(search.query, from: source, startingAt: .position(last))
                photos = try await pages.nextPage()
            }
            let answer = PageAnswer(
                photos: photos ?? [], firstPosition: isFirst ? pages.startPosition : nil, total: pages.total,
                isAtStart: pages.isAtStart, isAtEnd: pages.isAtEnd, isFallback: revalidating?.hasFallenBack ?? false)
            add(.success(answer), direction)
        } catch {
            guard !(error is CancellationError), !Task.isCancelled else { return false }
            add(.failure(await services.describe(error, search)), direction)
        }
        return true
    }

    private func add(_ result: Result<PageAnswer, BrowserError>, _ direction: PageDirection) {
        guard !Task.isCancelled else { return }
        queue.add(.event(.page(generation: generation, direction, result)))
    }
}

extension BrowserServices {
    func describe(_ error: any Error, _ search: BrowserSearch) async -> BrowserError {
        if let error = error as? BrowserError { return error }
        var result = await explain(error, search)
        result.kind = (error as? FetchError).map { FailureKind($0) }
        if result.kind == .unreachable { result.site = SourceRegistry.named(search.source)?.title }
        return result
    }
}

/// Revalidates every response with the server, and records when a cache had to serve it anyway.
final class RevalidatingTransport: Transport {
    private let base: any Transport
    private let isFallback = Atomic(false)

    init(base: any Transport) { self.base = base }
    /// Whether a cache served a response without revalidation.
    var hasFallenBack: Bool { isFallback.load(ordering: .relaxed) }

    func fetch(_ request: FetchRequest) async throws -> FetchResponse {
        var request = request
        request.revalidates = true
        let response = try await base.fetch(request)
        // A fallback within its lifetime is called fresh.
        if response.origin == .cache, response.freshness != .revalidated {
            isFallback.store(true, ordering: .relaxed)
        }
        return response
    }
}

import SpyglassCatalog
import SpyglassFetching

/// Reads pages, fetches thumbnails ahead, and returns items in the source's order; child tasks send events to one loop.
struct ListRun {
    /// Images that may load behind the first item of the queue.
    static let ahead = 32
    /// How long the first item of the queue waits for its image.
    static let timeout = Duration.seconds(10)
    private let thumbnail: (@Sendable (Photo) async -> Thumbnail)?
    private let stopwatch: ElapsedClock
    private let limit: Int
    private var pages: PagedPhotos
    private var isReading = false, hasEnded = false
    /// Whether the limit dropped photos that were read.
    private var isTruncated = false
    private var failure: (any Error)?
    /// Photos that were read and are not queued yet.
    private var unqueued: ArraySlice<Photo> = []
    private var queue: ArraySlice<Item> = []
    /// The number of photos queued or to be queued.
    private var acceptedCount = 0
    private var firstSince = Duration.zero
    private var hasTimer = false

    private struct Item {
        let photo: Photo
        var thumbnail: Thumbnail?
        let task: Task<Thumbnail, Never>?
    }

    private enum Event: Sendable {
        case page(PagedPhotos, [Photo]?, (any Error)?)
        case image(Int, Thumbnail)
        case timer
    }

    /// `thumbnail` is called concurrently; `nil`: items have no images.
    init(
        _ pages: PagedPhotos, limit: Int, thumbnail: (@Sendable (Photo) async -> Thumbnail)?, clock: any Clock<Duration>
    ) {
        self.pages = pages
        self.limit = limit
        self.thumbnail = thumbnail
        stopwatch = ElapsedClock(clock)
    }

    var total: PhotoPage.Total? { pages.total }
    var hasReachedEnd: Bool { pages.isAtEnd && !isTruncated }

    /// Calls `item` with each item in order, and `progress` with the length of the queue after each change.
    ///
    /// Throws the error of a page after the items before it, an error of `item` immediately.
    mutating func forEach(
        progress: (Int, PhotoPage.Total?) -> Void, item: (Photo, Thumbnail) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            while true {
                fillQueue(&group)
                readAhead(&group)
                if let first = queue.first, let thumbnail = first.thumbnail {
                    queue.removeFirst()
                    firstSince = stopwatch.now()
                    try item(first.photo, thumbnail)
                    continue
                }
                progress(queue.count, pages.total)
                if queue.isEmpty, unqueued.isEmpty, hasEnded { break }
                startTimer(&group)
                guard let event = try await group.next() else { break }
                handle(event)
            }
        }
        if let failure { throw failure }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .page(let pages, let photos, let error):
            self.pages = pages
            isReading = false
            failure = error
            let wanted = (photos ?? []).prefix(limit - acceptedCount)
            acceptedCount += wanted.count
            isTruncated = wanted.count < photos?.count ?? 0
            unqueued += wanted
            hasEnded = photos == nil || acceptedCount >= limit
        case .image(let index, let thumbnail):
            guard queue.indices.contains(index), queue[index].thumbnail == nil else { return }
            queue[index].thumbnail = thumbnail
        case .timer:
            hasTimer = false
            guard let first = queue.indices.first, queue[first].thumbnail == nil,
                stopwatch.now() - firstSince >= Self.timeout
            else { return }
            queue[first].task?.cancel()
            queue[first].thumbnail = .failed("no image within \(Self.timeout.components.seconds) s")
        }
    }

    /// Reads the next page before the queue runs dry.
    private mutating func readAhead(_ group: inout ThrowingTaskGroup<Event, any Error>) {
        guard !isReading, !hasEnded, unqueued.count < Self.ahead else { return }
        isReading = true
        let pages = pages
        group.addTask {
            var pages = pages
            do {
                let photos = try await pages.nextPage()
                return .page(pages, photos, nil)
            } catch { return .page(pages, nil, error) }
        }
    }

    private mutating func fillQueue(_ group: inout ThrowingTaskGroup<Event, any Error>) {
        while queue.count <= Self.ahead, let photo = unqueued.popFirst() {
            if queue.isEmpty { firstSince = stopwatch.now() }
            guard let thumbnail else {
                queue.append(Item(photo: photo, thumbnail: .absent, task: nil))
                continue
            }
            let task = Task { await thumbnail(photo) }
            let index = queue.endIndex
            queue.append(Item(photo: photo, thumbnail: nil, task: task))
            group.addTask {
                let thumbnail = await withTaskCancellationHandler {
                    await task.value
                } onCancel: {
                    task.cancel()
                }
                return .image(index, thumbnail)
            }
        }
    }

    /// Starts the timeout of the first item, unless it has its image.
    private mutating func startTimer(_ group: inout ThrowingTaskGroup<Event, any Error>) {
        guard !hasTimer, let first = queue.first, first.thumbnail == nil else { return }
        hasTimer = true
        let deadline = firstSince + Self.timeout
        group.addTask { [stopwatch] in
            try? await stopwatch.sleep(deadline)
            return .timer
        }
    }
}

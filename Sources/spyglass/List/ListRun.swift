import SpyglassCatalog

/// The work of `list`: reads pages, fetches thumbnails ahead, and hands items out in the source's order.
///
/// One loop owns all state. Pages, pictures and alarms are child tasks whose results come back as events, so nothing is
/// shared and leaving the loop cancels whatever is still under way. At most `ahead` pictures wait behind the head of the
/// line; an item that has been its head for `patience` is handed out without its picture.
struct ListRun {
    /// Pictures that may wait behind the head of the line (design 3.1).
    static let ahead = 32
    /// How long an item waits at the head of the line (design 3.1).
    static let patience = Duration.seconds(10)

    /// What is said of an item that was waited for in vain.
    private static let lateness = "its picture did not come within \(patience.components.seconds) seconds"

    private let thumbnail: (@Sendable (Photo) async -> Thumbnail)?
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let limit: Int

    private var pages: PagedPhotos
    private var isReading = false
    private var hasEnded = false
    /// Whether the limit has left photos out that were read.
    private var wasCut = false
    private var failure: (any Error)?
    /// Photos that have been read and not been lined up.
    private var unstarted: ArraySlice<Photo> = []
    private var line: ArraySlice<Item> = []
    /// Photos that have been taken from the source.
    private var taken = 0
    private var headSince = Duration.zero
    private var hasAlarm = false

    /// A photo in the line.
    private struct Item {
        let photo: Photo
        var thumbnail: Thumbnail?
        /// The work that brings the thumbnail.
        let task: Task<Thumbnail, Never>?
    }

    private enum Event: Sendable {
        case page(PagedPhotos, Result<[Photo]?, any Error>)
        case picture(Int, Thumbnail)
        case alarm
    }

    /// A run over `pages`.
    ///
    /// - Parameters:
    ///   - pages: what is listed.
    ///   - limit: most items.
    ///   - thumbnail: makes the thumbnail of a photo and is asked for several at once; without it, items come without
    ///     pictures.
    ///   - clock: what patience is measured on.
    init(
        _ pages: PagedPhotos, limit: Int, thumbnail: (@Sendable (Photo) async -> Thumbnail)?,
        clock: any Clock<Duration>
    ) {
        self.pages = pages
        self.limit = limit
        self.thumbnail = thumbnail
        self.clock = clock
        stopwatch = .started(on: clock)
    }

    /// How many photos the query has, as far as is known.
    var total: PhotoPage.Total? { pages.total }

    /// Whether the source has nothing behind what was handed out.
    var hasReachedEnd: Bool { pages.isAtEnd && !wasCut }

    /// Hands out every item in order with its thumbnail, which is `absent` when none was wanted.
    ///
    /// - Parameters:
    ///   - progress: called when something has changed, with the number of items in the line and the known total.
    ///   - item: called with each item.
    /// - Throws: what reading a page threw, after the items before it; what `item` throws, at once.
    mutating func forEach(
        progress: (Int, PhotoPage.Total?) -> Void, item: (Photo, Thumbnail) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            while true {
                readAhead(&group)
                lineUp(&group)
                while let head = line.first, let thumbnail = head.thumbnail {
                    line.removeFirst()
                    headSince = stopwatch.elapsed()
                    try item(head.photo, thumbnail)
                    lineUp(&group)
                }
                progress(line.count, pages.total)
                if line.isEmpty, unstarted.isEmpty, hasEnded { break }
                readAhead(&group)
                setAlarm(&group)
                guard let event = try await group.next() else { break }
                handle(event)
            }
        }
        if let failure { throw failure }
    }

    // MARK: Events

    private mutating func handle(_ event: Event) {
        switch event {
        case .page(let pages, let result):
            self.pages = pages
            isReading = false
            switch result {
            case .success(let photos?):
                let wanted = photos.prefix(limit - taken)
                taken += wanted.count
                wasCut = wanted.count < photos.count
                unstarted += wanted
                hasEnded = taken >= limit
            case .success(nil): hasEnded = true
            case .failure(let error):
                failure = error
                hasEnded = true
            }
        case .picture(let index, let thumbnail):
            guard line.indices.contains(index), line[index].thumbnail == nil else { return }
            line[index].thumbnail = thumbnail
        case .alarm:
            hasAlarm = false
            guard let head = line.indices.first, line[head].thumbnail == nil,
                stopwatch.elapsed() - headSince >= Self.patience
            else { return }
            line[head].task?.cancel()
            line[head].thumbnail = .failed(Self.lateness)
        }
    }

    /// Asks for the next page before the line runs dry.
    private mutating func readAhead(_ group: inout ThrowingTaskGroup<Event, any Error>) {
        guard !isReading, !hasEnded, unstarted.count < Self.ahead else { return }
        isReading = true
        let pages = pages
        group.addTask {
            var pages = pages
            do {
                let photos = try await pages.nextPage()
                return .page(pages, .success(photos))
            } catch {
                return .page(pages, .failure(error))
            }
        }
    }

    /// Starts the pictures of the head of the line and of those that may wait behind it.
    private mutating func lineUp(_ group: inout ThrowingTaskGroup<Event, any Error>) {
        while line.count <= Self.ahead, let photo = unstarted.popFirst() {
            if line.isEmpty { headSince = stopwatch.elapsed() }
            guard let thumbnail else {
                line.append(Item(photo: photo, thumbnail: .absent, task: nil))
                continue
            }
            let task = Task { await thumbnail(photo) }
            let index = line.endIndex
            line.append(Item(photo: photo, thumbnail: nil, task: task))
            group.addTask {
                let thumbnail = await withTaskCancellationHandler {
                    await task.value
                } onCancel: {
                    task.cancel()
                }
                return .picture(index, thumbnail)
            }
        }
    }

    /// Makes sure that somebody looks at the clock while the head of the line has no picture.
    private mutating func setAlarm(_ group: inout ThrowingTaskGroup<Event, any Error>) {
        guard !hasAlarm, let head = line.first, head.thumbnail == nil else { return }
        hasAlarm = true
        let rest = Self.patience - (stopwatch.elapsed() - headSince)
        let clock = clock
        group.addTask {
            try? await clock.sleep(for: max(rest, .zero))
            return .alarm
        }
    }
}

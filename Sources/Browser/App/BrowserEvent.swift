internal import SpyglassCatalog
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

/// Something that happened: input, results, timers.
enum BrowserEvent: Sendable {
    case started(search: String?, at: PhotoStart)
    /// Opens a folder or files at the start.
    case startedWithFiles(PhotoQuery, at: PhotoStart = .first)
    /// The listed folder was changed, removed or renamed, or these folders in it.
    case folderChanged(inner: Set<[UInt8]> = [])
    case archive(holds: [String])
    /// Pictures for the home screen, those of an archive or of the day.
    case home([HomePhoto])
    /// Searches whose results are in the cache, after `findCached`.
    case cached(generation: Int, [RecentSearch])
    case input(InputEvent)
    /// A click and its target in the last frame drawn.
    case click(ClickTarget?)
    case resized(CellSize, cellPixels: PixelSize?)
    case continued
    case page(generation: Int, PageDirection, Result<PageAnswer, BrowserError>)
    case picture(PictureKey, Picture)
    /// A frame of an image that plays.
    case frame(PictureKey, CellImage)
    /// More bytes of a part of an original arrived.
    case progress(PictureKey, BodyProgress)
    case details(generation: Int, photoID: String, Result<Photo, BrowserError>)
    case facts(photoID: String, PhotoFacts)
    case transfers(Int)
    case stale(Bool)
    case timedOut(TimerKind)
    case save(SaveEvent)
    case opened(Result<String, BrowserError>)
    case notice(Notice)
    /// A signal or the closed terminal ends the program: state must be stored now.
    case ended
}

enum PageDirection: Hashable, Sendable {
    case next, previous
}

/// A page of results.
struct PageAnswer: Hashable, Sendable {
    /// Without duplicates; empty at the end of the results.
    var photos: [Photo]
    /// The position of the first photo, for the first page of a search.
    var firstPosition: Int?
    var total: PhotoPage.Total?
    var isAtStart: Bool
    var isAtEnd: Bool
    /// Whether a cache served it because revalidation failed.
    var isFallback = false
}

/// The course of a job that saves or exports.
enum SaveEvent: Hashable, Sendable {
    case size(Int?)
    case progress(SaveProgress)
    case done(SaveOutcome)
    case cancelled
    /// The typed size of copies is none.
    case badSize
}

/// An error that the browser shows, or ends with.
package struct BrowserError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One line: what failed and why.
    package var reason: String
    /// Whether a retry may help; not for a mistake in the search.
    var canRetry = true
    /// The searches of an archive that lacks this one.
    var archiveHolds: [String]?
    /// Chooses a headline in the user's language.
    var kind: FailureKind?
}

extension BrowserError {
    /// Whether other searches may be in the cache.
    var isWithoutNetwork: Bool { kind == .unreachable || kind == .notCached }

    package init(_ reason: String, canRetry: Bool = true, archiveHolds: [String]? = nil) {
        self.init(reason: reason, canRetry: canRetry, archiveHolds: archiveHolds, kind: nil)
    }

    package var description: String { reason }
}

/// The target of a click.
enum ClickTarget: Hashable, Sendable {
    case photo(Int)
    case homePhoto(Int)
    case field
    case choice(Int)
    case setting(Setting)
    /// A mark beside the chosen setting's value: the previous (-1) or the next one (1).
    case step(Int)
    case saveRow(SaveScreen.Row)
    case action(Action)
}

/// A drawn screen.
struct BrowserFrame: Sendable {
    var grid: CellGrid
    /// In grid columns; a later target covers an earlier one.
    var targets: [(area: CellArea, target: ClickTarget)] = []

    func target(at position: CellPosition) -> ClickTarget? {
        targets.last { $0.area.contains(position) }?.target
    }
}

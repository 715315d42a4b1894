internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassPixels
package import SpyglassTerminalUI

/// Something that happened: input, results, timers.
enum BrowserEvent: Sendable {
    case started(search: String?, at: PhotoStart)
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
    case frame(PictureKey, CellImage)
    /// More bytes of a part of an original arrived.
    case progress(PictureKey, ImageTask.Progress)
    case details(generation: Int, photoID: PhotoID, Result<Photo, BrowserError>)
    case facts(photoID: PhotoID, PhotoFacts)
    case transfers(Int)
    case stale(Bool)
    case timedOut(TimerKind)
    case save(SaveEvent)
    case trashed([TrashedPhoto], BrowserError?)
    /// `left` are those that are still in the trash.
    case restored([TrashedPhoto], left: [TrashedPhoto], BrowserError?)
    /// A command of `:` has ended; it moved or removed the files of these photos, and may have changed others.
    case commandEnded(lost: [Photo])
    case notice(Notice)
    /// A signal or the closed terminal ends the program: state must be stored now.
    case ended
}

enum PageDirection: Hashable, Sendable { case next, previous }

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
    /// The title of the service that cannot be reached.
    var site: String?
}

extension BrowserError {
    /// Whether nothing can be fetched: no network, or no libcurl.
    var isWithoutNetwork: Bool { [.unreachable, .notCached, .unavailable].contains(kind) }
    /// Whether the headline is enough: the reason is the transport's, and only `--verbose` shows it.
    func hidesReason(_ options: BrowserOptions) -> Bool { kind == .unreachable && site != nil && !options.isVerbose }

    package init(_ reason: String, canRetry: Bool = true, archiveHolds: [String]? = nil) {
        self.init(reason: reason, canRetry: canRetry, archiveHolds: archiveHolds, kind: nil)
    }

    package var description: String { reason }
}

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

struct BrowserFrame: Sendable {
    var grid: CellGrid
    /// In grid columns; a later target covers an earlier one.
    var targets: [(area: CellArea, target: ClickTarget)] = []

    func target(at position: CellPosition) -> ClickTarget? { targets.last { $0.area.contains(position) }?.target }
}

typealias Effects = [BrowserEffect]

/// Work outside the state, which `update` returns and the loop performs.
enum BrowserEffect: Hashable, Sendable {
    /// Replaces the current search; leads to `page(generation:, .next, ...)`, and to `folderChanged` while it is a folder.
    case search(generation: Int, PhotoQuery, source: String, start: PhotoStart, revalidates: Bool)
    case loadPage(generation: Int, PageDirection)
    case cancelSearch
    /// Looks up searches in the disk cache; leads to `cached`.
    case findCached(generation: Int, [RecentSearch])
    case requestPictures(PictureRequests)
    /// Plays the animations of these images, and ends all others; leads to `frame` events. Still images are left out.
    case play([PictureKey])
    case setTraits(TerminalTraits)
    case loadDetails(generation: Int, Photo)
    /// Reads the headers of local files in this order, until the next such effect; leads to `details` of each.
    case readFiles(generation: Int, [Photo])
    /// Reads the file of a photo; leads to `facts`.
    case loadFacts(Photo)
    case open(WebAddress)
    case view(SaveItem)
    case copy(String)
    /// Leads to `save(.size)`.
    case askSize(WebAddress, NetworkReach)
    /// Saves originals or makes copies, without overwriting; leads to `save` events.
    case save(SaveJob)
    case cancelSave
    /// Leads to `trashed`.
    case trash([Photo])
    /// Leads to `restored`.
    case restore([TrashedPhoto])
    /// Leaves the full screen until the command has ended and a key was pressed.
    case run(CommandJob)
    case store(StateChange)
    /// Leads to `timedOut` after a time, which begins again if the timer runs; `nil` stops it.
    case timer(TimerKind, Duration?)
    case terminal(TerminalRequest)
    /// Ends the run, with the photos that were picked.
    case quit([Photo])
}

/// A change that is stored for later runs.
package enum StateChange: Hashable, Sendable {
    case search(RecentSearch)
    case place(SavedPlace?)
    /// Photos that come before those that are stored.
    case seen([HomePhoto])
    case preferences(Preferences)
    case marks(MarkChanges)
    case command(String)
    /// Replies of the terminal, for programs that cannot ask.
    case answers(TerminalAnswers)
}

enum TerminalRequest: Hashable, Sendable {
    case mouse(isOn: Bool)
    /// Leads to replies with the background's colour and a cell's pixels.
    case appearance
    case repaint
    case suspend
}

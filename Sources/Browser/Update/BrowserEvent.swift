internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// What happens to the browser.
enum BrowserEvent: Sendable {
    /// The first one: what is searched for at once, if anything, and the position in its results to begin at, from 0.
    case started(search: String?, at: PhotoStart)
    /// The searches of the archive that is shown.
    case archive(holds: [String])
    case input(InputEvent)
    /// A click, with its target in the last frame drawn; `nil` where that has none.
    case click(ClickTarget?)
    /// The terminal has another size, or another shape of cells.
    case resized(CellSize, CellAspect?)
    /// The program was stopped and goes on.
    case continued
    /// A page of a search came, or did not.
    case page(generation: Int, PageDirection, Result<PageAnswer, Problem>)
    case picture(PictureKey, Picture)
    /// All that the source knows of a photo.
    case details(generation: Int, photoID: String, Result<Photo, Problem>)
    /// How many transfers are under way.
    case transfers(Int)
    /// An answer came out of the cache that is older than it should be, since nothing newer could be had; or a new one came again.
    case stale(Bool)
    /// The spinner's next picture is due.
    case tick
    case save(SaveEvent)
    /// The page was opened, or why not.
    case opened(Result<String, Problem>)
    /// Something to say.
    case notice(Notice)
    /// A signal ends the program, or the terminal is gone: what is to be remembered must be remembered now.
    case ended
}

/// Which page.
enum PageDirection: Hashable, Sendable {
    case next, previous
}

/// A page of photos, and what is known of those around.
struct PageAnswer: Hashable, Sendable {
    /// In the source's order, each once; none at the end of what the source has.
    var photos: [Photo]
    /// Where the first stands in the results, for the first page that is read; `nil` behind or before others.
    var firstPosition: Int?
    var total: PhotoPage.Total?
    var isAtStart: Bool
    var isAtEnd: Bool
    /// Whether the server was to be asked and could not be, so that a cache answered.
    var isFallback = false
}

/// How saving goes on.
enum SaveEvent: Hashable, Sendable {
    case size(Int?)
    case progress(received: Int, bytes: Int?)
    case done(path: String)
    case failed(Problem)
    case cancelled
}

/// Why something did not work.
struct Problem: Error, Hashable, Sendable {
    /// One line: what, where and why.
    var reason: String
    /// Whether trying again may help; not where what was typed is at fault.
    var canRetry = true
    /// What an archive holds instead, when that is why.
    var archiveHolds: [String]?
    /// What it comes to, where that can be said in the user's language.
    var kind: Kind?

    enum Kind: Hashable, Sendable, CaseIterable {
        case unreachable, timedOut
        /// Something that is never asked for: another scheme, too many redirects.
        case refused
        case notRecorded, notCached
    }
}

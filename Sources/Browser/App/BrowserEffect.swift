internal import SpyglassCatalog
internal import SpyglassFetching
package import SpyglassTerminalUI

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
    /// Opens a picture in the desktop's viewer.
    case view(SaveItem)
    case copy(String)
    /// Leads to `save(.size)`.
    case askSize(WebAddress, AddressTrust)
    /// Saves originals or makes copies, without overwriting; leads to `save` events.
    case save(SaveJob)
    case cancelSave
    case store(StateChange)
    /// Leads to `timedOut` after a time, which begins again if the timer runs; `nil` stops it.
    case timer(TimerKind, Duration?)
    case terminal(TerminalRequest)
    case quit
}

/// A change that is stored for later runs.
package enum StateChange: Hashable, Sendable {
    case search(RecentSearch)
    case place(SavedPlace?)
    /// Photos that come before those that are stored.
    case seen([HomePhoto])
    case preferences(Preferences)
    case marks(MarkChanges)
    /// Replies of the terminal, for programs that cannot ask.
    case answers(TerminalAnswers)
}

enum TerminalRequest: Hashable, Sendable {
    case mouse(isOn: Bool)
    /// Leads to a reply with the background's colour.
    case background
    case repaint
    case suspend
}

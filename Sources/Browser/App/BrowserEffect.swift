internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

enum BrowserEffect: Hashable, Sendable {
    /// Replaces the current search; leads to `page(generation:, .next, ...)`, and to `folderChanged` while it is a folder.
    case search(generation: Int, PhotoQuery, source: String, start: PhotoStart, revalidates: Bool)
    case loadPage(generation: Int, PageDirection)
    case cancelSearch
    /// Looks up searches in the disk cache; leads to `cached`.
    case findCached(generation: Int, [RecentSearch])
    case requestPictures(PictureRequests)
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
    /// Saves without overwriting; leads to `save` events.
    case save(SaveJob)
    /// Makes resized copies without overwriting; leads to `save` events.
    case export(ExportJob)
    case cancelSave
    case remember(RecentSearch)
    case savePlace(SavedPlace?)
    case keepSeen([HomePhoto])
    case keepPreferences(Preferences)
    case keepMarks(MarkChanges)
    /// Stores what the terminal replied, for programs that cannot ask.
    case keepAnswers(TerminalAnswers)
    case setMouse(Bool)
    /// Leads to a reply with the background's colour.
    case askBackground
    case animate(Bool)
    /// Plays the animations of these images, and ends all others; leads to `frame` events. Still images are left out.
    case play([PictureKey])
    /// Sends `lineTimedOut` after a while; starts again if the timer runs.
    case startLineTimer
    /// Sends `slideTimedOut` after a while, which begins again if it runs; `nil` stops it.
    case setSlideTimer(seconds: Int?)
    /// Sends `noticeTimedOut` after a while; starts again if the timer runs.
    case startNoticeTimer
    case repaint
    case suspend
    case quit
}

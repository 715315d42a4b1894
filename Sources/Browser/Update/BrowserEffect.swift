internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

/// The side effects of `update`.
enum BrowserEffect: Hashable, Sendable {
    /// Replaces the current search; leads to `page(generation:, .next, ...)`.
    case search(generation: Int, PhotoQuery, source: String, start: PhotoStart, revalidates: Bool)
    case loadPage(generation: Int, PageDirection)
    case cancelSearch
    /// Replaces all image requests.
    case requestPictures(PictureRequests)
    /// Colours, background or characters have changed; all images are rendered again.
    case setTraits(TerminalTraits)
    case loadDetails(generation: Int, Photo)
    /// Opens a web page; leads to `opened`.
    case open(WebAddress)
    /// Copies to the clipboard (OSC 52).
    case copy(String)
    /// Leads to `save(.size)`.
    case askSize(WebAddress, AddressTrust)
    /// Saves without overwriting; leads to `save` events.
    case save(WebAddress, AddressTrust, path: String)
    case cancelSave
    /// Stores a search as the newest.
    case remember(search: String)
    case keepPlace(SavedPlace?)
    case keepPreferences(Preferences)
    case setMouse(Bool)
    /// Starts or stops `tick` events.
    case animate(Bool)
    /// Clears and redraws the screen.
    case repaint
    /// Stops the program, as Ctrl-Z does.
    case suspend
    case quit
}

internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

/// What the browser wants of the world; the only door to it.
enum BrowserEffect: Hashable, Sendable {
    /// Begin a search with the page that holds a position, counted from 0; pages of older ones are no longer wanted.
    ///
    /// A position that the source cannot reach means the nearest that it can. Answers with `page(generation:, .next, ...)`, whose
    /// first position is known.
    case search(generation: Int, PhotoQuery, source: String, start: PhotoStart, revalidates: Bool)
    /// Read the page behind or before what has been read.
    case loadPage(generation: Int, PageDirection)
    /// Nothing of any search is wanted any more.
    case cancelSearch
    /// The pictures that are wanted from now on; what is in none of the lists is cancelled.
    case requestPictures(PictureRequests)
    /// The look of pictures has changed: colours, background, characters. What was delivered is void.
    case setTraits(TerminalTraits)
    case loadDetails(generation: Int, Photo)
    /// Open the page for people, or say why not.
    case open(WebAddress)
    /// Put text on the clipboard (OSC 52).
    case copy(String)
    /// Find out how large a file is, then wait.
    case askSize(WebAddress, AddressTrust)
    /// Save a file without overwriting; answers with `save` events.
    case save(WebAddress, AddressTrust, path: String)
    case cancelSave
    /// Remember a search as the newest, if history is kept.
    case remember(search: String)
    /// Remember where the user is.
    case keepPlace(SavedPlace?)
    case keepPreferences(Preferences)
    /// Switch the mouse's reports.
    case setMouse(Bool)
    /// Whether `tick` is wanted.
    case animate(Bool)
    /// Clear the screen and paint it anew.
    case repaint
    /// Stop the program as Ctrl-Z does.
    case suspend
    case quit
}

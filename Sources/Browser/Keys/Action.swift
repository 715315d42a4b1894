/// What keys do; the key table says which, and the help screen is made of the same table.
enum Action: Hashable, Sendable, CaseIterable {
    // Moving
    case up, down, left, right, pageUp, pageDown, first, last
    // Going
    case open, back, quit, search, help, settings
    // Lists
    case toggleArrangement, denser, looser, refresh, retry
    // One photo
    case nextPhoto, previousPhoto, openPage, save, copyAddress
    // Typing
    case caretLeft, caretRight, caretStart, caretEnd, wordLeft, wordRight
    case deleteBackward, deleteForward, deleteWord, deleteToStart, deleteToEnd, submit, olderSearch, newerSearch
    // The terminal
    case toggleMouse, repaint, suspend, interrupt
}

/// Where a key has its meaning.
enum KeyScope: Hashable, Sendable, CaseIterable {
    case home, list, grid, detail, search, help, settings, alert, save
}

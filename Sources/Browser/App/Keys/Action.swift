enum Action: Hashable, Sendable, CaseIterable {
    // Moving
    case up, down, left, right, pageUp, pageDown, first, last
    // Going
    case open, back, quit, search, help, settings
    // Lists
    case toggleArrangement, toggleCropping, denser, looser, refresh, retry, changeOrder, filter,
        mark, markRange, invertMarks, unmark
    // One photo
    case fullScreen, slideshow, pauseSlideshow, toggleText, nextPhoto, previousPhoto, nextPicture, previousPicture,
        zoomIn, zoomOut, zoomToFit, zoomToPixels, info, openPage, openPicture, save, export, copyAddress,
        toggleAnimation
    // Typing
    case caretLeft, caretRight, caretStart, caretEnd, wordLeft, wordRight
    case deleteBackward, deleteForward, deleteWord, deleteToStart, deleteToEnd, submit, olderSearch, newerSearch
    // The terminal
    case toggleMouse, repaint, suspend, interrupt
}

enum KeyScope: Hashable, Sendable, CaseIterable {
    case home, list, grid, detail, search, filter, help, settings, alert, save, export, info, slideshow
}

extension Action {
    /// Whether there is nothing to do without images.
    var needsImages: Bool {
        switch self {
        case .toggleArrangement, .toggleCropping, .fullScreen, .slideshow, .pauseSlideshow, .toggleText, .zoomIn,
            .zoomOut, .zoomToFit, .zoomToPixels,
            .toggleAnimation:
            true
        default: false
        }
    }
}

/// Two actions that the footer names together: `←→ change`.
enum ActionPair: Hashable, Sendable, CaseIterable {
    case change, choose, scroll, page, photo, picture, zoom, size

    init?(_ first: Action, _ second: Action, in scope: KeyScope) {
        switch (first, second) {
        case (.left, .right) where scope == .settings: self = .change
        case (.up, .down): self = [.help, .info].contains(scope) ? .scroll : .choose
        case (.pageUp, .pageDown): self = .page
        case (.previousPhoto, .nextPhoto): self = .photo
        case (.previousPicture, .nextPicture): self = .picture
        case (.zoomOut, .zoomIn): self = .zoom
        case (.denser, .looser): self = .size
        default: return nil
        }
    }
}

extension UIStrings {
    /// What each key does, short enough for the last line of the screen.
    struct Actions: Sendable {
        let up, down, left, right, pageUp, pageDown, first, last: String
        let open, back, quit, search, help, settings: String
        let toggleArrangement, denser, looser, refresh, retry: String
        let nextPhoto, previousPhoto, openPage, save, copyAddress: String
        let caretLeft, caretRight, caretStart, caretEnd, wordLeft, wordRight: String
        let deleteBackward, deleteForward, deleteWord, deleteToStart, deleteToEnd: String
        let submit, olderSearch, newerSearch: String
        let toggleMouse, repaint, suspend, interrupt: String

        subscript(action: Action) -> String {
            switch action {
            case .up: up
            case .down: down
            case .left: left
            case .right: right
            case .pageUp: pageUp
            case .pageDown: pageDown
            case .first: first
            case .last: last
            case .open: open
            case .back: back
            case .quit: quit
            case .search: search
            case .help: help
            case .settings: settings
            case .toggleArrangement: toggleArrangement
            case .denser: denser
            case .looser: looser
            case .refresh: refresh
            case .retry: retry
            case .nextPhoto: nextPhoto
            case .previousPhoto: previousPhoto
            case .openPage: openPage
            case .save: save
            case .copyAddress: copyAddress
            case .caretLeft: caretLeft
            case .caretRight: caretRight
            case .caretStart: caretStart
            case .caretEnd: caretEnd
            case .wordLeft: wordLeft
            case .wordRight: wordRight
            case .deleteBackward: deleteBackward
            case .deleteForward: deleteForward
            case .deleteWord: deleteWord
            case .deleteToStart: deleteToStart
            case .deleteToEnd: deleteToEnd
            case .submit: submit
            case .olderSearch: olderSearch
            case .newerSearch: newerSearch
            case .toggleMouse: toggleMouse
            case .repaint: repaint
            case .suspend: suspend
            case .interrupt: interrupt
            }
        }
    }
}

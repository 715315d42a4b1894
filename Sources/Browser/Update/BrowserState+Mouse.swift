internal import SpyglassCatalog
internal import SpyglassTerminalUI

extension BrowserState {
    mutating func handle(_ event: MouseEvent) {
        switch event.kind {
        case .wheelUp: turnWheel(-1)
        case .wheelDown: turnWheel(1)
        case .press(.left): click(at: event.place)
        default: break
        }
    }

    private mutating func turnWheel(_ steps: Int) {
        let action = steps < 0 ? Action.up : .down
        switch top {
        case .list:
            let geometry = geometry
            list?.followsEnd = false
            list?.scroll(rows: steps, in: geometry)
        case .detail(let screen): turnWheel(steps, in: screen)
        case .help(let scroll): perform(action, inHelpAt: scroll)
        case .settings(let screen): perform(action, in: screen)
        case .home(let screen), .search(let screen): perform(action, in: screen)
        case .alert, .save: break
        }
    }

    /// Selects the photo under the mouse; the one that is selected is opened.
    private mutating func click(at place: CellPosition) {
        var place = place
        // Areas are counted from the edge where lines begin.
        if language.isRightToLeft { place.column = look.size.columns - 1 - place.column }
        guard case .list = top, let list, let position = geometry.position(at: place, from: list.topRow),
            list.photo(at: position) != nil
        else { return }
        self.list?.followsEnd = false
        if position == list.selected { openDetail() } else { self.list?.select(position) }
    }
}

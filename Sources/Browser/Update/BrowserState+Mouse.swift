internal import SpyglassCatalog
internal import SpyglassTerminalUI

extension BrowserState {
    /// Handles the wheel and other buttons; a click of the left one comes as `BrowserEvent.click`.
    mutating func handle(_ event: MouseEvent) {
        if case .release = event.kind { return }
        notice = nil
        switch event.kind {
        case .wheelUp: turnWheel(-1)
        case .wheelDown: turnWheel(1)
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

    /// The target is of the last frame: a screen that has come since may not know it.
    mutating func click(_ target: ClickTarget) {
        switch (target, top) {
        case (.photo(let position), .list): click(photoAt: position)
        case (.field, _): choose(nil)
        case (.choice(let choice), .home), (.choice(let choice), .search):
            choose(choice)
            perform(.submit)
        case (.setting(let row), .settings(var screen)):
            guard screen.chosen != row else { return perform(.right) }
            screen.chosen = row
            replaceTop(.settings(screen))
        case (.step(let step), .settings): perform(step < 0 ? .left : .right)
        case (.action(let action), _): perform(action)
        case (.photo, _), (.choice, _), (.setting, _), (.step, _): break
        }
    }

    /// Selects a photo; the one that is selected is opened.
    private mutating func click(photoAt position: Int) {
        list?.followsEnd = false
        if position == list?.selected { openDetail() } else { list?.select(position) }
    }
}

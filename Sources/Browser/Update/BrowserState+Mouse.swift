internal import SpyglassCatalog
internal import SpyglassTerminalUI

extension BrowserState {
    mutating func handle(_ event: MouseEvent) {
        if case .release = event.kind { return }
        // What was said stands over the keys below: what is pressed is what is seen.
        let target = event.kind == .press(.left) ? BrowserView.target(at: event.position, of: self) : nil
        notice = nil
        switch event.kind {
        case .wheelUp: turnWheel(-1)
        case .wheelDown: turnWheel(1)
        default: if let target { press(target) }
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

    private mutating func press(_ target: ClickTarget) {
        switch (target, top) {
        case (.photo(let position), _): press(photoAt: position)
        case (.field, _): choose(nil)
        case (.choice(let choice), _):
            choose(choice)
            perform(.submit)
        case (.setting(let row), .settings(var screen)):
            guard screen.chosen != row else { return perform(.right) }
            screen.chosen = row
            replaceTop(.settings(screen))
        case (.step(let step), _): perform(step < 0 ? .left : .right)
        case (.action(let action), _): perform(action)
        case (.setting, _): break
        }
    }

    /// Selects a photo; the one that is selected is opened.
    private mutating func press(photoAt position: Int) {
        list?.followsEnd = false
        if position == list?.selected { openDetail() } else { list?.select(position) }
    }
}

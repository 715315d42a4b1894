internal import SpyglassTerminalUI

extension BrowserState {
    mutating func perform(_ action: Action, in alert: Alert) {
        // Enter without a choice counts as the line before the first.
        let lines = alert.offers.count + 1
        func chosen(_ step: Int) -> Int? {
            let line = ((alert.choice ?? -1) + 1 + step + lines) % lines
            return line == 0 ? nil : line - 1
        }
        var changed = alert
        switch action {
        case .up: changed.choice = chosen(-1)
        case .down: changed.choice = chosen(1)
        case .submit:
            guard let choice = alert.choice else { return retry(alert) }
            return search(offer: choice, of: alert)
        case .retry: return retry(alert)
        default: return
        }
        replaceTop(.alert(changed))
    }

    mutating func search(offer choice: Int, of alert: Alert) {
        guard alert.offers.indices.contains(choice) else { return }
        submit(alert.offers[choice].text, source: alert.offers[choice].source)
    }

    /// Offers the searches that the cache has, above the demo.
    mutating func offer(_ searches: [RecentSearch], generation: Int) {
        guard list?.generation == generation else { return }
        for case (let index, .alert(var alert)) in zip(screens.indices, screens) {
            let new = searches.filter { !alert.offers.contains($0) }
            alert.offers = new + alert.offers
            alert.choice = alert.choice.map { $0 + new.count }
            screens[index] = .alert(alert)
        }
    }

    mutating func retry(_ alert: Alert) {
        guard alert.error.canRetry else { return back() }
        screens.removeLast()
        switch alert.subject {
        case .search, .folder: restart(list?.failed ?? .selects(0))
        case .save(let screen): ask(screen)
        }
    }

    /// A failed search leads home, to edit it; others to the screen below.
    mutating func leave(_ alert: Alert) {
        switch alert.subject {
        case .search(let text): goHome(with: text)
        case .folder: if !leaveFolder() { goHome(with: "") }
        case .save: screens.removeLast()
        }
    }

    mutating func perform(_ action: Action, inHelpAt scroll: Int) {
        let page = max(FrameRows.content(of: traits.size).rows, 1)
        let last = HelpView.lastLine(of: self)
        replaceTop(.help(scroll: action.scrolled(from: scroll, page: page, last: last) ?? min(scroll, last)))
    }

    mutating func openSettings() {
        var settings = SettingsScreen(openedWith: preferences.source)
        for case .settings(let open) in screens { settings = open }
        push(.settings(settings))
    }

    mutating func perform(_ action: Action, in screen: SettingsScreen) {
        let rows = SettingsScreen.rows(of: options)
        let index = rows.firstIndex(of: screen.chosen) ?? 0
        var screen = screen
        let before = preferences.animates
        switch action {
        case .up: screen.chosen = rows[max(index - 1, 0)]
        case .down: screen.chosen = rows[min(index + 1, rows.count - 1)]
        case .first, .pageUp: screen.chosen = rows[0]
        case .last, .pageDown: screen.chosen = rows[rows.count - 1]
        case .left: preferences.step(screen.chosen, by: -1, options: options)
        case .right: preferences.step(screen.chosen, by: 1, options: options)
        default: break
        }
        if preferences.animates != before { animates = preferences.animates }
        replaceTop(.settings(screen))
    }
}

extension Action {
    /// The line that an action scrolls to; `nil` if it does not scroll.
    func scrolled(from line: Int, page: Int, last: Int) -> Int? {
        let line = min(line, last)
        let moved: Int? =
            switch self {
            case .up: line - 1
            case .down: line + 1
            case .pageUp: line - page
            case .pageDown: line + page
            case .first: 0
            case .last: last
            default: nil
            }
        return moved.map { min(max($0, 0), last) }
    }
}

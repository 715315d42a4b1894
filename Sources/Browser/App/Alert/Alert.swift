/// A question about something that failed, over the screen below.
struct Alert: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case search(String)
        case folder(String)
        /// Has what a retry saves; the selection may have changed.
        case save(SaveScreen)
    }

    var subject: Subject
    var error: BrowserError
    /// Searches that need no network, where there is none.
    var offers: [RecentSearch] = []
    /// The chosen offer; `nil` while Enter retries.
    var choice: Int?
}

extension Alert: ScreenFeature {
    static let kind = ScreenKind.panel

    func scope(in state: AppState) -> KeyScope { .alert }

    func hints(in state: AppState) -> [Action] {
        (choice != nil || error.canRetry ? [.submit] : []) + (offers.isEmpty ? [] : [.up, .down])
            + (choice != nil && error.canRetry ? [.retry] : []) + [.back]
    }

    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String? {
        action == .submit ? (choice == nil ? Action.retry : .open).name(in: strings) : nil
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        // Enter without a choice counts as the line before the first.
        let lines = offers.count + 1
        func chosen(_ step: Int) -> Int? {
            let line = ((choice ?? -1) + 1 + step + lines) % lines
            return line == 0 ? nil : line - 1
        }
        var changed = self
        switch action {
        case .up: changed.choice = chosen(-1)
        case .down: changed.choice = chosen(1)
        case .submit:
            guard let choice else { return state.retry(self, &effects) }
            return state.search(offer: choice, of: self, &effects)
        case .retry: return state.retry(self, &effects)
        default: return
        }
        state.replaceTop(.alert(changed))
    }

    /// Leads home after a failed search, to edit it; else to the screen below.
    func close(in state: inout AppState, _ effects: inout Effects) {
        switch subject {
        case .search(let text): state.goHome(with: text, &effects)
        case .folder: if !state.leaveFolder(&effects) { state.goHome(with: "", &effects) }
        case .save: state.screens.removeLast()
        }
    }

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        AlertPanel(context: context, alert: self).draw(on: &canvas)
    }
}

extension AppState {
    mutating func search(offer choice: Int, of alert: Alert, _ effects: inout Effects) {
        guard alert.offers.indices.contains(choice) else { return }
        submit(alert.offers[choice].text, source: alert.offers[choice].source, &effects)
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

    fileprivate mutating func retry(_ alert: Alert, _ effects: inout Effects) {
        guard alert.error.canRetry else { return back(&effects) }
        screens.removeLast()
        switch alert.subject {
        case .search, .folder: restart(list?.failed ?? .selects(0), &effects)
        case .save(let screen): ask(screen, &effects)
        }
    }
}

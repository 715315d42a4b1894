internal import SpyglassCatalog

enum Screen: Hashable, Sendable {
    case home(SearchScreen)
    case list
    case detail(DetailScreen)
    case search(SearchScreen)
    case help(HelpScreen)
    case settings(SettingsScreen)
    case alert(Alert)
    case save(SaveScreen)
    case info(InfoScreen)
    case command(CommandScreen)
    case trash(TrashScreen)

    /// The screen's behaviour: a new screen has a case above, and a line here.
    var feature: any ScreenFeature {
        switch self {
        case .home(let search): HomeScreen(search: search)
        case .list: ListScreen()
        case .detail(let screen): screen
        case .search(let search): SearchPanel(search: search)
        case .help(let screen): screen
        case .settings(let screen): screen
        case .alert(let alert): alert
        case .save(let screen): screen
        case .info(let screen): screen
        case .command(let screen): screen
        case .trash(let screen): screen
        }
    }

    var kind: ScreenKind { type(of: feature).kind }
    var isPanel: Bool { kind == .panel }
}

enum ScreenKind {
    /// Shows photos.
    case content
    /// Covers all images.
    case cover
    /// Is drawn over a part of the screen below.
    case panel
}

protocol ScreenFeature: Sendable {
    static var kind: ScreenKind { get }

    func scope(in state: AppState) -> KeyScope
    /// Returns the actions that the footer names, the most important first.
    func hints(in state: AppState) -> [Action]
    /// Returns what an action would do now, if its usual name does not say it.
    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String?
    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects)
    /// Turns the wheel by a step down (1) or up (-1).
    func turnWheel(_ step: Int, in state: inout AppState, _ effects: inout Effects)
    func close(in state: inout AppState, _ effects: inout Effects)
    func imageRequests(in state: AppState) -> PictureRequests
    func draw(_ context: RenderContext, on canvas: inout Canvas)
}

extension ScreenFeature {
    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String? { nil }

    func turnWheel(_ step: Int, in state: inout AppState, _ effects: inout Effects) {
        perform(step < 0 ? .up : .down, in: &state, &effects)
    }

    func close(in state: inout AppState, _ effects: inout Effects) { state.screens.removeLast() }
    func imageRequests(in state: AppState) -> PictureRequests { PictureRequests() }
}

extension AppState {
    var top: Screen { screens[screens.count - 1] }
    /// The topmost screen that is not a panel.
    var baseScreen: Screen { screens.last { !$0.isPanel } ?? .list }
    /// The topmost screen that shows photos, perhaps under a cover.
    var content: Screen { screens.last { $0.kind == .content } ?? screens[0] }
    var scope: KeyScope { top.feature.scope(in: self) }
    /// Whether another screen hides all images.
    var coversContent: Bool { baseScreen.kind == .cover }

    /// Puts a screen on the stack; there is one of each cover and panel.
    mutating func push(_ screen: Screen) {
        if screen.kind != .content { screens.removeAll { type(of: $0.feature) == type(of: screen.feature) } }
        screens.append(screen)
    }

    /// The photo in full, while no other screen covers it.
    var topDetail: DetailScreen? {
        get { if case .detail(let screen) = top { screen } else { nil } }
        set { if let newValue { replaceTop(.detail(newValue)) } }
    }

    mutating func notify(_ notice: Notice) { self.notice = notice }
    mutating func replaceTop(_ screen: Screen) { screens[screens.count - 1] = screen }
    mutating func back(_ effects: inout Effects) { top.feature.close(in: &self, &effects) }

    /// Quits; `picked` are the photos to print.
    mutating func quit(picking picked: [Photo] = [], _ effects: inout Effects) {
        endRange()
        savePlace(&effects)
        for case .save(let screen) in screens where screen.isBusy { effects.append(.cancelSave) }
        effects.append(.quit(picked))
        isOver = true
    }

    /// Quits as `q` does: a run that picks photos prints what is marked.
    mutating func leave(_ effects: inout Effects) {
        endRange()
        quit(picking: options.picks ? marks.all : [], &effects)
    }

    /// Picks the selected photo, or what is marked; returns `false` for a folder, and in a run that picks nothing.
    mutating func pick(_ effects: inout Effects) -> Bool {
        guard options.picks, let photo = list?.wholeSelectedPhoto, photo.isMarkable else {
            return false
        }
        let marked = marks.all
        quit(picking: marked.isEmpty ? [photo] : marked, &effects)
        return true
    }

    /// Removes screens whose photo or list is gone, and settles those of one photo.
    mutating func reconcileScreens(_ effects: inout Effects) {
        screens.removeAll { screen in
            switch screen {
            case .list: list == nil
            case .detail: list?.positions.isEmpty ?? true
            case .info(let screen): list?.selectedPhoto?.key != screen.photoID
            default: false
            }
        }
        if screens.isEmpty { screens = [.home(SearchScreen())] }
        for index in screens.indices {
            if case .detail(let screen) = screens[index] { screens[index] = .detail(settled(screen, &effects)) }
        }
    }
}

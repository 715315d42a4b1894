internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassTerminalUI

struct ListScreen: ScreenFeature {
    static let kind = ScreenKind.content
    func scope(in state: AppState) -> KeyScope {
        state.isFiltering ? .filter : state.geometry.isGrid ? .grid : .list
    }

    func hints(in state: AppState) -> [Action] {
        if state.isFiltering { return [.submit, .back] }
        if let hints = state.markHints { return hints }
        let leave = state.leavingHints
        guard let list = state.list, !list.positions.isEmpty else {
            // Only Escape leads back from a filter without photos.
            let rest: [Action] = state.list?.isLocal == true && !state.trashed.isEmpty ? [.restore, .help] : [.help]
            return state.list?.filter == nil
                ? [.search, .refresh] + rest + leave + [.settings] : leave + rest + [.search, .settings]
        }
        // Names of own files are found by the filter; a search leads elsewhere.
        let find: [Action] = list.isLocal ? [.filter, .mark, .search] : [.search, .mark, .filter]
        return [.open] + find.prefix(1) + [.toggleArrangement, .changeOrder, .help] + leave + find.dropFirst() + [
            .fullScreen, .toggleCropping, .toggleSubfolders, .denser, .looser, .slideshow, .settings,
            .save, .export, .openPicture, .openPage, .info,
        ]
    }

    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String? {
        if let label = state.markLabel(of: action, strings) { return label }
        if action == .search, state.list?.isLocal == true { return strings.list.searchOnline }
        // Escape clears a filter first.
        return action == .back && state.list?.filter != nil ? strings.filter.clear : nil
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        if !state.performInFilter(action) { state.performInList(action, &effects) }
    }

    func turnWheel(_ step: Int, in state: inout AppState, _ effects: inout Effects) {
        let geometry = state.geometry
        state.list?.destination = nil
        state.list?.scroll(rows: step, in: geometry)
    }

    func close(in state: inout AppState, _ effects: inout Effects) {
        if state.list?.rangeStart != nil {
            state.list?.rangeStart = nil
        } else if state.list?.filter != nil {
            state.clearFilter()
        } else {
            state.leaveList(&effects)
        }
    }

    func imageRequests(in state: AppState) -> PictureRequests { state.listRequests() }
    func draw(_ context: RenderContext, on canvas: inout Canvas) { ListView(context: context).draw(on: &canvas) }
}

extension AppState {
    /// Up to this distance, the end is reached page by page, without dropping loaded photos.
    private static let pagewiseDistance = 100

    fileprivate mutating func performInList(_ action: Action, _ effects: inout Effects) {
        guard !mustWait(with: action) else { return }
        let hadRange = list?.rangeStart != nil
        if !action.keepsRange { endRange() }
        let geometry = geometry
        switch action {
        case .up: list?.move(rows: -1, in: geometry)
        case .down: list?.move(rows: 1, in: geometry)
        case .left, .right:
            let isOnwards = isOnwards(action)
            if geometry.isGrid {
                move(by: isOnwards ? 1 : -1)
            } else if isOnwards {
                openDetail(&effects)
            } else {
                // Into a folder and out of it, as in file managers.
                if !leaveFolder(&effects), list?.isLocal == true { notify(.hint(FolderTexts.all.outermost)) }
            }
        case .pageUp: list?.move(screens: -1, in: geometry)
        case .pageDown: list?.move(screens: 1, in: geometry)
        case .halfPageUp: list?.move(rows: -max(geometry.rowsWhole / 2, 1), in: geometry)
        case .halfPageDown: list?.move(rows: max(geometry.rowsWhole / 2, 1), in: geometry)
        case .first: go(to: 1, &effects)
        case .last: goToEnd(&effects)
        case .open: if !pick(&effects) { openDetail(&effects) }
        case .fullScreen: openDetail(isFullScreen: true, &effects)
        case .toggleArrangement: preferences.arrangement = preferences.arrangement == .list ? .grid : .list
        case .toggleCropping: preferences.cropsGrid.toggle()
        case .denser: changeDensity(-1)
        case .looser: changeDensity(1)
        case .changeOrder: changeOrder(&effects)
        case .toggleSubfolders: toggleSubfolders(&effects)
        case .filter: if let list, !list.photos.isEmpty || list.awaited != nil { self.list?.beginFilter() }
        case .refresh:
            images.retryFailed()
            if !retryPages(&effects) { refresh(&effects) }
        default: if !performOnMarks(action, endsRange: hadRange) { performOnPhoto(action, &effects) }
        }
        if action != .first, action != .last { list?.destination = nil }
    }

    /// Returns whether the photos that an action is meant for have yet to come, and says so.
    mutating func mustWait(with action: Action) -> Bool {
        guard let list, list.isOnTheWay(for: action) else { return false }
        let strings = UIStrings(language)
        notify(.waiting((list.isLocal ? strings.folders.reading : strings.list.searching)(list.search)))
        return true
    }

    func isOnwards(_ action: Action) -> Bool { (action == .right) != language.isRightToLeft }

    mutating func move(by photos: Int) {
        guard let list else { return }
        self.list?.select(list.selected + photos)
    }

    mutating func openDetail(isFullScreen: Bool = false, _ effects: inout Effects) {
        endRange()
        guard let photo = list?.selectedPhoto else { return }
        if photo.mediaType == .folder, let folder = photo.file?.path { return enter(folder, &effects) }
        if let key = thumbnailKey(of: photo, in: geometry), images.pictures[key]?.hasFailed == true {
            images.retry(key)
        }
        push(.detail(DetailScreen(isFullScreen: isFullScreen, isFromList: isFullScreen)))
    }

    /// Selects the last photo; jumps if it is far, reads one more page if it is near or its position is unknown.
    mutating func goToEnd(_ effects: inout Effects) {
        guard let list else { return }
        let end = list.positions.upperBound
        guard list.filter == nil else {
            self.list?.select(end - 1)
            self.list?.destination = list.hasFilesToLoad ? .max : nil
            return
        }
        guard !list.positions.isEmpty else { return }
        // A jump would drop the photos of an open range.
        let isNear = list.rangeStart != nil || list.isAtEnd || end > list.lastKnownPosition - Self.pagewiseDistance
        guard isNear, list.awaited == nil else { return jump(to: list.lastKnownPosition, &effects) }
        self.list?.select(end - 1)
        let last = if list.rangeStart != nil, case .exact? = list.total { list.lastKnownPosition } else { Int.max }
        self.list?.destination = list.isAtEnd || list.nextProblem != nil ? nil : last
    }

    /// The number that was typed in a list, as the notice shows it.
    var typedNumber: Int? { if case .number(let number)? = notice { number } else { nil } }

    /// Adds a digit to a number in a list; returns whether the key is one.
    mutating func typeDigit(of key: Key, after number: Int?) -> Bool {
        guard KeyTable.photos.contains(scope), let digit = key.typed.flatMap({ Int(String($0)) }),
            digit + (number ?? 0) > 0
        else { return false }
        notify(.number(min((number ?? 0) * 10 + digit, Self.maxNumber)))
        return true
    }

    private static let maxNumber = 1_000_000_000

    /// Selects a photo by its number, from 1, or the last one before it.
    mutating func go(to number: Int, _ effects: inout Effects) {
        guard let list, !list.positions.isEmpty else { return }
        self.list?.destination = nil
        let isCounted = if case .exact? = list.total { true } else { list.isAtEnd }
        let position = isCounted ? min(number - 1, list.lastKnownPosition) : number - 1
        // Where the end was read first, positions are estimates.
        let isLoaded = list.positions.contains(position) && (position > 0 || list.isAtStart)
        if list.filter != nil {
            // It counts only what it leaves.
            self.list?.select(number - 1)
        } else if list.rangeStart != nil || list.awaited == nil && isLoaded {
            // A jump would drop the photos of an open range.
            self.list?.select(position)
            self.list?.destination = isLoaded ? nil : position
        } else {
            jump(to: position, &effects)
        }
    }

    /// Reads the page of a position and selects it; replaces an earlier jump.
    private mutating func jump(to position: Int, _ effects: inout Effects) {
        guard let list, list.awaited != .selects(position) else { return }
        restart(.selects(position), revalidates: list.awaited?.isRefresh == true, &effects)
    }

    private mutating func changeDensity(_ step: Int) {
        if geometry.isGrid { return changeGridColumns(-step) }
        let last = ListGeometry.densities.count - 1
        preferences.density = min(max(min(max(preferences.density, 0), last) + step, 0), last)
    }
}

extension AppState {
    /// Requests from the selection downwards, then upwards; a screen on each side, and one more in the direction of travel.
    func listRequests() -> PictureRequests {
        guard let list, !list.positions.isEmpty else { return PictureRequests() }
        let geometry = geometry
        var taken: Set<PictureKey> = []
        func requests(_ positions: some Sequence<Int>) -> [PictureRequest] {
            positions.compactMap { position in
                guard let photo = list.photo(at: position), let key = thumbnailKey(of: photo, in: geometry),
                    taken.insert(key).inserted
                else { return nil }
                return request(key)
            }
        }
        let isDown = list.direction == .down
        guard geometry.thumbnail != nil else {
            // The picture beside a list of lines, and some that arrow keys lead to.
            let distances = isDown ? [1, -1, 2, 3] : [-1, 1, -2, -3]
            let visible = requests([list.selected])
            let checked = geometry.positions(from: list.topRow).compactMap { position in
                list.photo(at: position).flatMap { checkKey(of: $0, in: geometry) }.map { request($0) }
            }
            return PictureRequests(
                visible: visible, near: requests(distances.map { list.selected + $0 }) + checked)
        }
        let screen = geometry.rowsInPart * geometry.columns
        let shown = geometry.positions(from: list.topRow)
        let below = shown.upperBound..<shown.upperBound + screen
        let above = shown.lowerBound - screen..<shown.lowerBound
        let start = min(max(list.selected, shown.lowerBound), shown.upperBound)
        let visible = requests(start..<shown.upperBound) + requests(shown.lowerBound..<start)
        guard isDown else {
            let near = requests(above.reversed()) + requests(below)
            let beyond = above.lowerBound - screen..<above.lowerBound
            return PictureRequests(visible: visible, near: near, ahead: requests(beyond.reversed()))
        }
        let near = requests(below) + requests(above.reversed())
        let beyond = below.upperBound..<below.upperBound + screen
        return PictureRequests(visible: visible, near: near, ahead: requests(beyond))
    }
}

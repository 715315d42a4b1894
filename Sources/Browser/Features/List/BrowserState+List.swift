internal import SpyglassCatalog
internal import SpyglassFiles

extension BrowserState {
    /// Up to this distance, the end is reached page by page, without dropping loaded photos.
    private static let pagewiseDistance = 100

    mutating func performInList(_ action: Action) {
        let hadRange = list?.rangeStart != nil
        if !action.keepsRange { endRange() }
        let geometry = geometry
        switch action {
        case .up: list?.move(rows: -1, in: geometry)
        case .down: list?.move(rows: 1, in: geometry)
        case .left, .right: move(onwards: isOnwards(action), in: geometry)
        case .pageUp: list?.move(screens: -1, in: geometry)
        case .pageDown: list?.move(screens: 1, in: geometry)
        case .first: goToStart()
        case .last: goToEnd()
        case .open: openDetail()
        case .fullScreen: openDetail(isFullScreen: true)
        case .slideshow: startSlideshow()
        case .toggleArrangement: preferences.arrangement = preferences.arrangement == .list ? .grid : .list
        case .toggleCropping: preferences.cropsGrid.toggle()
        case .denser: changeDensity(-1)
        case .looser: changeDensity(1)
        case .changeOrder: changeOrder()
        case .filter: openFilter()
        case .mark, .markRange, .invertMarks, .unmark: performOnMarks(action, endsRange: hadRange)
        case .refresh:
            retryPictures()
            if !retryPages() { refresh() }
        default: performOnPhoto(action)
        }
        if action != .last { list?.followsEnd = false }
    }

    /// Whether an arrow points in reading direction.
    func isOnwards(_ action: Action) -> Bool { (action == .right) != language.isRightToLeft }

    private mutating func move(onwards: Bool, in geometry: ListGeometry) {
        if geometry.isGrid { move(by: onwards ? 1 : -1) } else if onwards { openDetail() }
    }

    mutating func move(by photos: Int) {
        guard let list else { return }
        self.list?.select(list.selected + photos)
    }

    mutating func openDetail(isFullScreen: Bool = false) {
        endRange()
        guard let list, let photo = list.photo(at: list.selected) else { return }
        if photo.mediaType == .folder, let folder = photo.file?.path { return enter(folder) }
        if let key = thumbnailKey(of: photo, in: geometry), pictures[key]?.hasFailed == true {
            pictures[key] = .loading
            revalidating.insert(key)
        }
        push(.detail(DetailScreen(position: list.selected, isFullScreen: isFullScreen, isFromList: isFullScreen)))
    }

    /// Selects the first photo; jumps if it is not loaded or another jump is in progress.
    mutating func goToStart() {
        guard let list, !list.positions.isEmpty else { return }
        if list.filter != nil || list.rangeStart != nil || list.isAtStart && list.awaited == nil {
            self.list?.select(list.positions.lowerBound)
        } else {
            jump(to: 0)
        }
    }

    /// Selects the last photo; jumps if it is far, reads one more page if it is near or its position is unknown.
    mutating func goToEnd() {
        guard let list, !list.positions.isEmpty else { return }
        let end = list.positions.upperBound
        guard list.filter == nil else {
            self.list?.select(end - 1)
            return
        }
        // A jump would drop the photos of an open range.
        let isNear = list.rangeStart != nil || list.isAtEnd || end > list.lastKnownPosition - Self.pagewiseDistance
        guard isNear, list.awaited == nil else { return jump(to: list.lastKnownPosition) }
        self.list?.select(end - 1)
        self.list?.followsEnd = !list.isAtEnd && list.nextProblem == nil
    }

    /// Reads the page of a position and selects it; replaces an earlier jump.
    private mutating func jump(to position: Int) {
        guard let list, list.awaited != .selects(position) else { return }
        restart(.selects(position), revalidates: list.awaited?.isRefresh == true)
    }

    private mutating func changeDensity(_ step: Int) {
        guard geometry.isGrid else {
            let last = ListGeometry.densities.count - 1
            preferences.density = min(max(min(max(preferences.density, 0), last) + step, 0), last)
            return
        }
        let before = preferences.gridColumns
        let columns = geometry.columns
        preferences.gridColumns = max(columns - step, 1)
        if geometry.columns == columns { preferences.gridColumns = before }
    }
}

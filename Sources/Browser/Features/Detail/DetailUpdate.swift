internal import SpyglassCatalog
internal import SpyglassTerminalUI

extension DetailScreen: ScreenFeature {
    static let kind = ScreenKind.content
    func scope(in state: AppState) -> KeyScope { slideshow == nil ? .detail : .slideshow }

    func hints(in state: AppState) -> [Action] {
        if let slideshowHints { return slideshowHints }
        var hints = usualHints(in: state)
        if state.isBroken(self) { hints.insert(.retry, at: 0) }
        if state.list?.selectedPhoto.flatMap(state.zoomGeometry) == nil || !state.mayZoom(self) {
            hints.removeAll { [.zoomIn, .rotateLeft, .rotateRight].contains($0) }
        }
        if state.list?.isSingle == true { hints.removeAll { [.nextPhoto, .previousPhoto].contains($0) } }
        return hints
    }

    private func usualHints(in state: AppState) -> [Action] {
        if state.zoomPercent != nil {
            return [.zoomToFit, .zoomOut, .zoomIn] + state.panKeys
                + [
                    .zoomToWidth, .zoomToPixels, .previousPhoto, .nextPhoto, .previousPicture, .nextPicture, .help,
                    .back,
                ]
        }
        let pick: [Action] = state.options.picks ? [.open, .quit, .mark] : []
        let scrolls = !isFullScreen && !state.detailGeometry.isLine && state.maximumScroll > 0
        let scroll: [Action] = scrolls ? [.pageUp, .pageDown] : []
        return pick + [.previousPhoto, .nextPhoto, .previousPicture, .nextPicture] + scroll
            // Escape leads back from the full screen.
            + (isFullScreen ? [] : [.fullScreen, .toggleText])
            + [
                .help, .back, .quit, .zoomIn, .slideshow, .mark, .save, .export, .info, .rotateLeft, .rotateRight,
                .openPicture, .openPage, .copyAddress, .search,
            ]
    }

    func label(of action: Action, in state: AppState, _ strings: UIStrings) -> String? {
        if let label = state.pickLabel(of: action, strings) { return label }
        return action == .toggleText && showsText ? strings.detail.picture : slideshowLabel(of: action, strings)
    }

    func perform(_ action: Action, in state: inout AppState, _ effects: inout Effects) {
        guard !state.mustWait(with: action) else { return }
        state.list?.destination = nil
        if state.zoom(action, in: self) { return }
        let page = max(state.textRows - 1, 1)
        let isPage = [.pageUp, .pageDown, .halfPageUp, .halfPageDown].contains(action)
        // Without a picture there is only text to move through.
        let scrolls = isPage ? !isFullScreen : state.detailGeometry.picture == nil
        if scrolls, let line = action.scrolled(from: scroll, page: page, last: state.maximumScroll) {
            state.topDetail?.scroll = line
            return
        }
        switch action {
        case .up, .pageUp, .halfPageUp, .previousPhoto: state.turn(by: -1)
        case .down, .pageDown, .halfPageDown, .nextPhoto: state.turn(by: 1)
        case .first:
            state.go(to: 1, &effects)
            state.skipFolders()
        case .last:
            state.goToEnd(&effects)
            if state.list?.selectedPhoto?.mediaType == .folder { state.turn(by: -1) }
        case .nextPicture: state.turnPicture(by: 1)
        case .previousPicture: state.turnPicture(by: -1)
        case .left, .right: state.turn(by: state.isOnwards(action) ? 1 : -1)
        case .open where state.pick(&effects): break
        case .open: if state.isBroken(self) { state.retryPicture(self) } else { state.openFolder(&effects) }
        case .retry: state.retryPicture(self)
        case .mark: state.list?.wholeSelectedPhoto.map { state.toggleMark(of: $0) }
        case .unmark: state.unmarkAll()
        case .fullScreen: state.toggleFullScreen(self)
        case .pauseSlideshow: state.topDetail?.slideshow?.isPaused.toggle()
        case .toggleText: state.toggleText(self)
        case .rotateLeft: state.rotate(by: 3)
        case .rotateRight: state.rotate(by: 1)
        default: state.performOnPhoto(action, &effects)
        }
    }

    func turnWheel(_ step: Int, in state: inout AppState, _ effects: inout Effects) {
        let linesPerStep = 3
        state.list?.destination = nil
        if isFullScreen { state.turn(by: step) } else { state.scroll(self, by: step * linesPerStep) }
    }

    /// Leaves one photo in full, or first its slideshow, the full screen or its text.
    func close(in state: inout AppState, _ effects: inout Effects) {
        if slideshow != nil {
            state.endSlideshow(&effects)
        } else if isFullScreen, !isFromList {
            state.toggleFullScreen(self)
        } else if showsText, !isFullScreen {
            state.toggleText(self)
        } else {
            state.leaveDetail()
        }
    }

    /// Requests the large image; near are the list's images, ahead those of the next picture and of the neighbours.
    func imageRequests(in state: AppState) -> PictureRequests {
        let thumbnails = state.listRequests().visible
        guard let list = state.list, let photo = list.selectedPhoto else {
            return PictureRequests(near: thumbnails)
        }
        var result = PictureRequests()
        var taken = Set(thumbnails.map(\.key))
        if let key = state.detailKey(of: photo) {
            let thumbnail = [state.thumbnailKey(of: photo, in: state.geometry)].compactMap(\.self)
            let whole = state.request(key, coarse: thumbnail)
            if let zoomed = state.zoomedKey(of: photo, in: self) {
                result.visible = [state.request(zoomed, coarse: [key] + thumbnail)]
                result.near = [whole]
            } else {
                result.visible = [whole]
            }
            taken.insert(key)
        }
        let step = list.direction == .down ? 1 : -1
        let next = list.picture < list.pictureCount ? list.wholeSelectedPhoto?.picture(list.picture + 1) : nil
        for photo in [next, list.photo(at: list.selected + step), list.photo(at: list.selected - step)] {
            guard let photo, let key = state.detailKey(of: photo), taken.insert(key).inserted else { continue }
            result.near.append(state.request(key))
        }
        result.near += thumbnails.filter { $0.key != result.visible.first?.key }
        return result
    }

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        DetailView(context: context, detail: self).draw(on: &canvas)
    }
}

extension AppState {
    private static let lineTime = Duration.seconds(2)

    fileprivate mutating func leaveDetail() {
        screens.removeLast()
        list?.picture = 1
    }

    fileprivate mutating func toggleFullScreen(_ screen: DetailScreen) {
        if screen.isFromList { leaveDetail() } else { topDetail?.isFullScreen.toggle() }
    }

    fileprivate mutating func toggleText(_ screen: DetailScreen) {
        guard !screen.isFullScreen else { return }
        topDetail?.showsText.toggle()
        topDetail?.scroll = 0
    }

    mutating func showLine(_ effects: inout Effects) {
        guard topDetail?.isFullScreen == true else { return }
        topDetail?.hidesLine = false
        effects.append(.timer(.line, Self.lineTime))
    }

    mutating func hideLine() {
        guard topDetail?.isFullScreen == true else { return }
        topDetail?.hidesLine = true
        notice = nil
    }

    var maximumScroll: Int { max(detailLineCount - textRows, 0) }
    fileprivate var textRows: Int { detailGeometry.text?.rows ?? 1 }

    fileprivate mutating func scroll(_ screen: DetailScreen, by lines: Int) {
        let end = maximumScroll
        // The text may have become shorter.
        topDetail?.scroll = min(max(min(screen.scroll, end) + lines, 0), end)
    }

    /// Turns to the next photo, or the one before; folders are not photos.
    fileprivate mutating func turn(by photos: Int) {
        guard let before = list?.selected else { return }
        var target = before + photos
        while list?.photo(at: target)?.mediaType == .folder { target += photos.signum() }
        // With folders alone on that side, nothing is left there.
        if list?.photo(at: target) != nil || target == before + photos { move(by: target - before) }
        guard let list, list.selected == before else { return }
        let isOnwards = photos > 0
        if let problem = isOnwards ? list.nextProblem : list.previousProblem {
            notice = .failed(problem)
        } else if isOnwards ? list.isAtEnd : list.isAtStart {
            notice = isOnwards ? .hint(DetailTexts.all.atLast) : .hint(DetailTexts.all.atFirst)
        }
    }

    /// Selects the first photo if a folder is selected.
    mutating func skipFolders() {
        guard let list, let first = list.positions.first(where: { list.photo(at: $0)?.mediaType != .folder }) else {
            return
        }
        if list.selectedPhoto?.mediaType == .folder { self.list?.select(first) }
    }

    fileprivate mutating func turnPicture(by pictures: Int) {
        guard let list, (1...list.pictureCount).contains(list.picture + pictures) else { return }
        self.list?.picture += pictures
    }

    /// Returns whether the large image failed and may come yet, also if the preview replaces it.
    func isBroken(_ screen: DetailScreen) -> Bool {
        guard let photo = list?.selectedPhoto, let key = shownKey(of: photo, in: screen) else { return false }
        if case .failed(let failure) = images.pictures[key] { return failure.canRetry }
        return fitGeometry(of: photo).box.flatMap { rendition(of: photo, for: $0) }
            .map(images.lostRenditions.contains) ?? false
    }

    /// Whether there is an image to enlarge, or one that is enlarged and may be shown whole again.
    func mayZoom(_ screen: DetailScreen) -> Bool {
        let key = list?.selectedPhoto.flatMap { shownKey(of: $0, in: screen) }
        guard screen.zoom == .fit, let key, case .failed = images.pictures[key] else { return true }
        return false
    }

    fileprivate mutating func retryPicture(_ screen: DetailScreen) {
        guard let photo = list?.selectedPhoto else { return }
        images.forgetLost()
        if let key = shownKey(of: photo, in: screen) { images.retry(key) }
        topDetail?.isComplete = false
        // Another version of the file may be there, or none.
        folders.isChanged = true
    }
}

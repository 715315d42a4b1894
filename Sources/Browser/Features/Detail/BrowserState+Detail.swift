internal import SpyglassCatalog
internal import SpyglassTerminalUI

extension BrowserState {
    private static let wheelLines = 3

    private static let farAway = 1 << 32

    mutating func perform(_ action: Action, in screen: DetailScreen) {
        if zoom(action, in: screen) { return }
        let page = max(textRows - 1, 1)
        switch action {
        case .up where screen.isFullScreen, .pageUp where screen.isFullScreen: turn(by: -1)
        case .down where screen.isFullScreen, .pageDown where screen.isFullScreen: turn(by: 1)
        case .first where screen.isFullScreen: goToStart()
        case .last where screen.isFullScreen: goToEnd()
        case .up: scroll(screen, by: -1)
        case .down: scroll(screen, by: 1)
        case .pageUp: scroll(screen, by: -page)
        case .pageDown: scroll(screen, by: page)
        case .first: scroll(screen, by: -screen.scroll)
        case .last: scroll(screen, by: Self.farAway)
        case .nextPhoto: turn(by: 1)
        case .previousPhoto: turn(by: -1)
        case .nextPicture: turnPicture(by: 1)
        case .previousPicture: turnPicture(by: -1)
        case .left, .right: turn(by: isOnwards(action) ? 1 : -1)
        case .open: if isBroken(screen) { retryPicture(screen) } else { openFolder() }
        case .retry: retryPicture(screen)
        case .fullScreen: toggleFullScreen(screen)
        case .slideshow: startSlideshow()
        case .pauseSlideshow: pauseSlideshow()
        case .toggleText: toggleText(screen)
        default: performOnPhoto(action)
        }
    }

    /// Leaves one photo in full, or first its text or the full screen.
    mutating func leave(_ screen: DetailScreen) {
        if screen.slideshow != nil {
            endSlideshow()
        } else if screen.isFullScreen, !screen.isFromList {
            toggleFullScreen(screen)
        } else if screen.showsText, !screen.isFullScreen {
            toggleText(screen)
        } else {
            screens.removeLast()
            list?.picture = 1
        }
    }

    private mutating func toggleFullScreen(_ screen: DetailScreen) {
        if screen.isFromList { return leave(screen) }
        var screen = screen
        screen.isFullScreen.toggle()
        replaceTop(.detail(screen))
    }

    private mutating func toggleText(_ screen: DetailScreen) {
        guard !screen.isFullScreen else { return }
        var screen = screen
        screen.showsText.toggle()
        screen.scroll = 0
        replaceTop(.detail(screen))
    }

    /// Shows the line of the full screen for a while.
    mutating func showLine() {
        guard case .detail(var screen) = top, screen.isFullScreen else { return }
        screen.hidesLine = false
        replaceTop(.detail(screen))
        emit(.startLineTimer)
    }

    mutating func hideLine() {
        guard case .detail(var screen) = top, screen.isFullScreen else { return }
        screen.hidesLine = true
        notice = nil
        replaceTop(.detail(screen))
    }

    mutating func turnWheel(_ steps: Int, in screen: DetailScreen) {
        if screen.isFullScreen { turn(by: steps) } else { scroll(screen, by: steps * Self.wheelLines) }
    }

    var maximumScroll: Int { max(detailLineCount - textRows, 0) }

    mutating func settled(_ screen: DetailScreen) -> DetailScreen {
        guard let list, let photo = list.photo(at: list.selected) else { return screen }
        var screen = screen
        screen.position = list.selected
        let isOther = screen.photoID != photo.id
        if isOther {
            screen.scroll = 0
            screen.isComplete = list.completed.contains(photo.id)
            screen.photoID = photo.id
            screen.ratio = nil
        }
        if screen.picture != list.picture { screen.ratio = nil }
        if isOther || screen.file != photo.file || screen.picture != list.picture {
            screen.file = photo.file
            screen.picture = list.picture
            screen.ratio = knownRatio(of: photo) ?? screen.ratio
            screen.isRatioCertain = false
            screen.size = decodedSize(of: photo)
        }
        if !screen.isComplete, list.awaited == nil {
            screen.isComplete = true
            emit(.loadDetails(generation: list.generation, list.wholePhoto(at: list.selected) ?? photo))
        }
        return screen
    }

    mutating func receive(_ result: Result<Photo, BrowserError>, of id: String, generation: Int) {
        guard list?.generation == generation else { return }
        defer { completeSaving(result, of: id) }
        switch result {
        case .success(let photo):
            list?.complete(photo, id: id)
            if photo.id == id { marks.update(photo) }
        case .failure(let problem):
            if case .detail(let screen) = top, screen.photoID == id, screen.slideshow == nil {
                notice = .failed(problem)
            }
        }
    }

    private var textRows: Int { detailGeometry.text?.rows ?? 1 }

    private mutating func scroll(_ screen: DetailScreen, by lines: Int) {
        var screen = screen
        let end = maximumScroll
        // The text may have become shorter.
        screen.scroll = min(max(min(screen.scroll, end) + lines, 0), end)
        replaceTop(.detail(screen))
    }

    private mutating func turn(by photos: Int) {
        guard let before = list?.selected else { return }
        move(by: photos)
        guard list?.selected == before else { return }
        let problem = photos > 0 ? list?.nextProblem : list?.previousProblem
        notice = problem.map { .failed($0) }
    }

    /// Shows another picture of the photo; there is none before the first or after the last.
    private mutating func turnPicture(by pictures: Int) {
        guard let list, (1...list.pictureCount).contains(list.picture + pictures) else { return }
        self.list?.picture += pictures
    }

    /// Whether its large image failed and may come yet, also if the preview replaces it.
    func isBroken(_ screen: DetailScreen) -> Bool {
        guard let photo = list?.photo(at: screen.position), let key = shownKey(of: photo, in: screen)
        else { return false }
        if case .failed(let failure) = pictures[key] { return failure.canRetry }
        return fitGeometry(of: photo).box.flatMap { rendition(of: photo, for: $0) }.map(lostRenditions.contains)
            ?? false
    }

    private mutating func retryPicture(_ screen: DetailScreen) {
        guard let photo = list?.photo(at: screen.position) else { return }
        forgetLostPictures()
        if let key = shownKey(of: photo, in: screen) {
            if pictures[key]?.hasFailed == true { pictures[key] = .loading }
            revalidating.insert(key)
        }
        var screen = screen
        screen.isComplete = false
        replaceTop(.detail(screen))
    }
}

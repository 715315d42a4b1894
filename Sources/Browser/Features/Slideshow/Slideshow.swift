internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// Photos in full screen, one after the other; the time of each begins when its picture is shown.
struct Slideshow: Hashable, Sendable {
    var isPaused = false
    /// Whether one photo was in full screen before.
    var wasFullScreen = false
}

extension DetailScreen {
    /// The keys that the footer names in a slideshow; `nil` outside of one.
    var slideshowHints: [Action]? { slideshow == nil ? nil : [.pauseSlideshow, .back, .previousPhoto, .nextPhoto] }

    func slideshowLabel(of action: Action, _ strings: UIStrings) -> String? {
        guard let slideshow else { return nil }
        if action == .back { return strings.slideshow.end }
        return action == .pauseSlideshow && slideshow.isPaused ? strings.slideshow.resume : nil
    }
}

extension AppState {
    /// Begins with the selected photo, or the next one with a picture.
    mutating func startSlideshow() {
        guard let list, let first = nextSlide(from: list.selected) ?? nextSlide(from: 0)
        else { return }
        self.list?.select(first)
        if case .detail(var screen) = top {
            screen.slideshow = Slideshow(wasFullScreen: screen.isFullScreen)
            screen.isFullScreen = true
            screen.zoom = .fit
            replaceTop(.detail(screen))
        } else {
            push(.detail(DetailScreen(position: first, isFullScreen: true, isFromList: true, slideshow: Slideshow())))
        }
    }

    mutating func pauseSlideshow() {
        guard case .detail(var screen) = top else { return }
        screen.slideshow?.isPaused.toggle()
        replaceTop(.detail(screen))
    }

    /// Ends a slideshow unless the click is on one of its keys; returns whether one was ended.
    @discardableResult
    mutating func endsSlideshow(_ target: ClickTarget?, _ effects: inout Effects) -> Bool {
        let stays: [ClickTarget?] = [.action(.pauseSlideshow), .action(.previousPhoto), .action(.nextPhoto)]
        guard scope == .slideshow, !stays.contains(target) else { return false }
        back(&effects)
        return true
    }

    /// Returns to the list, or to one photo as it was.
    mutating func endSlideshow(_ effects: inout Effects) {
        guard case .detail(var screen) = top, let slideshow = screen.slideshow else { return }
        screen.slideshow = nil
        guard !screen.isFromList || slideshow.wasFullScreen else { return screen.close(in: &self, &effects) }
        screen.isFullScreen = slideshow.wasFullScreen
        replaceTop(.detail(screen))
    }

    /// Shows the next photo, after the last one the first; waits for photos that are not loaded yet.
    mutating func advanceSlide(_ effects: inout Effects) {
        slideID = nil
        guard runningSlideID != nil, let list else { return }
        if let next = nextSlide(from: list.selected + 1) {
            self.list?.select(next)
        } else if list.filter != nil || list.isAtEnd || list.nextProblem != nil {
            goToStart(&effects)
            if let first = nextSlide(from: list.positions.lowerBound), list.isAtStart { self.list?.select(first) }
        }
    }

    /// Starts the timer once the photo's picture is there, and stops it with the slideshow.
    mutating func reconcileSlideshow(_ effects: inout Effects) {
        let id = runningSlideID
        guard id != slideID else { return }
        slideID = id
        effects.append(.timer(.slide, id == nil ? nil : .seconds(preferences.slideSeconds)))
    }

    /// The photo whose timer should run: its picture is shown, or has failed.
    private var runningSlideID: String? {
        guard case .detail(let screen) = top, let slideshow = screen.slideshow, !slideshow.isPaused, let list,
            !list.isSingle, let photo = list.photo(at: list.selected)
        else { return nil }
        guard let key = detailKey(of: photo), let picture = images.pictures[key] else { return photo.id }
        return picture.isFinal || picture.hasFailed ? photo.id : nil
    }

    private func nextSlide(from start: Int) -> Int? {
        guard let list else { return nil }
        let positions = list.positions
        return (min(max(start, positions.lowerBound), positions.upperBound)..<positions.upperBound).first { position in
            list.photo(at: position).map { $0.preview != nil && $0.mediaType != .folder } ?? false
        }
    }
}

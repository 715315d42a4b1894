internal import SpyglassCatalog

/// Photos in full screen, one after the other; the time of each begins when its picture is shown.
struct Slideshow: Hashable, Sendable {
    var isPaused = false
    /// Whether one photo was in full screen before.
    var wasFullScreen = false
}

extension BrowserState {
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

    /// Returns to the list, or to one photo as it was.
    mutating func endSlideshow() {
        guard case .detail(var screen) = top, let slideshow = screen.slideshow else { return }
        screen.slideshow = nil
        guard !screen.isFromList || slideshow.wasFullScreen else { return leave(screen) }
        screen.isFullScreen = slideshow.wasFullScreen
        replaceTop(.detail(screen))
    }

    /// Shows the next photo, after the last one the first; waits for photos that are not loaded yet.
    mutating func turnSlide() {
        timedSlide = nil
        guard runningSlide != nil, let list else { return }
        if let next = nextSlide(from: list.selected + 1) {
            self.list?.select(next)
        } else if list.filter != nil || list.isAtEnd || list.nextProblem != nil {
            goToStart()
            if let first = nextSlide(from: list.positions.lowerBound), list.isAtStart { self.list?.select(first) }
        }
    }

    /// Starts the time of the photo once its picture is there, and stops it with the slideshow.
    mutating func reconcileSlideshow() {
        let slide = runningSlide
        guard slide != timedSlide else { return }
        timedSlide = slide
        emit(.setSlideTimer(seconds: slide == nil ? nil : preferences.slideSeconds))
    }

    /// The photo whose time runs: its picture is shown, or has failed.
    private var runningSlide: String? {
        guard case .detail(let screen) = top, let slideshow = screen.slideshow, !slideshow.isPaused, let list,
            !list.isSingle, let photo = list.photo(at: list.selected)
        else { return nil }
        guard let key = detailKey(of: photo), let picture = pictures[key] else { return photo.id }
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

internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// Photos in full screen, one after the other; the time of each begins when its picture is shown.
struct Slideshow: Hashable, Sendable {
    var isPaused = false
    /// Whether one photo was in full screen before.
    var wasFullScreen = false
}

extension DetailScreen {
    var isPaused: Bool { slideshow?.isPaused == true }
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
    var hasSlides: Bool { nextSlide(from: 0) != nil }

    mutating func startSlideshow() {
        guard let list, let first = nextSlide(from: list.selected) ?? nextSlide(from: 0) else {
            return notify(.hint(SaveTexts.all.nothingToSave))
        }
        self.list?.select(first)
        if var screen = topDetail {
            screen.slideshow = Slideshow(wasFullScreen: screen.isFullScreen)
            screen.isFullScreen = true
            screen.zoom = .fit
            topDetail = screen
        } else {
            push(.detail(DetailScreen(isFullScreen: true, isFromList: true, slideshow: Slideshow())))
        }
    }

    /// Ends a slideshow by a key, which stays at the photo if it has a meaning there; returns whether one was ended.
    mutating func endsSlideshow(_ key: Key, _ effects: inout Effects) -> Bool {
        guard scope == .slideshow else { return false }
        let action = keys.action(for: key, in: .detail)
        // Both keys lead on from where the slideshow began.
        if action == nil || action == .slideshow || action == .fullScreen {
            back(&effects)
        } else {
            topDetail?.slideshow = nil
        }
        return true
    }

    /// Ends a slideshow unless the click is on one of its keys; returns whether one was ended.
    mutating func endsSlideshow(_ target: ClickTarget?, _ effects: inout Effects) -> Bool {
        let stays: [ClickTarget?] = [.action(.pauseSlideshow), .action(.previousPhoto), .action(.nextPhoto)]
        guard scope == .slideshow, !stays.contains(target) else { return false }
        back(&effects)
        return true
    }

    mutating func endSlideshow(_ effects: inout Effects) {
        guard var screen = topDetail, let slideshow = screen.slideshow else { return }
        screen.slideshow = nil
        guard !screen.isFromList || slideshow.wasFullScreen else { return screen.close(in: &self, &effects) }
        screen.isFullScreen = slideshow.wasFullScreen
        topDetail = screen
    }

    /// Shows the next photo, after the last one the first; waits for photos that are not loaded yet.
    mutating func advanceSlide(_ effects: inout Effects) {
        slideID = nil
        guard runningSlideID != nil, let list else { return }
        self.list?.destination = nil
        if let next = nextSlide(from: list.selected + 1) {
            self.list?.select(next)
        } else if list.filter != nil || list.isAtEnd || list.nextProblem != nil {
            go(to: 1, &effects)
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
    private var runningSlideID: PhotoID? {
        guard let slideshow = topDetail?.slideshow, !slideshow.isPaused, let list,
            !list.isSingle, let photo = list.selectedPhoto
        else { return nil }
        guard let key = detailKey(of: photo), let picture = images.pictures[key] else { return photo.key }
        return picture.isFinal || picture.hasFailed ? photo.key : nil
    }

    private func nextSlide(from start: Int) -> Int? {
        guard let list else { return nil }
        let positions = list.positions
        return (min(max(start, positions.lowerBound), positions.upperBound)..<positions.upperBound).first { position in
            list.photo(at: position).map { $0.preview != nil && $0.mediaType != .folder } ?? false
        }
    }
}

extension Action {
    static let slideshow = Action(
        "slideshow", "slideshow", "Diaschau", "diaporama", "presentación", "スライドショー", "عرض الشرائح", needsImages: true)
    static let pauseSlideshow = Action(
        "pauseSlideshow", "pause", "anhalten", "pause", "pausa", "一時停止", "إيقاف مؤقت", needsImages: true)
}

extension KeyTable {
    static let slideshow =
        bind(in: photos.union([.detail]), ([.plain("d")], .slideshow))
        + bind(in: [.slideshow], ([.plain(" ")], .pauseSlideshow))
}

extension Setting {
    static let slideshow = Setting(
        "slideshow", \.slideSeconds, of: { _ in [2, 3, 5, 10, 15, 30, 60] }, needsImages: true,
        label: Text("Slideshow", "Diaschau", "Diaporama", "Presentación", "スライドショー", "عرض الشرائح"),
        explanation: Text(
            "How long each photo is shown (d starts a slideshow)",
            "Wie lange ein Foto zu sehen ist (d beginnt die Diaschau)",
            "Durée de chaque photo (d lance le diaporama)", "Cuánto se muestra cada foto (d inicia la presentación)",
            "写真 1 枚の表示時間（d で開始）", "مدة عرض كل صورة (يبدأ العرض بـ d)")
    ) { seconds, context in context.strings.slideshow.seconds(context.number(seconds)) }
}

final class SlideshowTexts: Sendable {
    static let all = SlideshowTexts()
    let seconds = Template({ "\($0) s" }, { "\($0) s" }, { "\($0) s" }, { "\($0) s" }, { "\($0) 秒" }, { "\($0) ث" })
    /// The names of Space while it waits, and of Escape.
    let resume = Text("resume", "fortsetzen", "reprendre", "continuar", "再開", "استئناف")
    let end = Text("end", "beenden", "arrêter", "terminar", "終了", "إنهاء")
    let paused = Text("paused", "angehalten", "en pause", "en pausa", "一時停止中", "متوقف مؤقتًا")
}

extension UIStrings { var slideshow: Localized<SlideshowTexts> { Localized(.all, language) } }

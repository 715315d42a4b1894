internal import SpyglassTerminalUI

extension AppState {
    private static let noticeTime = Duration.seconds(8)
    private static let spinnerInterval = Duration.milliseconds(100)

    /// Handles an event; returns the work that follows from it.
    ///
    /// Handlers change the state. Whatever follows from the state alone (scrolling, pages, images, timers) is reconciled
    /// afterwards.
    mutating func update(_ event: BrowserEvent) -> Effects {
        guard !isOver else { return [] }
        var effects: Effects = []
        let before = (geometry: geometry, traits: traits, preferences: preferences)
        let noticeBefore = notice
        handle(event, &effects)
        if event.isFromUser || notice != noticeBefore && notice != nil { showLine(&effects) }
        if notice != noticeBefore, notice?.isWarning == true { effects.append(.timer(.notice, Self.noticeTime)) }
        if !event.isPassing { reconcile(since: before, &effects) }
        return effects
    }

    private mutating func handle(_ event: BrowserEvent, _ effects: inout Effects) {
        switch event {
        case .started(let search, let start): if let search { submit(search, at: start, &effects) }
        case .startedWithFiles(let query, let start):
            show(query, at: start, &effects)
            folders.opensSingleFile = true
        case .folderChanged(let inner):
            folders.isChanged = true
            images.renewSheets(of: inner)
        case .archive(let searches): options.archiveHolds = searches
        case .home(let photos): home.offers = photos
        case .cached(let generation, let searches): offer(searches, generation: generation)
        case .input(.key(let key)):
            notice = nil
            press(key, &effects)
        case .input(.mouse(let event)): handle(event, &effects)
        case .input(.paste(let text)):
            notice = nil
            edit { $0.insert(text) }
        case .input(.reply(let reply)): learn(reply, &effects)
        case .click(let target):
            notice = nil
            if !endsSlideshow(target, &effects), let target { click(target, &effects) }
        case .resized(let size, let cellPixels):
            traits.size = size
            learn(cellPixels: cellPixels)
        case .continued:
            effects.append(.terminal(.repaint))
            // A change while the program was stopped is not reported.
            if traits.background != nil { askBackground(&effects) }
        case .page(let generation, let direction, let result):
            receive(result, direction, generation: generation, &effects)
        case .picture(let key, let picture): receive(picture, for: key, &effects)
        case .frame(let key, let image): images.show(frame: image, of: key)
        case .progress(let key, let progress): images.receive(progress, of: key)
        case .details(let generation, let id, let result): receive(result, of: id, generation: generation, &effects)
        case .facts(let id, let facts): receive(facts, of: id)
        case .transfers(let count): activity.transfers = max(count, 0)
        case .stale(let isStale): activity.isStale = isStale
        case .timedOut(let timer): handle(timer, &effects)
        case .save(let event): handle(event)
        case .opened(.success(let address)): notice = .opened(address)
        case .opened(.failure(let problem)): notice = .cannotOpen(problem.reason)
        case .notice(let notice): self.notice = notice
        case .ended:
            endRange()
            savePlace(&effects)
            isOver = true
        }
    }

    private mutating func handle(_ timer: TimerKind, _ effects: inout Effects) {
        switch timer {
        case .spinner where activity.isSpinning:
            activity.phase &+= 1
            effects.append(.timer(.spinner, Self.spinnerInterval))
        case .line: hideLine()
        case .slide: advanceSlide(&effects)
        case .notice where notice?.isWarning == true: notice = nil
        // The loop's own.
        case .spinner, .notice, .replyTimeout, .folder: break
        }
    }

    private mutating func reconcile(
        since before: (geometry: ListGeometry, traits: TerminalTraits, preferences: Preferences),
        _ effects: inout Effects
    ) {
        let geometry = geometry
        if geometry != before.geometry { list?.reflow(from: before.geometry, to: geometry) }
        list?.keepSelectionVisible(in: geometry)
        reconcileScreens(&effects)
        reconcilePreferences(since: before.preferences, &effects)
        reconcileMarks(&effects)
        reconcileTraits(since: before.traits, &effects)
        reconcileFolder(&effects)
        reconcilePages(in: geometry, &effects)
        reconcileFiles(&effects)
        reconcileImages(&effects)
        reconcileAnimations(&effects)
        reconcileSlideshow(&effects)
        reconcileSpinner(&effects)
    }

    private mutating func reconcilePreferences(since before: Preferences, _ effects: inout Effects) {
        guard preferences != before else { return }
        effects.append(.store(.preferences(preferences)))
        if preferences.usesMouse != before.usesMouse {
            effects.append(.terminal(.mouse(isOn: preferences.usesMouse)))
        }
        if preferences.color != before.color, !options.fixesColor {
            traits.depth = preferences.color ?? terminal.depth
        }
        if preferences.pixels != before.pixels || preferences.color != before.color { choosePixels() }
    }

    /// Requests all images again after a change of how they are drawn.
    private mutating func reconcileTraits(since before: TerminalTraits, _ effects: inout Effects) {
        var resized = before
        resized.size = traits.size
        guard traits != resized else { return }
        effects.append(.setTraits(traits))
        images.forgetAll()
    }

    private mutating func reconcileSpinner(_ effects: inout Effects) {
        let isBusy =
            activity.transfers > 0 || list?.isLoadingNext == true || list?.isLoadingPrevious == true
            || screens.contains { if case .save(let screen) = $0 { screen.isBusy } else { false } }
        guard isBusy != activity.isSpinning else { return }
        activity.isSpinning = isBusy
        effects.append(.timer(.spinner, isBusy ? Self.spinnerInterval : nil))
    }
}

extension BrowserEvent {
    fileprivate var isFromUser: Bool {
        switch self {
        case .input(.reply): false
        case .input, .click: true
        default: false
        }
    }

    /// Whether the event only needs another frame: checking the images of a dense grid is slow.
    fileprivate var isPassing: Bool {
        switch self {
        case .input(.mouse(let event)): !event.isWheel
        case .timedOut(let timer): timer != .slide
        case .stale, .opened, .notice, .picture, .frame, .progress, .archive, .cached: true
        default: false
        }
    }
}

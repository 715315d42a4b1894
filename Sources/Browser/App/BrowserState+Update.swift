internal import SpyglassPixels
internal import SpyglassTerminalUI

extension BrowserState {
    /// Handlers change the state; what follows from it alone (scrolling, pages, images, spinner) is reconciled afterwards.
    mutating func update(_ event: BrowserEvent) -> [BrowserEffect] {
        guard !isOver else { return [] }
        let before = (geometry: geometry, traits: traits, preferences: preferences)
        let noticeBefore = notice
        handle(event)
        if event.isFromUser || notice != noticeBefore && notice != nil { showLine() }
        if notice != noticeBefore, notice?.isWarning == true { emit(.startNoticeTimer) }
        if !event.isPassing { reconcile(since: before) }
        defer { effects = [] }
        return effects
    }

    mutating func emit(_ effect: BrowserEffect) { effects.append(effect) }

    private mutating func handle(_ event: BrowserEvent) {
        switch event {
        case .started(let search, let start): if let search { submit(search, at: start) }
        case .startedWithFiles(let query, let start):
            show(query, at: start)
            opensSingleFile = true
        case .folderChanged(let inner):
            isFolderChanged = true
            renewSheets(of: inner)
        case .archive(let searches): options.archiveHolds = searches
        case .home(let photos): homeOffers = photos
        case .cached(let generation, let searches): offer(searches, generation: generation)
        case .input(let input): handle(input)
        case .click(let target):
            notice = nil
            let stays: [ClickTarget?] = [.action(.pauseSlideshow), .action(.previousPhoto), .action(.nextPhoto)]
            if scope == .slideshow, !stays.contains(target) { back() } else if let target { click(target) }
        case .resized(let size, let cellPixels):
            traits.size = size
            learn(cellPixels: cellPixels)
        case .continued:
            emit(.repaint)
            // A change while the program was stopped is not reported.
            if traits.background != nil { askBackground() }
        case .page(let generation, let direction, let result): receive(result, direction, generation: generation)
        case .picture(let key, let picture): receive(picture, for: key)
        case .frame(let key, let image): if playing.contains(key) { frames[key] = image }
        case .progress(let key, let progress): if pictures[key] != nil { transferProgress[key] = progress }
        case .details(let generation, let id, let result): receive(result, of: id, generation: generation)
        case .facts(let id, let facts): receive(facts, of: id)
        case .transfers(let count): activity.transfers = max(count, 0)
        case .stale(let isStale): activity.isStale = isStale
        case .tick: activity.phase &+= isAnimated ? 1 : 0
        case .lineTimedOut: hideLine()
        case .slideTimedOut: turnSlide()
        case .noticeTimedOut: if notice?.isWarning == true { notice = nil }
        case .save(let event): handle(event)
        case .opened(.success(let address)): notice = .opened(address)
        case .opened(.failure(let problem)): notice = .cannotOpen(problem.reason)
        case .notice(let notice): self.notice = notice
        case .ended:
            endRange()
            savePlace()
            isOver = true
        }
    }

    private mutating func handle(_ input: InputEvent) {
        switch input {
        case .key(let key):
            notice = nil
            press(key)
        case .mouse(let event): handle(event)
        case .paste(let text): paste(text)
        case .reply(let reply): learn(reply)
        }
    }

    private mutating func reconcile(
        since before: (geometry: ListGeometry, traits: TerminalTraits, preferences: Preferences)
    ) {
        let geometry = geometry
        if geometry != before.geometry { list?.reflow(from: before.geometry, to: geometry) }
        list?.keepSelectionVisible(in: geometry)
        reconcileScreens()
        reconcileSettings(since: before.preferences)
        reconcileMarks()
        reconcileTraits(since: before.traits)
        reconcileFolder()
        reconcilePages(in: geometry)
        reconcileFiles()
        reconcilePictures()
        reconcilePlaying()
        reconcileSlideshow()
        reconcileAnimation()
    }

    private mutating func reconcileAnimation() {
        let isBusy =
            activity.transfers > 0 || list?.isLoadingNext == true || list?.isLoadingPrevious == true
            || screens.contains { if case .save(let screen) = $0 { screen.isBusy } else { false } }
        guard isBusy != isAnimated else { return }
        isAnimated = isBusy
        emit(.animate(isBusy))
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
        case .input(.mouse(let event)):
            switch event.kind {
            case .press, .release, .drag: true
            case .wheelUp, .wheelDown, .wheelLeft, .wheelRight: false
            }
        case .tick, .lineTimedOut, .noticeTimedOut, .stale, .opened, .notice, .picture, .frame, .progress, .archive,
            .cached:
            true
        case .started, .startedWithFiles, .home, .folderChanged, .input, .click, .resized, .continued, .page, .details,
            .facts, .transfers, .save, .slideTimedOut, .ended:
            false
        }
    }
}

extension BrowserState {
    mutating func learn(_ reply: TerminalReply) {
        learnPixels(reply)
        switch reply {
        case .background(let color): if !options.fixesBackground { traits.background = color }
        case .darkMode: askBackground()
        case .truecolor(true):
            // Other depths are certain: no colour, or a console's sixteen.
            guard terminalDepth == .palette256 else { return }
            terminalDepth = .truecolor
            if !options.fixesColor, preferences.color == nil { traits.depth = .truecolor }
        default: break
        }
    }

    private mutating func askBackground() {
        if !options.fixesBackground { emit(.askBackground) }
    }

    private mutating func learnPixels(_ reply: TerminalReply) {
        let before = replies
        // The window's pixels are for terminals that tell nothing else.
        replies.add(reply, window: traits.cellPixels == nil ? traits.size : nil)
        guard replies != before else { return }
        if replies.cellPixels != before.cellPixels { learn(cellPixels: replies.cellPixels) }
        traits.palette = replies.palette ?? traits.palette
        guard replies.isComplete, pixelSupport != nil else { return }
        pixelSupport?.answers = replies
        choosePixels()
        emit(.keepAnswers(replies))
    }

    /// Draws as the user chose, else one photo as well as the terminal can, and many by half-blocks.
    private mutating func choosePixels() {
        let best = traits.depth == .monochrome ? nil : pixelSupport?.best.value
        traits.pixels = preferences.pixels ?? best ?? .half
        traits.listPixels = preferences.pixels ?? .half
        traits.usesPlaceholders = pixelSupport?.usesPlaceholders ?? false
        if let pixelSupport { traits.maxSixelSide = pixelSupport.maxSixelSide }
    }

    private mutating func learn(cellPixels: PixelSize?) {
        guard let cellPixels, !options.fixesCellPixels else { return }
        traits.cellPixels = cellPixels
    }

    mutating func reconcileSettings(since before: Preferences) {
        guard preferences != before else { return }
        emit(.keepPreferences(preferences))
        if preferences.usesMouse != before.usesMouse { emit(.setMouse(preferences.usesMouse)) }
        if preferences.color != before.color, !options.fixesColor {
            traits.depth = preferences.color ?? terminalDepth
        }
        if preferences.pixels != before.pixels || preferences.color != before.color { choosePixels() }
    }

    mutating func reconcileTraits(since before: TerminalTraits) {
        var resized = before
        resized.size = traits.size
        guard traits != resized else { return }
        emit(.setTraits(traits))
        pictures = [:]
        requests = PictureRequests()
        seen = []
    }
}

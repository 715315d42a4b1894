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
            (folders.isStart, folders.opensSingleFile) = (true, true)
        case .folderChanged(let inner):
            folders.isChanged = true
            images.renewSheets(of: inner)
        case .archive(let searches): options.archiveHolds = searches
        case .home(let photos): home.offers = photos
        case .cached(let generation, let searches): offer(searches, generation: generation)
        case .input(.key(let key)):
            let number = typedNumber
            notice = nil
            press(key, after: number, &effects)
        case .input(.mouse(let event)): handle(event, &effects)
        case .input(.paste(let text)):
            notice = nil
            field?.insert(text)
        case .input(.reply(let reply)): learn(reply, &effects)
        case .click(let target):
            notice = nil
            if !endsSlideshow(target, &effects), let target { click(target, &effects) }
        case .resized(let size, let cellPixels):
            traits.size = size
            // Asks for the exact size of another font: pixels of a window that ends within a cell are inexact.
            if let cellPixels, let known = traits.cellPixels, known != cellPixels, !options.fixesCellPixels {
                effects.append(.terminal(.appearance))
            }
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
        case .trashed(let photos, let problem): receive(trashed: photos, problem)
        case .restored(let photos, let left, let problem): receive(restored: photos, left: left, problem)
        case .commandEnded(let lost):
            if notice == .hint(CommandTexts.all.fetching) { notice = nil }
            forget(lost)
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
        case .hold: images.endHold()
        case .notice where notice?.isWarning == true: notice = nil
        default: break
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
        if preferences.animates != before.animates { images.animates = preferences.animates }
        if preferences.usesMouse != before.usesMouse { effects.append(.terminal(.mouse(isOn: preferences.usesMouse))) }
        if preferences.color != before.color, !options.fixesColor { traits.depth = preferences.color ?? terminal.depth }
        if preferences.prefersSymbols != before.prefersSymbols || preferences.color != before.color { choosePixels() }
    }

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
        case .stale, .notice, .picture, .frame, .progress, .archive, .cached: true
        default: false
        }
    }
}

extension AppState {
    /// Handles a key; `number` is what was typed before it in a list.
    private mutating func press(_ key: Key, after number: Int? = nil, _ effects: inout Effects) {
        if let character = typedCharacter(of: key) {
            field?.insert(String(character))
        } else if let action = keys.action(for: key, in: scope) {
            if action == .last, let number { go(to: number, &effects) } else { perform(action, &effects) }
        } else if key.modifiers.contains(.alt) {
            // Terminals, and tmux above all, send Escape and a key typed soon after as the key with Alt. A chord must neither
            // end the program nor move a file to the trash.
            guard pressUnlessLast(Key(.escape), &effects) else { return }
            let second = Key(key.code, key.modifiers.subtracting(.alt))
            if keys.action(for: second, in: scope) != .trash { pressUnlessLast(second, &effects) }
        } else if !typeDigit(of: key, after: number), endsSlideshow(key, &effects) {
            // The key acts as without a slideshow, but not on a file: the photo may just have changed.
            let action = keys.action(for: key, in: scope)
            let isRisky = action == .trash || options.picks && action == .open
            if action != .slideshow, !isRisky { press(key, &effects) }
        }
    }

    /// Handles a key, unless it would end the program; returns whether it did.
    @discardableResult
    private mutating func pressUnlessLast(_ key: Key, _ effects: inout Effects) -> Bool {
        var (state, new) = (self, effects)
        state.press(key, &new)
        guard !state.isOver else { return false }
        (self, effects) = (state, new)
        return true
    }

    /// In an empty field `?`, `,` and `/` are commands; a search can begin with `q`, so it is one only outside the field.
    private func typedCharacter(of key: Key) -> Character? {
        guard let character = key.typed, let field else { return nil }
        guard let screen = searchField else { return character }
        if field.text.isEmpty, character == "?" || character == "," || character == "/" { return nil }
        return character == "q" && screen.choice != nil ? nil : character
    }

    /// The text that keys change: of the filter, of the command, of the panel that saves, or of the search field.
    private var field: TextField? {
        get {
            if isFiltering { return list?.filter?.field }
            if case .command(let screen) = top { return screen.field }
            if case .save(let screen) = top { return screen.field }
            return searchField?.field
        }
        set {
            guard let newValue else { return }
            if isFiltering {
                list?.setFilter(newValue)
            } else if case .command(var screen) = top {
                screen.field = newValue
                replaceTop(.command(screen))
            } else if case .save(var screen) = top {
                screen.field = newValue
                replaceTop(.save(screen))
            } else {
                searchField?.field = newValue
            }
        }
    }

    mutating func perform(_ action: Action, _ effects: inout Effects) {
        guard options.showsImages || !action.needsImages else { return }
        switch action {
        // The key that opened a screen closes it.
        case .help where scope == .help, .settings where scope == .settings, .info where scope == .info:
            back(&effects)
        case .interrupt: quit(&effects)
        case .quit:
            // After a failed save, `q` closes the question only.
            if case .alert(let alert) = top, alert.isOfSaving { back(&effects) } else { leave(&effects) }
        case .suspend:
            savePlace(&effects)
            effects.append(.terminal(.suspend))
        case .repaint: effects.append(.terminal(.repaint))
        case .toggleMouse:
            preferences.usesMouse.toggle()
            notice = .mouse(isOn: preferences.usesMouse)
        case .toggleAnimation: toggleAnimation()
        case .search:
            let words = list?.isLocal == false ? list?.search ?? "" : ""
            push(.search(SearchScreen(field: TextField(words, isSelected: true))))
        case .help: push(.help(HelpScreen()))
        case .settings: openSettings()
        case .info: openInfo(&effects)
        case .back: back(&effects)
        default: top.feature.perform(action, in: &self, &effects)
        }
    }

    mutating func performOnPhoto(_ action: Action, _ effects: inout Effects) {
        // Also in a folder whose last photo is in the trash.
        if action == .restore { return restoreFromTrash(&effects) }
        guard let photo = list?.selectedPhoto else { return }
        switch action {
        case .openPage: openPage(of: photo, &effects)
        case .openPicture: openPicture(&effects)
        case .copyAddress: copyAddresses(&effects)
        case .save: beginSaving(.originals, &effects)
        case .export: beginSaving(.copies, &effects)
        case .trash: moveToTrash(&effects)
        case .slideshow: startSlideshow()
        case .command: push(.command(CommandScreen()))
        default: break
        }
    }

    // MARK: The mouse

    mutating func handle(_ event: MouseEvent, _ effects: inout Effects) {
        if event.isWheel { notice = nil }
        if scope == .slideshow {
            if event.isWheel { back(&effects) }
            return
        }
        if case .detail(let screen) = top, zoom(event, in: screen, &effects) { return }
        switch event.kind {
        case .wheelUp: top.feature.turnWheel(-1, in: &self, &effects)
        case .wheelDown: top.feature.turnWheel(1, in: &self, &effects)
        default: break
        }
    }

    /// Performs a click; its target belongs to the last frame, and the screen may have changed since.
    mutating func click(_ target: ClickTarget, _ effects: inout Effects) {
        switch (target, top) {
        case (.photo(let position), .list):
            list?.destination = nil
            if position == list?.selected { return openDetail(&effects) }
            list?.select(position)
            list?.isClicked = true
        case (.field, _): searchField?.choice = nil
        case (.homePhoto(let index), .home):
            if homePhotos.indices.contains(index) { show(homePhotos[index], &effects) }
        case (.choice(let choice), .home), (.choice(let choice), .search):
            searchField?.choice = choice
            perform(.submit, &effects)
        case (.choice(let choice), .alert(let alert)): search(offer: choice, of: alert, &effects)
        case (.setting(let setting), .settings(var screen)):
            guard screen.chosen != setting else { return perform(.right, &effects) }
            screen.chosen = setting
            replaceTop(.settings(screen))
        case (.step(let step), .settings): perform(step < 0 ? .left : .right, &effects)
        case (.saveRow(let row), .save(var screen)) where screen.isEditing:
            if row == .format, screen.row == row { screen.stepFormat(1) }
            screen.row = row
            replaceTop(.save(screen))
        case (.action(let action), _): perform(action, &effects)
        default: break
        }
    }
}

extension MouseEvent {
    var isWheel: Bool { [.wheelUp, .wheelDown, .wheelLeft, .wheelRight].contains(kind) }
}

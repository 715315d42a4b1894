internal import SpyglassCatalog
internal import SpyglassFetching

extension BrowserState {
    /// What can be done with the selected photo, in the list and in full.
    mutating func performOnPhoto(_ action: Action) {
        guard let list, let photo = list.photo(at: list.selected) else { return }
        switch action {
        case .openPage:
            guard let page = photo.shareable else {
                notice = .noPage
                return
            }
            // Nothing that is opened here would be seen by somebody who is elsewhere.
            if look.isRemote { notice = .link(page.text) } else { want(.open(page)) }
        case .copyAddress:
            guard let address = photo.shareable else {
                notice = .nothingToCopy
                return
            }
            want(.copy(address.text))
            notice = .copied(address.text)
        case .save: beginSaving(photo)
        default: break
        }
    }

    private mutating func beginSaving(_ photo: Photo) {
        guard let address = photo.original else {
            notice = .nothingToSave
            return
        }
        let folder = options.downloadFolder
        let name = SafeFileName.of(photo, at: address)
        let path = folder.isEmpty ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        ask(SaveScreen(path: path, address: address, trust: photo.trust))
    }

    /// Shows what would be saved, and asks how large it is.
    mutating func ask(_ screen: SaveScreen) {
        guard let address = screen.address else { return }
        var screen = screen
        screen.stage = .asking
        push(.save(screen))
        want(.askSize(address, screen.trust))
    }

    mutating func submit(_ screen: SaveScreen) {
        guard case .ready(let bytes) = screen.stage, let address = screen.address else { return }
        var screen = screen
        screen.stage = .saving(received: 0, bytes: bytes)
        replaceTop(.save(screen))
        want(.save(address, screen.trust, path: screen.path))
    }

    mutating func leave(_ screen: SaveScreen) {
        screens.removeLast()
        if case .ready = screen.stage { return }
        want(.cancelSave)
    }

    /// Takes in how saving goes on.
    ///
    /// What was cancelled may have ended all the same, with another photo asked about since: only a screen that waits for it changes.
    mutating func handle(_ event: SaveEvent) {
        let index = screens.firstIndex { if case .save = $0 { true } else { false } }
        let saving = index.flatMap { if case .save(let screen) = screens[$0], screen.isSaving { $0 } else { nil } }
        switch event {
        case .done(let path):
            // It is there, and the user should know.
            if let saving { screens.remove(at: saving) }
            notice = .saved(path: path)
        case .cancelled:
            if let saving { screens.remove(at: saving) }
            notice = .saveCancelled
        case .failed(let problem):
            guard let saving, case .save(let screen) = screens[saving] else { return }
            screens[saving] = .alert(
                Alert(subject: .save, reason: problem.reason, canRetry: problem.canRetry, saving: screen))
        case .size(let bytes):
            // One that was on its way for the photo before is corrected by the next.
            guard let index, case .save(var screen) = screens[index], !screen.isSaving else { return }
            screen.stage = .ready(bytes: bytes.map { max($0, 0) })
            screens[index] = .save(screen)
        case .progress(let received, let bytes):
            guard let saving, case .save(var screen) = screens[saving], case .saving(_, let known) = screen.stage
            else { return }
            screen.stage = .saving(received: max(received, 0), bytes: bytes ?? known)
            screens[saving] = .save(screen)
        }
    }
}

extension SaveScreen {
    /// Whether something is on its way.
    var isBusy: Bool { if case .ready = stage { false } else { true } }

    fileprivate var isSaving: Bool { if case .saving = stage { true } else { false } }
}

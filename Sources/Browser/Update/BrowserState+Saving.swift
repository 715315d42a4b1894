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
        case .save: beginSaving(photo, at: list.selected)
        default: break
        }
    }

    mutating func beginSaving(_ photo: Photo, at position: Int) {
        guard let address = photo.original else {
            notice = .nothingToSave
            return
        }
        let folder = options.downloadFolder
        let name = SafeFileName.of(photo, at: address)
        let path = folder.isEmpty ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        push(.save(SaveScreen(position: position, path: path, address: address, trust: photo.trust)))
        want(.askSize(address, photo.trust))
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

    mutating func handle(_ event: SaveEvent) {
        let index = screens.firstIndex { if case .save = $0 { true } else { false } }
        switch event {
        case .done(let path):
            // It may have been finished while it was being cancelled: then it is there, and the user should know.
            if let index { screens.remove(at: index) }
            notice = .saved(path: path)
        case .cancelled:
            if let index, case .save(let screen) = screens[index], case .saving = screen.stage {
                screens.remove(at: index)
            }
            notice = .saveCancelled
        case .failed(let problem):
            guard let index else { return }
            screens[index] = .alert(Alert(subject: .save, reason: problem.reason, canRetry: problem.canRetry))
        case .size(let bytes):
            guard let index, case .save(var screen) = screens[index], screen.stage == .asking else { return }
            screen.stage = .ready(bytes: bytes.map { max($0, 0) })
            screens[index] = .save(screen)
        case .progress(let received, let bytes):
            guard let index, case .save(var screen) = screens[index], case .saving(_, let known) = screen.stage
            else { return }
            screen.stage = .saving(received: max(received, 0), bytes: bytes ?? known)
            screens[index] = .save(screen)
        }
    }
}

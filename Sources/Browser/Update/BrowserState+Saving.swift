internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassFiles

extension BrowserState {
    mutating func performOnPhoto(_ action: Action) {
        guard let list, let photo = list.photo(at: list.selected) else { return }
        if action == .copyAddress, let bytes = photo.file?.path {
            // Text cannot hold other bytes.
            guard let path = String(validating: bytes, as: UTF8.self) else {
                notice = .nothingToCopy
                return
            }
            emit(.copy(path))
            notice = .copied(path)
            return
        }
        switch (action, photo.shareable) {
        case (.openPage, nil): notice = .noPage
        // Over ssh, the user would not see a browser here.
        case (.openPage, let page?): if traits.isRemote { notice = .link(page.text) } else { emit(.open(page)) }
        case (.copyAddress, nil): notice = .nothingToCopy
        case (.copyAddress, let address?):
            emit(.copy(address.text))
            notice = .copied("\(address)")
        case (.save, _): beginSaving(photo)
        default: break
        }
    }

    /// Requests the photo's files first: a search seldom names the original.
    private mutating func beginSaving(_ photo: Photo) {
        guard let list, !list.completed.contains(photo.id) else { return propose(photo) }
        push(.save(SaveScreen(path: path(of: ""), awaited: .init(generation: list.generation, photoID: photo.id))))
        emit(.loadDetails(generation: list.generation, list.wholePhoto(at: list.selected) ?? photo))
    }

    /// Continues with the awaited photo; without its files, with the largest known one and a notice.
    mutating func proposeAwaited(_ result: Result<Photo, BrowserError>, of id: String, generation: Int) {
        let awaited = SaveScreen.Awaited(generation: generation, photoID: id)
        let index = screens.firstIndex { if case .save(let screen) = $0 { screen.awaited == awaited } else { false } }
        guard let index else { return }
        screens.remove(at: index)
        switch result {
        case .success(let photo):
            let selected = list.flatMap { $0.photo(at: $0.selected) }
            propose(selected?.id == id ? selected ?? photo : photo)
        case .failure(let problem):
            if let photo = list?.photos.first(where: { $0.id == id }) { propose(photo) }
            notice = .problem(problem.reason)
        }
    }

    private mutating func propose(_ photo: Photo) {
        guard let address = photo.original else {
            notice = .nothingToSave
            return
        }
        var named = photo
        if let list, list.picture > 1 { named.id += "-\(list.picture)" }
        ask(SaveScreen(path: path(of: SafeFileName.of(named, at: address)), address: address, trust: photo.trust))
    }

    private func path(of name: String) -> String {
        let folder = options.downloadFolder
        return folder.isEmpty ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    mutating func ask(_ screen: SaveScreen) {
        guard let address = screen.address else { return }
        var screen = screen
        screen.stage = .asking
        push(.save(screen))
        emit(.askSize(address, screen.trust))
    }

    mutating func submit(_ screen: SaveScreen) {
        guard case .ready(let bytes) = screen.stage, let address = screen.address else { return }
        var screen = screen
        screen.stage = .saving(received: 0, bytes: bytes)
        replaceTop(.save(screen))
        emit(.save(address, screen.trust, path: screen.path))
    }

    mutating func leave(_ screen: SaveScreen) {
        screens.removeLast()
        if case .ready = screen.stage { return }
        emit(.cancelSave)
    }

    /// A cancelled save may end after another has begun: only the screen that waits for it changes.
    mutating func handle(_ event: SaveEvent) {
        let index = screens.firstIndex { if case .save = $0 { true } else { false } }
        let saving = index.flatMap { if case .save(let screen) = screens[$0], screen.isSaving { $0 } else { nil } }
        switch event {
        case .done(let path):
            if let saving { screens.remove(at: saving) }
            notice = .saved(path: path)
        case .cancelled:
            if let saving { screens.remove(at: saving) }
            notice = .saveCancelled
        case .failed(let problem):
            guard let saving, case .save(let screen) = screens[saving] else { return }
            let error = BrowserError(problem.reason, canRetry: problem.canRetry)
            screens[saving] = .alert(Alert(subject: .save(screen), error: error))
        case .size(let bytes):
            // A late size of an earlier photo is followed by the right one.
            guard let index, case .save(var screen) = screens[index], !screen.isSaving, screen.awaited == nil
            else { return }
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
    var isBusy: Bool { if case .ready = stage { false } else { true } }

    fileprivate var isSaving: Bool { if case .saving = stage { true } else { false } }
}

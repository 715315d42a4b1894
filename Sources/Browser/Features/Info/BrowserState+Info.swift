internal import SpyglassCatalog
internal import SpyglassFiles

extension BrowserState {
    mutating func openInfo() {
        guard let list, let photo = list.photo(at: list.selected) else { return }
        push(.info(InfoScreen(photoID: photo.id)))
        if photo.file?.isFolder == false { emit(.loadFacts(photo)) }
        guard photo.file == nil, !list.completed.contains(photo.id), list.awaited == nil else { return }
        emit(.loadDetails(generation: list.generation, photo))
    }

    mutating func receive(_ facts: PhotoFacts, of id: String) {
        for case (let index, .info(var screen)) in zip(screens.indices, screens) where screen.photoID == id {
            screen.facts = facts
            screens[index] = .info(screen)
        }
    }

    mutating func perform(_ action: Action, in screen: InfoScreen) {
        let (last, page) = InfoPanel.scrollRange(of: self)
        guard let line = action.scrolled(from: screen.scroll, page: page, last: last) else { return }
        var screen = screen
        screen.scroll = line
        replaceTop(.info(screen))
    }
}

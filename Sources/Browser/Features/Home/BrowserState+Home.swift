internal import SpyglassCatalog
internal import SpyglassTerminalUI

extension BrowserState {
    var homeGeometry: HomeGeometry { HomeGeometry(content: RenderContext.content(of: self)) }

    /// The day's picture, then those seen last, or else those that came with the program.
    ///
    /// Pictures that have left the cache are left out.
    var homePhotos: [HomePhoto] {
        guard options.showsImages else { return [] }
        func shown(_ photos: [HomePhoto]) -> [HomePhoto] {
            photos.filter { home in
                options.canSearch(home.place.source) && home.photo.preview.map(lostPreviews.contains) == false
            }
        }
        let today = shown(homeOffers.filter(\.isToday))
        let seen = shown(seenPhotos)
        let rest = seen.isEmpty ? shown(homeOffers.filter { !$0.isToday }) : seen
        let others = rest.filter { home in !today.contains { $0.photo.thumbnail == home.photo.thumbnail } }
        return Array((today + others).prefix(homeGeometry.count))
    }

    func homeRequests() -> PictureRequests {
        guard let box = homeGeometry.thumbnail else { return PictureRequests() }
        let sources = homePhotos.compactMap(\.photo.preview)
        return PictureRequests(visible: sources.map { PictureRequest(key: PictureKey(source: $0, box: box)) })
    }

    mutating func show(_ home: HomePhoto) {
        submit(home.place.search, source: home.place.source, at: .position(home.place.position))
    }

    /// Keeps the photos of a list that were on the screen, the selected one first.
    mutating func keepSeen(of list: PhotoList) {
        let geometry = geometry
        let positions = [list.selected] + geometry.positions(from: list.topRow).filter { $0 != list.selected }
        let new = positions.compactMap { position -> HomePhoto? in
            guard let photo = list.wholePhoto(at: position), let index = list.index(at: position),
                let key = thumbnailKey(of: photo, in: geometry),
                case .shown? = pictures[key]
            else { return nil }
            let source = options.placeSource(list.source)
            // A filter counts only the photos that it leaves.
            let result = list.firstPosition + index
            return HomePhoto(photo, at: SavedPlace(search: list.search, position: result, source: source))
        }
        // The file may hold those of another run, too.
        let shown = Array(new.prefix(HomePhoto.maxSeen))
        var kept = shown
        kept += seenPhotos.filter { home in !kept.contains { $0.photo.thumbnail == home.photo.thumbnail } }
        kept.removeLast(max(kept.count - HomePhoto.maxSeen, 0))
        guard kept != seenPhotos else { return }
        seenPhotos = kept
        emit(.keepSeen(shown))
    }
}

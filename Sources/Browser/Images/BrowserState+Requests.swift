internal import SpyglassCatalog
internal import SpyglassPipeline
internal import SpyglassTerminalUI

extension BrowserState {
    /// From the selection downwards, then upwards; near is a screen on each side, ahead one more in the direction of travel.
    func pictureRequests() -> PictureRequests {
        guard options.showsImages else { return PictureRequests() }
        if case .home = content { return homeRequests() }
        guard let list, !list.positions.isEmpty else { return PictureRequests() }
        switch content {
        case .list: return listRequests(list)
        case .detail(let detail): return detailRequests(detail, list)
        default: return PictureRequests()
        }
    }

    var content: Screen {
        screens.last { screen in
            switch screen {
            case .home, .list, .detail: true
            default: false
            }
        } ?? screens[0]
    }

    func detailKey(of photo: Photo) -> PictureKey? {
        guard let box = fitGeometry(of: photo).box, let source = rendition(of: photo, for: box) else { return nil }
        let isLost = lostRenditions.contains(source)
        return PictureKey(source: isLost ? photo.preview ?? source : source, box: box, isFull: true)
    }

    func detailGeometry(of photo: Photo?) -> DetailGeometry {
        guard case .detail(let detail) = content, let photo, zoomedKey(of: photo, in: detail) != nil else {
            return fitGeometry(of: photo)
        }
        return enlargedGeometry(of: photo)
    }

    /// The layout while the whole photo is shown.
    func fitGeometry(of photo: Photo?) -> DetailGeometry { layout(of: photo, .pictureAndText) }

    /// The layout while a part of the photo is shown.
    func enlargedGeometry(of photo: Photo) -> DetailGeometry { layout(of: photo, .enlarged) }

    private func layout(of photo: Photo?, _ usual: DetailGeometry.Content) -> DetailGeometry {
        var content = usual
        if case .detail(let detail) = self.content {
            content = detail.isFullScreen ? .picture : detail.showsText ? .text : usual
        }
        // A photo without an image, such as a sound, is text; over the whole screen a placeholder.
        let hasBox = photo?.preview != nil || photo?.unsupportedFormat != nil
        let showsImages = options.showsImages && (content == .picture || hasBox)
        return DetailGeometry(
            traits, preferences, showsImages: showsImages, ratio: photo.flatMap(ratio), content: content)
    }

    /// The width of a photo's picture by its height: what the layout has, else what is known.
    private func ratio(of photo: Photo) -> Double? {
        if case .detail(let detail) = content, detail.photoID == photo.id, let ratio = detail.ratio { return ratio }
        return knownRatio(of: photo)
    }

    /// The ratio of the largest file, else of the thumbnail.
    func knownRatio(of photo: Photo) -> Double? {
        PictureFacts(size: photo.largestSize).ratio
            ?? thumbnailKey(of: photo, in: geometry).flatMap { pictures[$0]?.facts?.ratio }
    }

    func rendition(of photo: Photo, for box: CellSize) -> ImageSource? {
        photo.rendition(filling: ImageRenderer.Options(traits, isFull: true).pixelBox(for: box))
    }

    func thumbnailKey(of photo: Photo, in geometry: ListGeometry) -> PictureKey? {
        guard options.showsImages, let box = geometry.thumbnail ?? geometry.preview?.picture, let source = photo.preview
        else { return nil }
        let spare = lostPreviews.contains(source) ? photo.sparePreview : nil
        // The sheet of a folder is made for its box.
        return PictureKey(
            source: spare ?? source, box: box, isCropped: geometry.crops && photo.mediaType != .folder)
    }

    private func listRequests(_ list: PhotoList) -> PictureRequests {
        let geometry = geometry
        guard geometry.thumbnail != nil else { return previewRequests(list) }
        let screen = geometry.rowsInPart * geometry.columns
        let shown = geometry.positions(from: list.topRow)
        let below = shown.upperBound..<shown.upperBound + screen
        let above = shown.lowerBound - screen..<shown.lowerBound
        let isDown = list.direction == .down
        let beyond =
            isDown
            ? below.upperBound..<below.upperBound + screen : above.lowerBound - screen..<above.lowerBound
        let start = min(max(list.selected, shown.lowerBound), shown.upperBound)
        var taken: Set<PictureKey> = []
        func requests(_ positions: some Sequence<Int>) -> [PictureRequest] {
            positions.compactMap { position in
                guard let photo = list.photo(at: position), let key = thumbnailKey(of: photo, in: geometry),
                    taken.insert(key).inserted
                else { return nil }
                return PictureRequest(key: key, revalidates: revalidating.contains(key))
            }
        }
        var result = PictureRequests()
        result.visible = requests(start..<shown.upperBound) + requests(shown.lowerBound..<start)
        result.near =
            isDown ? requests(below) + requests(above.reversed()) : requests(above.reversed()) + requests(below)
        result.ahead = isDown ? requests(beyond) : requests(beyond.reversed())
        return result
    }

    /// Of the selected photo, and of some that arrow keys lead to.
    private func previewRequests(_ list: PhotoList) -> PictureRequests {
        guard geometry.preview != nil else { return PictureRequests() }
        let step = list.direction == .down ? 1 : -1
        var taken: Set<PictureKey> = []
        let requests = [0, step, -step, 2 * step, 3 * step].compactMap { distance -> PictureRequest? in
            guard let photo = list.photo(at: list.selected + distance),
                let key = thumbnailKey(of: photo, in: geometry), taken.insert(key).inserted
            else { return nil }
            return PictureRequest(key: key, revalidates: revalidating.contains(key))
        }
        let isVisible = list.photo(at: list.selected).flatMap { thumbnailKey(of: $0, in: geometry) } != nil
        let visible = requests.prefix(isVisible ? 1 : 0)
        return PictureRequests(visible: Array(visible), near: Array(requests.dropFirst(visible.count)))
    }

    /// The large image; near are the list's images, ahead those of the next picture and of the neighbours.
    private func detailRequests(_ detail: DetailScreen, _ list: PhotoList) -> PictureRequests {
        let thumbnails = listRequests(list).visible
        guard let photo = list.photo(at: detail.position) else { return PictureRequests(near: thumbnails) }
        var result = PictureRequests()
        var taken = Set(thumbnails.map(\.key))
        if let key = detailKey(of: photo) {
            let thumbnail = [thumbnailKey(of: photo, in: geometry)].compactMap(\.self)
            let whole = PictureRequest(key: key, coarse: thumbnail, revalidates: revalidating.contains(key))
            if let zoomed = zoomedKey(of: photo, in: detail) {
                result.visible = [
                    PictureRequest(
                        key: zoomed, coarse: [key] + thumbnail, revalidates: revalidating.contains(zoomed))
                ]
                result.near = [whole]
            } else {
                result.visible = [whole]
            }
            taken.insert(key)
        }
        result.near += thumbnails.filter { $0.key != result.visible.first?.key }
        let step = list.direction == .down ? 1 : -1
        let next =
            list.picture < list.pictureCount ? list.wholePhoto(at: detail.position)?.picture(list.picture + 1) : nil
        for photo in [next, list.photo(at: detail.position + step), list.photo(at: detail.position - step)] {
            guard let photo, let key = detailKey(of: photo), taken.insert(key).inserted
            else { continue }
            result.ahead.append(PictureRequest(key: key))
        }
        return result
    }
}

internal import SpyglassCatalog
internal import SpyglassFiles
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

/// The selected photo of the list in full.
struct DetailScreen: Hashable, Sendable {
    var scroll = 0
    var isComplete = false
    /// The photo that `scroll`, `ratio` and `size` belong to, its picture, and its contents if it is a local file.
    var photoID: PhotoID?
    var picture = 1
    var file: LocalFile?
    /// The width of the picture by its height, as far as it is known; kept, since it decides the layout.
    var ratio: Double?
    /// Whether `ratio` is that of the picture, not of its source or thumbnail.
    var isRatioCertain = false
    /// The largest size of a decoded file; kept, since it decides which part is visible.
    var size: PixelSize?
    /// Whether a narrow screen shows all text instead of the picture.
    var showsText = false
    var isFullScreen = false
    /// Whether Escape leads from the full screen to the list.
    var isFromList = false
    var slideshow: Slideshow?
    var hidesLine = false
    var zoom = Zoom.fit
    /// Quarter turns clockwise of the view, 0 to 3, until another photo is shown.
    var turns = 0
    /// The cell that holds the picture while the button is down.
    var dragged: CellPosition?
}

extension AppState {
    /// The photo in full screen; `nil` under any other screen than a panel.
    var fullScreen: DetailScreen? {
        if case .detail(let screen) = baseScreen, screen.isFullScreen { screen } else { nil }
    }

    var detailGeometry: DetailGeometry { detailGeometry(of: list?.selectedPhoto) }

    func detailGeometry(of photo: Photo?) -> DetailGeometry {
        guard case .detail(let detail) = content, let photo, zoomedKey(of: photo, in: detail) != nil else {
            return fitGeometry(of: photo)
        }
        return enlargedGeometry(of: photo)
    }

    func fitGeometry(of photo: Photo?) -> DetailGeometry { layout(of: photo, .pictureAndText) }
    func enlargedGeometry(of photo: Photo) -> DetailGeometry { layout(of: photo, .enlarged) }

    private func layout(of photo: Photo?, _ usual: DetailGeometry.Content) -> DetailGeometry {
        var content = usual
        if case .detail(let detail) = self.content {
            content = detail.isFullScreen ? .picture : detail.showsText ? .text : usual
        }
        if content == .pictureAndText, let photo,
            DetailLine(photo, RenderContext(self)).fits(DetailGeometry.inner(of: traits.size).columns)
        {
            content = .enlarged
        }
        // A photo without an image, such as a sound, is text; over the whole screen a placeholder.
        let hasBox = photo?.preview != nil || photo?.unsupportedFormat != nil
        let showsImages = options.showsImages && (content == .picture || hasBox)
        let shownRatio = photo.flatMap { photo in
            ratio(of: photo).map { turns(of: photo).isMultiple(of: 2) ? $0 : 1 / $0 }
        }
        return DetailGeometry(traits, preferences, showsImages: showsImages, ratio: shownRatio, content: content)
    }

    private func ratio(of photo: Photo) -> Double? {
        if case .detail(let detail) = content, detail.photoID == photo.key, let ratio = detail.ratio { return ratio }
        return knownRatio(of: photo)
    }

    private func knownRatio(of photo: Photo) -> Double? {
        PictureFacts(size: photo.largestSize).ratio
            ?? thumbnailKey(of: photo, in: geometry).flatMap { images.pictures[$0]?.facts?.ratio }
    }

    func rendition(of photo: Photo, for box: CellSize) -> ImageSource? {
        photo.rendition(
            filling: ImageRenderer.Options(traits, isFull: true).pixelBox(for: box).turned(turns(of: photo)))
    }

    func detailKey(of photo: Photo) -> PictureKey? {
        guard let box = fitGeometry(of: photo).box, let source = rendition(of: photo, for: box) else { return nil }
        let isLost = images.lostRenditions.contains(source)
        return PictureKey(
            source: isLost ? photo.preview ?? source : source, box: box, isFull: true, turns: turns(of: photo))
    }

    func shownKey(of photo: Photo, in detail: DetailScreen) -> PictureKey? {
        zoomedKey(of: photo, in: detail) ?? detailKey(of: photo)
    }

    /// The error of a ratio that moves nothing.
    private static let ratioTolerance = 0.02

    /// Updates a screen for the selected photo; requests the details of a new one.
    func settled(_ screen: DetailScreen, _ effects: inout Effects) -> DetailScreen {
        guard let list, let photo = list.selectedPhoto else { return screen }
        var screen = screen
        let isOther = screen.photoID != photo.key
        if isOther {
            screen.zoom = carried(screen, to: photo)
            screen.scroll = 0
            screen.isComplete = list.completed.contains(photo.key)
            screen.photoID = photo.key
        }
        let isOtherPicture = isOther || screen.picture != list.picture
        // The pages of one file are turned alike.
        if isOther || isOtherPicture && photo.pageCount == 1 { screen.turns = 0 }
        if isOtherPicture { screen.ratio = nil }
        if isOtherPicture || screen.file != photo.file {
            screen.file = photo.file
            screen.picture = list.picture
            screen.ratio = knownRatio(of: photo) ?? screen.ratio
            screen.isRatioCertain = false
            screen.size = decodedSize(of: photo)
        }
        if !screen.isComplete, list.awaited == nil {
            screen.isComplete = true
            effects.append(.loadDetails(generation: list.generation, list.wholeSelectedPhoto ?? photo))
        }
        return screen
    }

    /// Returns the zoom of the next photo: the same mode, and the same part of a photo of the same shape, unless this one is rotated.
    private func carried(_ screen: DetailScreen, to photo: Photo) -> Zoom {
        var zoom = screen.zoom
        switch zoom.mode {
        case .free:
            guard screen.turns == 0, let before = screen.ratio, let ratio = knownRatio(of: photo),
                abs(ratio / before - 1) < Self.ratioTolerance
            else { return .fit }
        case .actualSize: break
        case .width: zoom.y = 0
        }
        return zoom
    }

    mutating func receive(
        _ result: Result<Photo, BrowserError>, of id: PhotoID, generation: Int, _ effects: inout Effects
    ) {
        guard list?.generation == generation else { return }
        switch result {
        case .success(let photo):
            list?.complete(photo, id: id)
            if photo.key == id { marks.update(photo) }
        case .failure(let problem):
            if let topDetail, topDetail.photoID == id, topDetail.slideshow == nil { notice = .failed(problem) }
        }
        completeSaving(result, of: id, &effects)
    }

    /// Learns the ratio of the photo in full, once, if it was unknown or wrong, and its size.
    ///
    /// Returns whether the layout changes, or which part of an enlarged photo is visible.
    mutating func learn(from key: PictureKey) -> Bool {
        let index = screens.lastIndex { if case .detail = $0 { true } else { false } }
        guard let index, case .detail(var screen) = screens[index], let photo = list?.selectedPhoto,
            screen.photoID == photo.key
        else { return false }
        let isInFull = key.isFull && photo.sources.contains(key.source)
        let facts = isInFull ? images.pictures[key]?.facts : nil
        let isWhole = isInFull && key.region == .whole
        var isNews = false
        let ratio = isWhole ? facts?.ratio : screen.ratio == nil ? knownRatio(of: photo) : nil
        if !screen.isRatioCertain, let ratio {
            screen.isRatioCertain = isWhole
            isNews = screen.ratio.map { abs(ratio / $0 - 1) >= Self.ratioTolerance } ?? true
            if isNews { screen.ratio = ratio }
        }
        if let size = facts?.size, size.pixelCount > screen.size?.pixelCount ?? 0 {
            screen.size = size
            isNews = true
        }
        screens[index] = .detail(screen)
        return isNews
    }
}

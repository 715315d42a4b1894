internal import SpyglassCatalog
internal import SpyglassPipeline
internal import SpyglassPixels
internal import SpyglassTerminalUI

extension AppState {
    /// Returns the geometry in the area of an enlarged photo.
    ///
    /// `nil` if there is nothing to enlarge: no picture on the screen, a video, sound, a folder.
    func zoomGeometry(of photo: Photo) -> ZoomGeometry? { zoomGeometry(of: photo, in: enlargedGeometry(of: photo)) }

    private func zoomGeometry(of photo: Photo, in layout: DetailGeometry) -> ZoomGeometry? {
        guard photo.mediaType == .image, photo.preview != nil, layout.picture != nil, let box = layout.box
        else { return nil }
        let options = ImageRenderer.Options(traits, isFull: true)
        return ZoomGeometry(
            picture: size(of: photo)?.turned(turns(of: photo)), box: options.pixelBox(for: box),
            pixelAspect: options.pixelAspect)
    }

    /// Returns the size of the photo's largest file; `nil` if neither its source nor a decoded file has one.
    private func size(of photo: Photo) -> PixelSize? {
        var decoded: PixelSize?
        if case .detail(let detail) = content, detail.photoID == photo.key { decoded = detail.size }
        return [decoded, photo.largestSize].compactMap(\.self).max { $0.pixelCount < $1.pixelCount }
    }

    func decodedSize(of photo: Photo) -> PixelSize? {
        guard let key = thumbnailKey(of: photo, in: geometry), key.source == detailKey(of: photo)?.source
        else { return nil }
        return images.pictures[key]?.facts?.size
    }

    /// Returns the key of the visible part of an enlarged photo; `nil` while the whole photo is shown.
    func zoomedKey(of photo: Photo, in detail: DetailScreen) -> PictureKey? {
        guard detail.zoom != .fit else { return nil }
        let layout = enlargedGeometry(of: photo)
        guard let geometry = zoomGeometry(of: photo, in: layout), let box = layout.box else { return nil }
        let zoom = geometry.clamped(detail.zoom)
        guard let source = source(of: photo, at: zoom, geometry) else { return nil }
        let (width, height) = geometry.visibleSize(at: zoom)
        let size = PixelSize(width: max(Int(width.rounded()), 1), height: max(Int(height.rounded()), 1))
        return PictureKey(
            source: source, region: geometry.region(of: zoom), box: box, partSize: size, isFull: true,
            turns: turns(of: photo))
    }

    /// Returns the file that a part is decoded from; `nil` for the whole photo, and if no file is left to try.
    private func source(of photo: Photo, at zoom: Zoom, _ geometry: ZoomGeometry) -> ImageSource? {
        guard zoom != .fit else { return nil }
        return photo.rendition(
            enlargedTo: geometry.neededSize(at: zoom).turned(turns(of: photo)),
            except: images.lostRenditions.union(images.lostParts))
    }

    /// Returns the last frame of the same photo, shown until the first one of another region comes.
    func heldPicture(for key: PictureKey) -> Picture? {
        guard key.isFull, key.region != .whole, let last = images.requests.visible.first?.key, last.isFull,
            last.box == key.box || last.region == .whole, case .detail = content, let photo = list?.selectedPhoto,
            photo.sources.contains(last.source), photo.sources.contains(key.source),
            case .shown(let image, let facts, _, let isStale) = images.pictures[last]
        else { return nil }
        return .shown(image, facts, isFinal: false, isStale: isStale)
    }

    /// The zoom in percent: 100 shows a pixel of the picture as one of the screen; `nil` for the whole photo.
    var zoomPercent: Double? {
        guard case .detail(let detail) = baseScreen, detail.zoom != .fit, let photo = list?.selectedPhoto,
            let geometry = zoomGeometry(of: photo)
        else { return nil }
        let zoom = geometry.clamped(detail.zoom)
        guard source(of: photo, at: zoom, geometry) != nil else { return nil }
        return zoom.factor / (geometry.pixelFactor ?? 1) * 100
    }

    /// The arrows that pan an enlarged photo; up and down only if it fits the screen's width.
    var panKeys: [Action] {
        guard case .detail(let detail) = baseScreen, let geometry = list?.selectedPhoto.flatMap(zoomGeometry)
        else { return [] }
        let shares = geometry.shares(at: geometry.clamped(detail.zoom).factor)
        let whole = 1 - 1e-9
        return shares.columns < whole ? [.left, .right] : shares.rows < whole ? [.up, .down] : []
    }

    /// The bytes of the original that the zoom waits for: first its size, if the source tells it.
    var originalTransfer: ImageTask.Progress? {
        guard case .detail(let detail) = baseScreen, let photo = list?.selectedPhoto,
            let key = zoomedKey(of: photo, in: detail), let original = photo.original,
            key.source == .address(original, photo.trust), images.pictures[key]?.isFinal == false
        else { return nil }
        if let progress = images.progress[key] { return progress }
        let bytes = photo.renditions.first { $0.address == original }?.bytes
        return activity.transfers > 0 ? bytes.map { ImageTask.Progress(received: 0, total: $0) } : nil
    }

    mutating func zoom(_ action: Action, in screen: DetailScreen) -> Bool {
        guard let geometry = list?.selectedPhoto.flatMap(zoomGeometry), mayZoom(screen) else { return false }
        let zoom = geometry.clamped(screen.zoom)
        let isLarger = zoom.factor > 1
        var changed: Zoom
        switch action {
        case .zoomIn: changed = geometry.changed(zoom, to: zoom.factor * Zoom.keyStep)
        case .zoomOut: changed = geometry.changed(zoom, to: zoom.factor / Zoom.keyStep)
        case .zoomToFit: changed = .fit
        case .zoomToWidth: changed = geometry.fittingWidth
        case .zoomToPixels:
            changed = geometry.changed(zoom, to: geometry.pixelFactor ?? 1)
            changed.mode = .actualSize
        case .left where isLarger: changed = geometry.panned(zoom, right: -1)
        case .right where isLarger: changed = geometry.panned(zoom, right: 1)
        case .up where isLarger: changed = geometry.panned(zoom, down: -1)
        case .down where isLarger: changed = geometry.panned(zoom, down: 1)
        case .halfPageUp where isLarger: changed = geometry.panned(zoom, down: -2)
        case .halfPageDown where isLarger: changed = geometry.panned(zoom, down: 2)
        case .pageUp where isLarger: changed = geometry.panned(zoom, down: -4)
        case .pageDown where isLarger: changed = geometry.panned(zoom, down: 4)
        default: return false
        }
        topDetail?.zoom = changed
        return true
    }

    /// Returns whether the event is one for the picture: the wheel over it zooms, dragging pans.
    mutating func zoom(_ event: MouseEvent, in screen: DetailScreen, _ effects: inout Effects) -> Bool {
        guard let geometry = list?.selectedPhoto.flatMap(zoomGeometry), mayZoom(screen), let area = shownPictureArea
        else { return false }
        var screen = screen
        switch event.kind {
        case .press(.left): screen.dragged = area.contains(event.position) ? event.position : nil
        case .release(.left): screen.dragged = nil
        case .drag(.left):
            guard let last = screen.dragged else { return true }
            let cell = pixelsOfCell(in: area)
            screen.zoom = geometry.dragged(
                screen.zoom, right: Double(event.position.column - last.column) * cell.width,
                down: Double(event.position.row - last.row) * cell.height)
            screen.dragged = event.position
        case .wheelUp where area.contains(event.position), .wheelDown where area.contains(event.position):
            let step = event.kind == .wheelUp ? Zoom.wheelStep : 1 / Zoom.wheelStep
            screen.zoom = turned(screen.zoom, by: step, at: event.position, in: area, geometry)
        default: return false
        }
        topDetail = screen
        if case .drag = event.kind { reconcileImages(&effects) }
        return true
    }

    /// Returns the zoom after a step of the wheel over a cell, which stays in its place.
    private func turned(
        _ zoom: Zoom, by step: Double, at position: CellPosition, in area: CellArea, _ geometry: ZoomGeometry
    ) -> Zoom {
        let factor = geometry.clamped(zoom).factor
        let cell = pixelsOfCell(in: area)
        // A picture that is lower than its area stands at the top beside a text, else in the middle.
        let layout = detailGeometry
        let shown = (list?.selectedPhoto.flatMap { zoomGeometry(of: $0, in: layout) } ?? geometry).visibleSize(at: zoom)
        let height = layout.isBeside ? shown.height : Double(area.rows) * cell.height
        // A whole photo has another size in the area of an enlarged one.
        let scale = geometry.visibleSize(at: zoom).width / shown.width
        let x = (Double(position.column - area.column) + 0.5 - Double(area.columns) / 2) * cell.width * scale
        let y = ((Double(position.row - area.row) + 0.5) * cell.height - height / 2) * scale
        return geometry.changed(zoom, to: factor * step, around: (x, y))
    }

    /// The cells of the picture on the screen, mirrored in languages from right to left.
    private var shownPictureArea: CellArea? {
        guard var area = detailGeometry.picture else { return nil }
        if language.isRightToLeft { area.column = traits.size.columns - area.endColumn }
        return area
    }

    private func pixelsOfCell(in area: CellArea) -> (width: Double, height: Double) {
        let box = CellSize(clamping: area.columns, area.rows)
        let size = ImageRenderer.Options(traits, isFull: true).pixelBox(for: box)
        return (Double(size.width) / Double(max(area.columns, 1)), Double(size.height) / Double(max(area.rows, 1)))
    }
}

extension HeaderFooter {
    func zoomPieces(on canvas: Canvas) -> [Canvas.Piece] {
        guard let percent = context.state.zoomPercent else { return [] }
        var pieces = [Canvas.Piece(clean(context.percent(percent), canvas), .accent)]
        if let transfer = context.state.originalTransfer {
            let original = context.strings.detail.original + ": " + context.text(of: transfer)
            pieces.append(.init(clean(original, canvas), .dim))
        }
        return pieces
    }
}

extension Action {
    static let zoomIn = Action(
        "zoomIn", "zoom in", "vergrößern", "zoomer", "acercar", "拡大", "تكبير", needsImages: true)
    static let zoomOut = Action(
        "zoomOut", "zoom out", "verkleinern", "dézoomer", "alejar", "縮小", "تصغير", needsImages: true)
    static let zoomToFit = Action(
        "zoomToFit", "fit", "einpassen", "ajuster", "ajustar", "全体表示", "ملاءمة", needsImages: true)
    static let zoomToWidth = Action(
        "zoomToWidth", "fit width", "Breite einpassen", "ajuster la largeur", "ajustar al ancho", "幅に合わせる",
        "ملاءمة العرض", needsImages: true)
    static let zoomToPixels = Action(
        "zoomToPixels", "actual size", "Originalgröße", "taille réelle", "tamaño real", "等倍", "الحجم الفعلي",
        needsImages: true)
}

extension KeyTable {
    static let zoom = bind(
        in: [.detail], ([.plain("+"), .plain("=")], .zoomIn), ([.plain("-")], .zoomOut), ([.plain("0")], .zoomToFit),
        ([.plain("w")], .zoomToWidth), ([.plain("1")], .zoomToPixels))
}

final class ZoomTexts: Sendable {
    static let all = ZoomTexts()
    let pair = Text("zoom", "Zoom", "zoom", "zoom", "拡大縮小", "تكبير")
    let pan = Text("pan", "verschieben", "déplacer", "mover", "移動", "تحريك")
    let rotate = Text("rotate", "drehen", "tourner", "girar", "回転", "تدوير")
    let cannotEnlarge = Template(
        { "Cannot enlarge further: \($0)" }, { "Weiter vergrößern nicht möglich: \($0)" },
        { "Impossible d'agrandir davantage : \($0)" }, { "No se puede ampliar más: \($0)" }, { "これ以上拡大できません: \($0)" },
        { "تعذر التكبير أكثر: \($0)" })
}

extension UIStrings { var zoom: Localized<ZoomTexts> { Localized(.all, language) } }

// One photo in full, turned on the screen; its file stays as it is.

extension AppState {
    /// Returns the quarter turns of a photo, which only the one in full has.
    func turns(of photo: Photo) -> Int {
        if case .detail(let detail) = content, detail.photoID == photo.key { detail.turns } else { 0 }
    }

    mutating func rotate(by turns: Int) {
        guard let detail = topDetail, list?.selectedPhoto.flatMap(zoomGeometry) != nil else { return }
        topDetail?.turns = (detail.turns + turns) % 4
        topDetail?.zoom = detail.zoom.turned(turns)
    }
}

extension Zoom {
    /// Returns the zoom after so many quarter turns clockwise: the same pixels at their own size, else the width, or all.
    fileprivate func turned(_ turns: Int) -> Zoom {
        switch mode {
        case .free: .fit
        case .width: Zoom(y: 0, mode: .width)
        case .actualSize: (0..<turns).reduce(self) { zoom, _ in Zoom(x: 1 - zoom.y, y: zoom.x, mode: .actualSize) }
        }
    }
}

extension PixelSize {
    func turned(_ turns: Int) -> PixelSize { turns.isMultiple(of: 2) ? self : transposed }
}

extension PixelBuffer {
    /// Returns the image after so many quarter turns clockwise.
    func turned(_ turns: Int) -> PixelBuffer {
        switch turns {
        case 1: oriented(.right)
        case 2: oriented(.down)
        case 3: oriented(.left)
        default: self
        }
    }
}

extension ImageRegion {
    /// Returns the region before an image was turned clockwise by so many quarters.
    func upright(from turns: Int) -> ImageRegion {
        (0..<turns).reduce(self) { region, _ in
            ImageRegion(x: region.y, y: 1 - region.x - region.width, width: region.height, height: region.width)
        }
    }
}

extension Action {
    static let rotateLeft = Action(
        "rotateLeft", "rotate left", "nach links drehen", "tourner à gauche", "girar a la izquierda", "左に回転",
        "تدوير لليسار", needsImages: true)
    static let rotateRight = Action(
        "rotateRight", "rotate right", "nach rechts drehen", "tourner à droite", "girar a la derecha", "右に回転",
        "تدوير لليمين", needsImages: true)
}

extension KeyTable {
    static let rotation = bind(in: [.detail], ([.plain("<")], .rotateLeft), ([.plain(">")], .rotateRight))
}

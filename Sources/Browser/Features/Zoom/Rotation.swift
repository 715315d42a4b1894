internal import SpyglassCatalog
internal import SpyglassPixels
internal import SpyglassTerminalUI

// One photo in full, turned on the screen; its file stays as it is.

extension AppState {
    /// Returns the quarter turns of a photo, which only the one in full has.
    func turns(of photo: Photo) -> Int {
        if case .detail(let detail) = content, detail.photoID == photo.key { detail.turns } else { 0 }
    }

    mutating func rotate(by turns: Int) {
        guard let detail = topDetail, let photo = list?.photo(at: detail.position), zoomGeometry(of: photo) != nil
        else { return }
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

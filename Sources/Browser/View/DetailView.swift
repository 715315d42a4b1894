internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// One photo in full: the picture beside its text, or above it.
struct DetailView {
    let scene: Scene
    let detail: DetailScreen

    func draw(on canvas: inout Canvas) {
        let state = scene.state
        guard let photo = state.list?.photo(at: detail.position) else { return }
        let geometry = DetailGeometry(screen: state.look.size, showsImages: state.options.showsImages)
        if let box = geometry.picture {
            let isBeside = geometry.text.map { $0.row == box.row } ?? false
            PictureBox(scene: scene, photo: photo, isAtTop: isBeside)
                .draw(picture(of: photo, in: box, geometry), in: box, on: &canvas)
        }
        guard let area = DetailLines.textArea(on: state.look.size, showsImages: state.options.showsImages) else {
            return
        }
        let text = DetailLines(photo: photo, scene: scene, glyphs: canvas.glyphs, columns: area.columns)
        drawText(text, in: area, on: &canvas)
    }

    private func drawText(_ text: DetailLines, in area: CellArea, on canvas: inout Canvas) {
        let first = min(max(detail.scroll, 0), max(text.lines.count - area.rows, 0))
        for (row, line) in text.lines.dropFirst(first).prefix(area.rows).enumerated() {
            if let label = line.label {
                canvas.put(label, in: area, row: row, .dim)
                canvas.put(line.text, in: area.inset(left: text.indent), row: row, line.role)
            } else {
                canvas.put(line.text, in: area, row: row, line.role)
            }
        }
        let behind = CellArea(column: area.endColumn, row: area.row, columns: 2, rows: area.rows)
        if first > 0 { canvas.put(canvas.marks[.less], in: behind, row: 0, .accent, .trailing) }
        if first + area.rows < text.lines.count {
            canvas.put(canvas.marks[.more], in: behind, row: area.rows - 1, .accent, .trailing)
        }
    }

    /// What has come for this box, whichever of the photo's files it was made of.
    ///
    /// The best that is there, so that a preview stays until a better picture replaces it.
    private func picture(of photo: Photo, in box: CellArea, _ geometry: DetailGeometry) -> Picture? {
        guard let size = geometry.box else { return nil }
        let addresses = photo.renditions.map(\.address) + [photo.thumbnail].compactMap(\.self)
        let pictures = addresses.compactMap { scene.state.pictures[PictureKey(address: $0, box: size)] }
        return pictures.max { $0.rank < $1.rank }
    }
}

extension Picture {
    /// The better one is shown.
    fileprivate var rank: Int {
        switch self {
        case .loading: 0
        case .failed: 1
        case .shown(_, let isFinal, _): isFinal ? 3 : 2
        }
    }
}

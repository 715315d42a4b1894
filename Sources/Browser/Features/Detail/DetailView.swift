internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct DetailView {
    let context: RenderContext
    let detail: DetailScreen

    private static let fitsDate = 40

    func draw(on canvas: inout Canvas) {
        let state = context.state
        guard let photo = state.list?.photo(at: detail.position) else { return }
        let geometry = state.detailGeometry(of: photo)
        if let area = geometry.picture, let covered = geometry.covered {
            let picture = shownPicture(of: photo)
            // A box has the shape of the picture to come.
            PictureBox(context: context, photo: photo, anchor: geometry.isBeside ? .top : .center)
                .draw(picture, in: picture?.isShown == true ? area : covered, on: &canvas)
        }
        guard let area = geometry.text else { return }
        if geometry.isLine { return drawLine(of: photo, in: area, on: &canvas) }
        drawText(DetailLines(photo: photo, context: context, geometry), in: area, on: &canvas)
    }

    /// The title, and in the other half the maker and the licence, if there is one, or else the date.
    private func drawLine(of photo: Photo, in area: CellArea, on canvas: inout Canvas) {
        var title = area
        let dates = context.formatter.dates(of: photo).map { [$0] }
        let credit = photo.license.map { [context.formatter.maker(of: photo), $0].compactMap(\.self) }
        let facts = (credit.map { credit in dates.map { credit + $0 } + [credit] } ?? []) + dates
        let texts = facts.map { canvas.clean($0.joined(separator: " · "), columns: area.columns) }
        let fact = texts.first { $0.width * 2 <= area.columns } ?? texts.last ?? ""
        if fact.width > 0, area.columns >= Self.fitsDate {
            canvas.put(fact, in: area, .dim, .trailing)
            title = area.inset(right: fact.width + canvas.margins.gap)
        }
        canvas.put(cleaning: photo.title, in: title, .title)
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
        var behind = area
        behind.column = area.endColumn
        behind.columns = min(DetailGeometry.marks, canvas.area.columns - area.endColumn)
        canvas.putScrollMarks(isMoreAbove: first > 0, isMoreBelow: first + area.rows < text.lines.count, in: behind)
    }

    /// The visible part of an enlarged photo, or the whole one until it comes.
    private func shownPicture(of photo: Photo) -> Picture? {
        let whole = picture(of: photo)
        guard let key = context.state.zoomedKey(of: photo, in: detail), let part = context.state.pictures[key]
        else { return whole }
        if case .shown = part { return part }
        if case .shown? = whole { return whole }
        return part
    }

    /// The best image for this box: a preview stays until a better one comes.
    private func picture(of photo: Photo) -> Picture? {
        guard let size = context.state.fitGeometry(of: photo).box else { return nil }
        let pictures = photo.sources.compactMap {
            context.state.shownPicture(for: PictureKey(source: $0, box: size, isFull: true))
        }
        return pictures.max { $0.rank < $1.rank }
    }
}

extension Picture {
    fileprivate var isShown: Bool { if case .shown = self { true } else { false } }

    fileprivate var rank: Int {
        switch self {
        case .loading: 0
        case .failed: 1
        case .shown(_, _, let isFinal, _): isFinal ? 3 : 2
        }
    }
}

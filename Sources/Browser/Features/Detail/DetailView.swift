internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassTerminalUI

/// One photo in full with its text.
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

    /// Draws the title, and in the other half the maker and the licence, if there is one, or else the date.
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

    /// Returns the visible part of an enlarged photo, or the whole one until it comes.
    private func shownPicture(of photo: Photo) -> Picture? {
        let whole = picture(of: photo)
        guard let key = context.state.zoomedKey(of: photo, in: detail), let part = context.state.images.pictures[key]
        else { return whole }
        if case .shown = part { return part }
        if case .shown? = whole { return whole }
        return part
    }

    /// Returns the best image for this box: a preview stays until a better one comes.
    private func picture(of photo: Photo) -> Picture? {
        guard let size = context.state.fitGeometry(of: photo).box else { return nil }
        let pictures = photo.sources.compactMap {
            context.state.images.picture(for: PictureKey(source: $0, box: size, isFull: true))
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

// MARK: - Header and footer

extension HeaderFooter {
    /// Columns for the facts and keys of a slideshow.
    private static let slideshowColumns = 60

    /// Draws title, position and keys of the full screen; the title has at most half of the line.
    func drawLine(of screen: DetailScreen, in line: CellArea, row: Int, on canvas: inout Canvas) {
        guard let photo = context.state.list?.photo(at: screen.position) else { return }
        canvas.fill(CellArea(row: row, columns: canvas.area.columns, rows: 1), .text)
        let half = line.columns / 2
        let room = screen.slideshow == nil ? half : max(half / 2, min(half, line.columns - Self.slideshowColumns))
        let title = canvas.clean(photo.title, columns: line.columns)
            .truncated(to: max(room, 1), glyphs: canvas.glyphs)
        let gap = TerminalText(cleaning: "").padded(to: canvas.margins.gap)
        var pieces = [Canvas.Piece(title, .title)]
        if let position = context.state.positionInResults {
            pieces.append(
                .init(gap + clean(context.formatter.count(position.number, of: position.total), canvas), .dim))
        }
        pieces += factPieces(on: canvas).map { .init(gap + $0.text, $0.role) }
        if screen.isPaused {
            pieces.append(.init(gap + clean(context.strings.slideshow.paused, canvas), .accent))
        }
        if let damage = damage(on: canvas) { pieces.append(.init(gap + damage, .warning)) }
        let used = canvas.put(pieces, in: line, row: row)
        context.hints.draw(in: line.inset(left: used + canvas.margins.gap + 1), row: row, on: &canvas)
    }

    /// `2/5`: the shown picture of a photo with several.
    func picturePieces(on canvas: Canvas) -> [Canvas.Piece] {
        guard case .detail = context.state.baseScreen, let list = context.state.list, list.pictureCount > 1
        else { return [] }
        return [.init(clean("\(context.number(list.picture))/\(context.number(list.pictureCount))", canvas), .accent)]
    }
}

extension DetailScreen {
    /// Whether a slideshow waits.
    var isPaused: Bool { slideshow?.isPaused == true }
}

extension AppState {
    /// How much of the photo in full its file has; `nil` until all of that is shown.
    var completeness: DecodedImage.Completeness? {
        guard case .detail(let screen) = baseScreen, let photo = list?.photo(at: screen.position),
            let key = detailKey(of: photo), case .shown(_, let facts, isFinal: true, _)? = images.pictures[key]
        else { return nil }
        return facts.completeness
    }
}

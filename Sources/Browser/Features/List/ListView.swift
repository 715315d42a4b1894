internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

struct ListView {
    let context: RenderContext

    func draw(on canvas: inout Canvas) {
        guard let list = context.state.list else { return }
        let geometry = context.state.geometry
        guard !list.positions.isEmpty else { return drawEmpty(list, on: &canvas) }
        let end = ListEnd(context: context, list: list, geometry: geometry)
        let endRow = end.isShown ? geometry.row(of: max(list.positions.upperBound, 1) - 1) + 1 : Int.max
        let pattern = list.filter?.pattern
        var columns: ListColumns?
        if geometry.thumbnail == nil, geometry.itemRows == 1 {
            let line = ListItem.line(in: geometry.area, on: canvas)
            columns = ListColumns(of: photosAround(list, geometry), in: line.columns, context, on: canvas)
        }
        let hidesDate = geometry.isGrid && list.photos.shareDate
        // The last row of photos must not cover the footer.
        canvas.clip = geometry.area
        for position in geometry.positions(from: list.topRow) where geometry.row(of: position) < endRow {
            guard let area = geometry.area(of: position, from: list.topRow) else { continue }
            guard let photo = list.photo(at: position) else {
                if position < list.positions.lowerBound || !end.isShown { drawUnread(in: area, geometry, on: &canvas) }
                continue
            }
            let item = ListItem(
                context: context, photo: photo, geometry: geometry, isSelected: position == list.selected,
                isMarked: context.state.isMarked(photo, at: position), pattern: pattern, columns: columns,
                hidesDate: hidesDate)
            item.draw(in: area, on: &canvas)
            canvas.setTarget(.photo(position), in: area)
        }
        canvas.clip = canvas.area
        if let preview = geometry.preview, let photo = list.selectedPhoto {
            let item = ListItem(
                context: context, photo: photo, geometry: geometry, isSelected: false, isMarked: false,
                pattern: pattern, isPreview: true)
            item.drawPreview(preview, on: &canvas)
            canvas.setTarget(.photo(list.selected), in: preview.area)
        }
        end.draw(on: &canvas)
    }

    /// The photos that a table compares: of the screen, and of a screen above and below, so that its columns seldom change.
    private func photosAround(_ list: PhotoList, _ geometry: ListGeometry) -> [Photo] {
        let shown = geometry.positions(from: list.topRow)
        return (shown.lowerBound - shown.count..<shown.upperBound + shown.count).compactMap { list.photo(at: $0) }
    }

    /// Draws the box of a photo that has not been read, so that nothing moves when it comes.
    private func drawUnread(in area: CellArea, _ geometry: ListGeometry, on canvas: inout Canvas) {
        guard let box = ListItem.box(in: area, geometry, on: canvas) else { return }
        PictureBox(context: context, photo: .unread).draw(.loading, in: box, on: &canvas)
    }

    private func drawEmpty(_ list: PhotoList, on canvas: inout Canvas) {
        // A panel covers the middle of the line.
        guard !context.state.top.isPanel else { return }
        let content = canvas.content
        let search = context.words(of: list.search)
        let isWaiting = list.awaited != nil || list.isLoadingNext || !list.isAtEnd || list.needsAllFiles
        var lines: [Canvas.Piece] = []
        func add(_ text: String, _ role: ThemeRole) {
            let text = canvas.lines(of: text, columns: content.columns, limit: content.rows)
            lines += text.map { Canvas.Piece($0, role) }
        }
        if let filter = list.filter, !list.photos.isEmpty, !list.needsAllFiles {
            let words = filter.field.text.trimmed
            let texts = context.strings.filter
            add(texts.noMatch(words), .title)
            add(context.filterCounts(of: list), .dim)
        } else if let problem = list.nextProblem {
            add(context.strings.list.loadingFailed, .error)
            add(context.strings.text(of: problem), .text)
        } else if isWaiting {
            let text = list.isLocal ? context.strings.folders.reading : context.strings.list.searching
            add(context.spinner(on: canvas) + text(search), .text)
        } else if list.isLocal {
            add(context.strings.folders.emptyFolder(search), .title)
        } else {
            add(context.strings.list.nothingFound(search), .title)
            add(context.strings.list.nothingFoundHint, .dim)
            let holds = (context.state.options.archiveHolds ?? []).filter { $0 != list.search }
            if !holds.isEmpty {
                lines.append(Canvas.Piece(""))
                add(context.strings.home.archiveHolds(holds.joined(separator: ", ")), .dim)
            }
        }
        let first = max((content.rows - lines.count) / 3, 0)
        for (row, line) in lines.prefix(content.rows).enumerated() {
            canvas.put(line.text, in: content, row: first + row, line.role, .center)
        }
    }
}

extension RenderContext {
    fileprivate func spinner(on canvas: Canvas) -> String {
        canvas.isPlain ? "" : canvas.marks.spinner(at: state.activity.phase).string + " "
    }

    /// Returns how many photos a filter leaves: `3 of 18 match`.
    fileprivate func filterCounts(of list: PhotoList) -> String {
        let text = list.isPartlyLoaded ? strings.filter.matchesLoaded : strings.filter.matches
        return text(number(list.positions.count), number(list.photos.count))
    }
}

extension Photo {
    /// With an address, its box shows a loading image, not a kind such as "video".
    fileprivate static let unread: Photo = {
        var photo = Photo(id: "", source: "")
        photo.thumbnail = WebAddress("https://unread.invalid/")
        return photo
    }()
}

/// The line after the last photo: the end, a problem, or what is loading.
struct ListEnd {
    let context: RenderContext
    let list: PhotoList
    let geometry: ListGeometry

    var isShown: Bool { list.filter != nil || list.isAtEnd || list.nextProblem != nil || list.isLoadingNext }

    func draw(on canvas: inout Canvas) {
        guard isShown, let line = line else { return }
        let margin = canvas.margin
        let area = line.inset(left: margin, right: max(margin - 1, 0))
        if list.filter != nil {
            canvas.put(cleaning: context.filterCounts(of: list), in: area, .dim)
        } else if let problem = list.nextProblem {
            let binding = context.state.keys.bindings.first { $0.action == .refresh }
            let key = binding?.keys.first.map { KeyName.text(of: $0, context.strings, canvas.glyphs) }
            func piece(_ text: String, _ role: ThemeRole) -> Canvas.Piece {
                Canvas.Piece(canvas.clean(text, columns: area.columns), role)
            }
            let strings = context.strings
            var pieces = [piece(strings.list.loadingFailed + ": ", .error), piece(strings.text(of: problem), .text)]
            let retry = [piece("  \(key ?? "")", .key), piece(" \(Action.retry.name(in: strings))", .dim)]
            // A long reason must not hide the key.
            let room = area.columns - pieces[0].text.width - retry.reduce(0) { $0 + $1.text.width }
            pieces[1].text = pieces[1].text.truncated(to: max(room, 0), glyphs: canvas.glyphs)
            canvas.put(pieces + retry, in: area)
            canvas.setTarget(.action(.refresh), in: area)
        } else if list.isLoadingNext {
            canvas.put(cleaning: context.spinner(on: canvas) + context.strings.list.loading, in: area, .dim)
        } else {
            canvas.put(cleaning: context.strings.list.end(context.counts(of: list)), in: area, .dim)
        }
    }

    /// The row after the photos, or the gap below the last photo if that is below the screen.
    private var line: CellArea? {
        guard !list.positions.isEmpty else { return nil }
        let last = list.positions.upperBound - 1
        let row = geometry.area.row + (geometry.row(of: last) + 1 - list.topRow) * geometry.itemRows
        let content = geometry.isGrid ? (geometry.thumbnail?.rows ?? 0) + geometry.captionRows : 1
        let rows = [row, geometry.itemRows > content ? row - 1 : row]
        return rows.first { (geometry.area.row..<geometry.area.endRow).contains($0) }.map {
            CellArea(column: geometry.area.column, row: $0, columns: geometry.area.columns, rows: 1)
        }
    }
}

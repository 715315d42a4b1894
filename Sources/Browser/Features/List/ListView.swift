internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

/// The photos of a list or grid, or why there are none.
struct ListView {
    let context: RenderContext

    func draw(on canvas: inout Canvas) {
        guard let list = context.state.list else { return }
        let geometry = context.state.geometry
        guard !list.positions.isEmpty else { return drawEmpty(list, on: &canvas) }
        let end = ListEnd(context: context, list: list, geometry: geometry)
        let endRow = end.isShown ? geometry.row(of: max(list.positions.upperBound, 1) - 1) + 1 : Int.max
        let pattern = list.filter?.pattern
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
                isMarked: context.state.isMarked(photo, at: position), pattern: pattern)
            item.draw(in: area, on: &canvas)
            canvas.setTarget(.photo(position), in: area)
        }
        canvas.clip = canvas.area
        if let preview = geometry.preview, let photo = list.photo(at: list.selected) {
            PreviewPane(context: context, photo: photo, geometry: geometry, pattern: pattern)
                .draw(preview, on: &canvas)
            canvas.setTarget(.photo(list.selected), in: preview.area)
        }
        end.draw(on: &canvas)
    }

    /// Draws the box of a photo that has not been read, so that nothing moves when it comes.
    private func drawUnread(in area: CellArea, _ geometry: ListGeometry, on canvas: inout Canvas) {
        guard let box = ListItem.box(in: area, geometry, on: canvas) else { return }
        PictureBox(context: context, photo: .unread).draw(.loading, in: box, on: &canvas)
    }

    private func drawEmpty(_ list: PhotoList, on canvas: inout Canvas) {
        // A panel covers the middle of the line.
        guard !context.state.top.isPanel else { return }
        let content = RenderContext.content(of: canvas)
        let search = list.search.isEmpty ? context.strings.list.everything : list.search
        let isWaiting = list.awaited != nil || list.isLoadingNext || !list.isAtEnd
        var lines: [Canvas.Piece] = []
        func add(_ text: String, _ role: ThemeRole) {
            lines += canvas.lines(of: text, columns: content.columns, limit: content.rows)
                .map { Canvas.Piece($0, role) }
        }
        if let filter = list.filter, !list.photos.isEmpty {
            add(context.strings.filter.noMatch(filter.field.text.trimmed), .title)
            let counts = [0, list.photos.count].map(context.number)
            add(context.strings.filter.matches(counts[0], counts[1]), .dim)
        } else if let problem = list.nextProblem {
            add(context.strings.list.loadingFailed, .error)
            add(context.strings.text(of: problem), .text)
        } else if isWaiting {
            let spinner = canvas.isPlain ? "" : canvas.marks.spinner(at: context.state.activity.phase).string + " "
            add(
                spinner + (list.isLocal ? context.strings.folders.reading : context.strings.list.searching)(search),
                .text)
        } else if list.isLocal {
            add(context.strings.folders.emptyFolder(search), .title)
        } else {
            add(context.strings.list.nothingFound(search), .title)
            add(context.strings.list.nothingFoundHint, .dim)
            if let holds = context.state.options.archiveHolds, !holds.isEmpty {
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

extension Photo {
    /// A placeholder.
    ///
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
        let margin = RenderContext.margin(of: canvas)
        let area = line.inset(left: margin, right: max(margin - 1, 0))
        if list.filter != nil {
            let left = context.number(list.positions.count)
            let loaded = context.number(list.photos.count)
            canvas.put(cleaning: context.strings.filter.matches(left, loaded), in: area, .dim)
        } else if let problem = list.nextProblem {
            let key = KeyHints.key(for: [.retry, .refresh], in: context.state.scope)
                .map { KeyName.text(of: $0, context.strings, canvas.glyphs) }
            var pieces = [
                Canvas.Piece(canvas.clean(context.strings.list.loadingFailed + ": ", columns: area.columns), .error),
                Canvas.Piece(canvas.clean(context.strings.text(of: problem), columns: area.columns)),
            ]
            let retry = [
                Canvas.Piece(canvas.clean("  \(key ?? "")", columns: area.columns), .key),
                Canvas.Piece(canvas.clean(" \(Action.retry.name(in: context.strings))", columns: area.columns), .dim),
            ]
            // A long reason must not hide the key.
            let room = area.columns - pieces[0].text.width - retry.reduce(0) { $0 + $1.text.width }
            pieces[1].text = pieces[1].text.truncated(to: max(room, 0), glyphs: canvas.glyphs)
            canvas.put(pieces + retry, in: area)
            canvas.setTarget(.action(.refresh), in: area)
        } else if list.isLoadingNext {
            let spinner = canvas.isPlain ? "" : canvas.marks.spinner(at: context.state.activity.phase).string + " "
            canvas.put(cleaning: spinner + context.strings.list.loading, in: area, .dim)
        } else {
            let count = list.positions.upperBound
            canvas.put(
                canvas.clean(context.strings.list.end(count, context.number(count)), columns: area.columns), in: area,
                .dim)
        }
    }

    /// The row after the photos, or the gap below the last photo if that is below the screen.
    private var line: CellArea? {
        guard !list.positions.isEmpty else { return nil }
        let last = list.positions.upperBound - 1
        let row = geometry.area.row + (geometry.row(of: last) + 1 - list.topRow) * geometry.itemRows
        let hasGap =
            geometry.isGrid
            ? geometry.itemRows > (geometry.thumbnail?.rows ?? 0) + geometry.captionRows : geometry.itemRows > 1
        for candidate in [row, hasGap ? row - 1 : row] {
            let line = CellArea(column: geometry.area.column, row: candidate, columns: geometry.area.columns, rows: 1)
            if candidate >= geometry.area.row, candidate < geometry.area.endRow { return line }
        }
        return nil
    }
}

/// The selected photo beside a list of lines: its picture, and its text under it.
struct PreviewPane {
    let context: RenderContext
    let photo: Photo
    let geometry: ListGeometry
    var pattern: FuzzyPattern?

    func draw(_ preview: ListGeometry.Preview, on canvas: inout Canvas) {
        var box = preview.area
        var text = preview.area
        let hasPicture = photo.preview != nil || photo.unsupportedFormat != nil || photo.mediaType != .image
        if hasPicture {
            box.rows = min(preview.picture.rows, box.rows)
            PictureBox(context: context, photo: photo, anchor: .caption)
                .draw(context.picture(of: photo, in: geometry), in: box, on: &canvas)
            text = text.inset(top: box.rows + 1)
        }
        let lines = PhotoText(
            photo: photo, formatter: context.formatter, showsKind: photo.preview != nil, pattern: pattern
        )
        .lines(in: text.columns, rows: text.rows, isSelected: false, isMarked: false, on: canvas)
        for (row, line) in lines.enumerated() { canvas.put([line], in: text, row: row) }
    }
}

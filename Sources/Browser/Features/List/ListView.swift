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
            add(context.strings.list.noMatch(filter.field.text.trimmed), .title)
            let counts = [0, list.photos.count].map(context.number)
            add(context.strings.list.matches(counts[0], counts[1]), .dim)
        } else if let problem = list.nextProblem {
            add(context.strings.list.loadingFailed, .error)
            add(context.strings.text(of: problem), .text)
        } else if isWaiting {
            let spinner = canvas.isPlain ? "" : canvas.marks.spinner(at: context.state.activity.phase).string + " "
            add(spinner + (list.isLocal ? context.strings.list.reading : context.strings.list.searching)(search), .text)
        } else if list.isLocal {
            add(context.strings.list.emptyFolder(search), .title)
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

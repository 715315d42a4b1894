internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The home screen: pictures, the search field and the source.
struct HomeView {
    let context: RenderContext
    let search: SearchScreen

    private static let name: TerminalText = "Spyglass"
    private static let columns = 64
    private static let fitsName = 9

    /// The rows of the name, the field, headings, gaps and the source.
    static let rowsBesideChoices = 10

    func draw(on canvas: inout Canvas) {
        let content = RenderContext.content(of: canvas)
        var area = content
        area.columns = min(content.columns, Self.columns)
        area.column = content.column + max((content.columns - area.columns) / 2, 0)
        let field = FieldView(context: context, search: search)
        let sources = sources(columns: area.columns, on: canvas)
        let photos = context.state.homePhotos
        let pictureRows = photos.isEmpty ? 0 : context.state.homeGeometry.rowsInAll
        if content.rows >= Self.fitsName {
            // Reserves the rows of an empty field, so that nothing moves while a search is typed.
            let empty = FieldView(context: context, search: SearchScreen())
            let rows = pictureRows + 4 + empty.rows(columns: area.columns, on: canvas) + 1 + sources.count
            let top = max((content.rows - rows) / 3, 0)
            draw(photos, in: content.inset(top: top), on: &canvas)
            area = area.inset(top: top + pictureRows)
            // Under the first picture.
            if !photos.isEmpty, let first = context.state.homeGeometry.area(of: 0, in: content) {
                area.column = first.column
                area.columns = min(area.columns, content.endColumn - first.column)
            }
            canvas.put(Self.name, in: area, .accent)
            let source = context.state.preferences.source
            let title = SourceRegistry.named(source)?.title ?? source
            canvas.put(cleaning: context.strings.home.tagline(title), in: area, row: 1, .dim)
            area = area.inset(top: 3)
        }
        let used = field.draw(in: area, on: &canvas)
        guard used + 1 + sources.count <= area.rows else { return }
        for (row, line) in sources.enumerated() { canvas.put(line, in: area, row: used + 1 + row) }
    }

    private func draw(_ photos: [HomePhoto], in content: CellArea, on canvas: inout Canvas) {
        let geometry = context.state.homeGeometry
        let chosen = context.state.chosen(of: search)
        for (index, home) in photos.enumerated() {
            guard let area = geometry.area(of: index, in: content), let size = geometry.thumbnail
            else { return }
            let box = area.inset(bottom: HomeGeometry.captionRows)
            PictureBox(context: context, photo: home.photo, anchor: .caption)
                .draw(picture(of: home, in: size), in: box, on: &canvas)
            let isChosen = chosen == .photo(home)
            let title = home.isToday ? context.strings.home.today(home.photo.title) : home.photo.title
            canvas.put(cleaning: title, in: area, row: box.rows, isChosen ? .selected : .dim)
            canvas.setTarget(.homePhoto(index), in: area)
            guard isChosen, area.column > 0 else { continue }
            let edge = CellArea(column: area.column - 1, row: area.row, columns: 1, rows: area.rows)
            for row in 0..<area.rows { canvas.put(canvas.marks[.selection], in: edge, row: row, .accent) }
        }
    }

    /// Returns a picture without the mark of old ones: all of them are old.
    private func picture(of home: HomePhoto, in size: CellSize) -> Picture? {
        let key = home.photo.preview.map { PictureKey(source: $0, box: size) }
        let picture = key.flatMap { context.state.images.pictures[$0] }
        guard case .shown(let image, let facts, let isFinal, _)? = picture else { return picture }
        return .shown(image, facts, isFinal: isFinal, isStale: false)
    }

    /// Returns the source, or the searches of the archive unless each is offered as a choice.
    private func sources(columns: Int, on canvas: Canvas) -> [[Canvas.Piece]] {
        let state = context.state
        let choices = state.choices(of: search)
        if let holds = state.options.archiveHolds, !holds.allSatisfy({ choices.contains(.suggestion($0)) }) {
            let text = context.strings.home.archiveHolds(holds.joined(separator: ", "))
            return canvas.lines(of: text, columns: columns, limit: 3).map { [.init($0, .dim)] }
        }
        return [
            [
                .init(canvas.clean(context.strings.home.source + "  ", columns: columns), .dim),
                .init(canvas.clean(context.name(of: state.preferences.source), columns: columns), .text),
            ]
        ]
    }
}

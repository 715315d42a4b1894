internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct HomeView {
    let context: RenderContext
    let search: SearchScreen
    private static let name: TerminalText = "Spyglass"
    private static let columns = 64
    private static let fitsName = 9
    /// The name, the tagline, and an empty row.
    private static let titleRows = 3
    static let rowsBesideChoices = 10

    func draw(on canvas: inout Canvas) {
        let content = canvas.content
        let field = FieldView(context: context, search: search)
        let photos = context.state.homePhotos
        let geometry = context.state.homeGeometry
        let pictureRows = photos.isEmpty ? 0 : geometry.rowsInAll
        var area = content
        area.columns = min(content.columns, max(geometry.columns(of: photos.count), Self.columns))
        area.column = content.column + (content.columns - area.columns) / 2
        let holds = holds(of: search, columns: area.columns, on: canvas)
        if content.rows >= Self.fitsName {
            // Reserves the rows of an empty field, so that nothing moves while a search is typed.
            let empty = SearchScreen()
            let fieldRows = FieldView(context: context, search: empty).rows(columns: area.columns, on: canvas)
            let lines = self.holds(of: empty, columns: area.columns, on: canvas).count
            let rows = Self.titleRows + pictureRows + fieldRows + (lines == 0 ? 0 : 1 + lines)
            area = area.inset(top: max((content.rows - rows) / 2, 0))
            canvas.put(Self.name, in: area, .accent)
            let source = context.state.preferences.source
            let title = SourceRegistry.named(source)?.title ?? source
            // Without a network, the photos of another source are the demo's.
            let isSample = source != "demo" && photos.first?.photo.source == "demo"
            let tagline = isSample ? context.strings.alert.samples : context.strings.home.tagline(title)
            canvas.put(cleaning: tagline, in: area, row: 1, .dim)
            area = area.inset(top: Self.titleRows)
            draw(photos, in: area, on: &canvas)
            area = area.inset(top: pictureRows)
        }
        let used = field.draw(in: area, on: &canvas)
        guard used + 1 + holds.count <= area.rows else { return }
        for (row, line) in holds.enumerated() { canvas.put(line, in: area, row: used + 1 + row, .dim) }
    }

    private func draw(_ photos: [HomePhoto], in row: CellArea, on canvas: inout Canvas) {
        let chosen = context.state.chosen(of: search)
        for (index, home) in photos.enumerated() {
            guard let area = context.state.homeGeometry.area(of: index, in: row) else { return }
            let box = area.inset(bottom: HomeGeometry.captionRows)
            PictureBox(context: context, photo: home.photo).draw(picture(of: home), in: box, on: &canvas)
            let isChosen = chosen == .photo(home)
            let title = home.isToday ? context.strings.home.today(home.photo.title) : home.photo.title
            canvas.put(cleaning: title, in: area, row: box.rows, isChosen ? .selected : .dim)
            canvas.setTarget(.homePhoto(index), in: area)
            guard isChosen, area.column > 0 else { continue }
            let edge = CellArea(column: area.column - 1, row: area.row, columns: 1, rows: area.rows)
            for row in 0..<area.rows { canvas.put(canvas.marks[.selection], in: edge, row: row, .accent) }
        }
    }

    /// Returns a picture without its stale mark: at home, all pictures are from the cache.
    private func picture(of home: HomePhoto) -> Picture? {
        let picture = context.state.homeKey(of: home).flatMap { context.state.images.pictures[$0] }
        guard case .shown(let image, let facts, let isFinal, _)? = picture else { return picture }
        return .shown(image, facts, isFinal: isFinal, isStale: false)
    }

    /// Returns the searches of the archive, unless each is offered as a choice.
    private func holds(of search: SearchScreen, columns: Int, on canvas: Canvas) -> [TerminalText] {
        let choices = context.state.choices(of: search)
        guard let holds = context.state.options.archiveHolds, !holds.allSatisfy({ choices.contains(.suggestion($0)) })
        else { return [] }
        let text = context.strings.home.archiveHolds(holds.joined(separator: ", "))
        return canvas.lines(of: text, columns: columns, limit: 3)
    }
}

struct FieldView {
    let context: RenderContext
    let search: SearchScreen

    func rows(columns: Int, on canvas: Canvas) -> Int {
        let headings = Set(choices.compactMap { texts(of: $0).heading }).count
        // A row is free between groups; the choice that resumes is one of its own.
        let isResumeFirst = if choices.count > 1, case .resume? = choices.first { true } else { false }
        let gaps = max(headings - 1, 0) + (isResumeFirst ? 1 : 0)
        let list = choices.isEmpty ? 0 : 1 + choices.count + headings + gaps
        return 2 + notes(columns: columns, on: canvas).count + list
    }

    @discardableResult
    func draw(in area: CellArea, on canvas: inout Canvas) -> Int {
        guard area.rows > 0, area.columns > 0 else { return 0 }
        let source = source(columns: area.columns, on: canvas)
        canvas.fill(area.firstRow, .field)
        canvas.setTarget(.field, in: area.firstRow)
        FieldLine(field: search.field, prompt: context.strings.home.prompt, isActive: search.choice == nil)
            .draw(in: area.inset(right: source.width > 0 ? source.width + 1 : 0), on: &canvas)
        var style = canvas.styles[.field]
        style.foreground = canvas.styles[.placeholder].foreground
        canvas.put(source, in: area.inset(right: 1), style: style, .trailing)
        var row = 1
        for note in notes(columns: area.columns, on: canvas) {
            canvas.put(note.text, in: area, row: row, note.role)
            row += 1
        }
        guard !choices.isEmpty, row + 1 < area.rows else { return row }
        row += 1
        return row + drawChoices(choices, in: area.inset(top: row), on: &canvas)
    }

    /// The name of the source, shown at the end of the field if it takes at most a third of it.
    private func source(columns: Int, on canvas: Canvas) -> TerminalText {
        let name = canvas.clean(context.name(of: context.state.searchSource), columns: columns)
        return name.width * 3 <= columns ? name : ""
    }

    private func notes(columns: Int, on canvas: Canvas) -> [Canvas.Piece] {
        if let mistake = search.mistake {
            let lines = canvas.lines(of: context.strings.text(of: mistake), columns: columns, limit: 3)
            return lines.map { Canvas.Piece($0, .error) }
        }
        let source = context.state.searchSource
        let filters = context.state.searchText(in: source).hint
        let texts = [
            context.strings.operands(of: source), filters.isEmpty ? nil : context.strings.home.forExample(filters),
        ]
        let parts = texts.compactMap(\.self)
        let hint = ([parts.joined(separator: "  ")] + parts.prefix(1)).map { canvas.clean($0, columns: columns) }
            .first { $0.width > 0 && $0.width + 2 <= columns }
        var notes = hint.map { [Canvas.Piece($0, .dim)] } ?? []
        if let obstacle = context.state.options.obstacles[source] {
            notes += canvas.lines(of: obstacle, columns: columns, limit: 6).map { Canvas.Piece($0, .error) }
        }
        return notes
    }

    private var choices: [SearchChoice] { context.state.choices(of: search).filter { !$0.isPhoto } }

    private func drawChoices(_ choices: [SearchChoice], in area: CellArea, on canvas: inout Canvas) -> Int {
        var row = 0
        var lastHeading: String?
        let headings = Set(choices.compactMap { texts(of: $0).heading }).count
        for (index, choice) in choices.enumerated() {
            let (text, source, heading) = texts(of: choice)
            // Choices come before headings where there is little room.
            if let heading, heading != lastHeading, area.rows >= choices.count + headings + 1 {
                if row > 0, area.rows > choices.count + 2 * headings { row += 1 }
                canvas.put(cleaning: heading, in: area, row: row, .dim)
                row += 1
            }
            lastHeading = heading
            canvas.setTarget(.choice(index), in: area, row: row)
            let isChosen = search.choice == index
            if isChosen { canvas.put(canvas.marks[.selection], in: area, row: row, .accent) }
            let label = Canvas.Piece(canvas.clean(text, columns: area.columns), isChosen ? .selected : .text)
            let name = canvas.clean(source.map { "  " + $0 } ?? "", columns: area.columns)
            canvas.put([label, .init(name, .dim)], in: area.inset(left: 2), row: row)
            row += 1
        }
        return row
    }

    private func texts(of choice: SearchChoice) -> (label: String, source: String?, heading: String?) {
        let strings = context.strings
        func name(_ source: String) -> String {
            source.hasPrefix(SavedPlace.archivePrefix) ? strings.list.archive : source
        }
        switch choice {
        case .resume(let place):
            let number = place.position.addingReportingOverflow(1).partialValue
            let label = strings.home.resume(context.words(of: place.search), context.number(number))
            return (label, name(place.source), nil)
        case .recent(let search) where search.isFolder:
            return (context.state.label(of: search), nil, strings.home.recentFolders)
        case .recent(let search): return (search.text, search.source.map(name), strings.home.recent)
        case .photo(let home): return (home.photo.title, nil, nil)
        case .suggestion(let search): return (context.words(of: search), nil, strings.home.suggestions)
        }
    }
}

struct SearchPanel: Sendable {
    let search: SearchScreen
    private static let columns = 64

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        let field = FieldView(context: context, search: search)
        let strings = context.strings.home
        let isOwn = context.state.list?.isLocal == true
        let title = canvas.clean(isOwn ? strings.promptOnline : strings.prompt, columns: Self.columns)
        let rows = field.rows(columns: min(Self.columns, canvas.area.columns), on: canvas) + 1
        let panel = Panel(title: title, columns: Self.columns, rows: rows, .title, on: &canvas)
        field.draw(in: panel.inner.inset(top: Panel.hasFrame(on: canvas.area) ? 1 : 0), on: &canvas)
    }
}

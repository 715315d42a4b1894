internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The search field with its hints and the lines to choose from.
struct FieldView {
    let context: RenderContext
    let search: SearchScreen

    func rows(columns: Int, on canvas: Canvas) -> Int {
        let headings = Set(choices.map { heading(of: $0) }).subtracting([nil]).count
        let list = choices.isEmpty ? 0 : 1 + choices.count + headings + (isResumeFirst ? 1 : 0)
        return 2 + notes(columns: columns, on: canvas).count + list
    }

    @discardableResult
    func draw(in area: CellArea, on canvas: inout Canvas) -> Int {
        guard area.rows > 0, area.columns > 0 else { return 0 }
        FieldLine(field: search.field, prompt: context.strings.home.prompt, isActive: search.choice == nil)
            .draw(in: area, on: &canvas)
        var row = 1
        for note in notes(columns: area.columns, on: canvas) {
            canvas.put(note.text, in: area, row: row, note.role)
            row += 1
        }
        guard !choices.isEmpty, row + 1 < area.rows else { return row }
        row += 1
        return row + drawChoices(choices, in: area.inset(top: row), on: &canvas)
    }

    private func notes(columns: Int, on canvas: Canvas) -> [Canvas.Piece] {
        if let mistake = search.mistake {
            return canvas.lines(of: context.strings.text(of: mistake), columns: columns, limit: 3)
                .map { Canvas.Piece($0, .error) }
        }
        let source = context.state.searchSource
        let texts = [context.strings.operands(of: source), context.state.searchText(in: source).hint]
        let parts = texts.compactMap(\.self)
        let hint = ([parts.joined(separator: "  ")] + parts.prefix(1)).map { canvas.clean($0, columns: columns) }
            .first { $0.width > 0 && $0.width + 2 <= columns }
        var notes = hint.map { [Canvas.Piece($0, .dim)] } ?? []
        if let obstacle = context.state.options.obstacles[source] {
            notes += canvas.lines(of: obstacle, columns: columns, limit: 6).map { Canvas.Piece($0, .error) }
        }
        return notes
    }

    // MARK: Choices

    /// The choices without the pictures.
    private var choices: [SearchChoice] { context.state.choices(of: search).filter { !$0.isPhoto } }

    /// Whether choices with a heading follow the one that resumes.
    private var isResumeFirst: Bool {
        if choices.count > 1, case .resume? = choices.first { true } else { false }
    }

    private func drawChoices(_ choices: [SearchChoice], in area: CellArea, on canvas: inout Canvas) -> Int {
        var row = 0
        var lastHeading: String?
        for (index, choice) in choices.enumerated() {
            let heading = heading(of: choice)
            // Choices come before headings where there is little room.
            if let heading, heading != lastHeading, area.rows >= choices.count + 2 {
                if row > 0, lastHeading == nil, area.rows > choices.count + 3 { row += 1 }
                canvas.put(cleaning: heading, in: area, row: row, .dim)
                row += 1
            }
            lastHeading = heading
            canvas.setTarget(.choice(index), in: area, row: row)
            let isChosen = search.choice == index
            if isChosen { canvas.put(canvas.marks[.selection], in: area, row: row, .accent) }
            let label = canvas.clean(label(of: choice), columns: area.columns)
            let source = source(of: choice).map { canvas.clean("  " + $0, columns: area.columns) }
            canvas.put(
                [.init(label, isChosen ? .selected : .text)] + (source.map { [.init($0, .dim)] } ?? []),
                in: area.inset(left: 2), row: row)
            row += 1
        }
        return row
    }

    private func heading(of choice: SearchChoice) -> String? {
        switch choice {
        case .resume, .photo: nil
        case .recent: context.strings.home.recent
        case .suggestion: context.strings.home.suggestions
        }
    }

    private func label(of choice: SearchChoice) -> String {
        switch choice {
        case .resume(let place):
            let (number, _) = place.position.addingReportingOverflow(1)
            let search = place.search.isEmpty ? context.strings.list.everything : place.search
            return context.strings.home.resume(search, context.number(number))
        case .recent(let search): return search.text
        case .photo(let home): return home.photo.title
        case .suggestion(let search): return search.isEmpty ? context.strings.list.everything : search
        }
    }

    private func source(of choice: SearchChoice) -> String? {
        let source: String? =
            switch choice {
            case .resume(let place): place.source
            case .recent(let search): search.source
            case .suggestion, .photo: nil
            }
        return source.map { $0.hasPrefix(SavedPlace.archivePrefix) ? context.strings.list.archive : $0 }
    }
}

/// The search field over a list.
struct SearchPanel: Sendable {
    let search: SearchScreen

    private static let columns = 64

    func draw(_ context: RenderContext, on canvas: inout Canvas) {
        let field = FieldView(context: context, search: search)
        let title = canvas.clean(context.strings.home.prompt, columns: Self.columns)
        let columns = min(Self.columns, canvas.area.columns)
        let panel = Panel(
            title: title, columns: Self.columns, rows: field.rows(columns: columns, on: canvas) + 1, .title, on: &canvas
        )
        let hasRoom = Panel.hasFrame(on: canvas.area)
        field.draw(in: panel.inner.inset(top: hasRoom ? 1 : 0), on: &canvas)
    }
}

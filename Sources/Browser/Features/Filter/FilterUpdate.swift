internal import SpyglassCatalog
internal import SpyglassTerminalUI

extension AppState {
    /// Whether keys go to the field of the filter.
    var isFiltering: Bool { if case .list = top { list?.filter?.isTyping == true } else { false } }

    mutating func openFilter() {
        guard let list, !list.photos.isEmpty else { return }
        self.list?.beginFilter()
    }

    mutating func editFilter(_ change: (inout TextField) -> Void) {
        guard var field = list?.filter?.field else { return }
        change(&field)
        list?.setFilter(field)
    }

    /// Returns whether the action is one of the filter's field.
    mutating func performInFilter(_ action: Action) -> Bool {
        guard isFiltering, var field = list?.filter?.field else { return false }
        switch action {
        case .submit where field.text.trimmed.isEmpty: clearFilter()
        case .submit: list?.filter?.isTyping = false
        case .deleteBackward where field.text.isEmpty: clearFilter()
        default:
            guard field.perform(action) else { return false }
            list?.setFilter(field)
        }
        return true
    }

    mutating func clearFilter() {
        let geometry = geometry
        list?.endFilter(in: geometry)
    }
}

// MARK: - View

/// The last line of the screen while a filter is typed: its field, then the keys.
struct FilterLine {
    let context: RenderContext
    let filter: ListFilter

    private static let minColumns = 24

    func draw(in area: CellArea, row: Int, on canvas: inout Canvas) {
        canvas.fill(CellArea(row: row, columns: canvas.area.columns, rows: 1), .text)
        let used = canvas.put([.init("& ", .key)], in: area, row: row)
        var field = area.inset(left: used)
        field.columns = min(max(area.columns / 2, Self.minColumns), field.columns)
        FieldLine(field: filter.field, prompt: context.strings.filter.prompt).draw(in: field, row: row, on: &canvas)
        let rest = area.inset(left: used + field.columns + canvas.margins.gap)
        context.hints.draw(in: rest, row: row, on: &canvas)
    }
}

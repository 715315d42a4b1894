internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// A photo of a list or grid.
struct ListItem {
    let context: RenderContext
    let photo: Photo
    let geometry: ListGeometry
    let isSelected: Bool
    let isMarked: Bool
    /// The words of a filter, which are highlighted.
    var pattern: FuzzyPattern?

    private static let maxLine = 96

    static func box(in area: CellArea, _ geometry: ListGeometry, on canvas: Canvas) -> CellArea? {
        guard let thumbnail = geometry.thumbnail else { return nil }
        let before = geometry.isGrid ? geometry.leading : RenderContext.margin(of: canvas)
        return CellArea(
            column: area.column + before, row: area.row, columns: min(thumbnail.columns, area.columns - before),
            rows: thumbnail.rows)
    }

    func draw(in area: CellArea, on canvas: inout Canvas) {
        if geometry.isGrid {
            drawInGrid(in: area, on: &canvas)
        } else if geometry.itemRows == 1, geometry.thumbnail == nil {
            ListLine(context: context, photo: photo, isSelected: isSelected, isMarked: isMarked, pattern: pattern)
                .draw(in: area, on: &canvas)
        } else {
            drawBeside(in: area, on: &canvas)
        }
    }

    private func drawBeside(in area: CellArea, on canvas: inout Canvas) {
        let margin = RenderContext.margin(of: canvas)
        // The last row is the gap to the next photo.
        let rows = area.rows > 1 ? area.rows - 1 : area.rows
        var text = area.inset(left: margin, right: max(margin - 1, 0))
        if let box = drawPicture(in: area, on: &canvas) {
            text = text.inset(left: box.columns + canvas.margins.gap)
        }
        text.columns = min(text.columns, Self.maxLine)
        text.rows = rows
        drawText(in: text, on: &canvas)
        drawSelection(rows: canvas.isPlain ? 1 : rows, in: area, on: &canvas)
    }

    func drawText(in area: CellArea, on canvas: inout Canvas) {
        let lines = PhotoText(photo: photo, formatter: context.formatter, showsKind: showsKind, pattern: pattern)
            .lines(in: area.columns, rows: area.rows, isSelected: isSelected, isMarked: isMarked, on: canvas)
        for (row, line) in lines.enumerated() { canvas.put([line], in: area, row: row) }
    }

    /// The box of a missing image names the kind; without a box the text does.
    private var showsKind: Bool { geometry.thumbnail == nil || photo.preview != nil }

    func drawPicture(in area: CellArea, on canvas: inout Canvas) -> CellArea? {
        guard let box = Self.box(in: area, geometry, on: canvas) else { return nil }
        PictureBox(context: context, photo: photo, anchor: geometry.isGrid ? .caption : .leading)
            .draw(context.picture(of: photo, in: geometry), in: box, on: &canvas)
        return box
    }

    func drawSelection(rows: Int, in area: CellArea, on canvas: inout Canvas) {
        guard isSelected, RenderContext.margin(of: canvas) > 0, area.columns > 1 else { return }
        var column = area
        column.columns = 1
        column.rows = rows
        for row in 0..<rows { canvas.put(canvas.marks[.selection], in: column, row: row, .accent) }
    }
}

/// A photo on one line: title, maker and date.
struct ListLine {
    let context: RenderContext
    let photo: Photo
    let isSelected: Bool
    let isMarked: Bool
    var pattern: FuzzyPattern?

    /// Screen columns from which on there is a column for the date, and for the maker.
    private static let fitsDate = 50
    private static let fitsMaker = 90
    private static let makerColumns = 26
    private static let maxColumns = 150

    func draw(in area: CellArea, on canvas: inout Canvas) {
        let margin = RenderContext.margin(of: canvas)
        if isSelected, margin > 0 { canvas.put(canvas.marks[.selection], in: area, .accent) }
        var rest = area.inset(left: margin, right: max(margin - 1, 0))
        rest.columns = min(rest.columns, Self.maxColumns)
        let gap = canvas.margins.gap
        if area.columns >= Self.fitsDate {
            let columns = min(context.maxDate, rest.columns / 3)
            let dates = context.formatter.dates(of: photo).map { TerminalText(cleaning: $0).shown(in: canvas.glyphs) }
            let date = dates.first { $0.width <= columns } ?? dates.last ?? ""
            canvas.put(date, in: rest.inset(left: rest.columns - columns), .dim)
            rest = rest.inset(right: columns + gap)
        }
        if area.columns >= Self.fitsMaker {
            let maker = context.formatter.maker(of: photo) ?? ""
            let found = photo.namedMaker == nil ? nil : pattern
            let column = rest.inset(left: rest.columns - Self.makerColumns)
            canvas.put([.init(canvas.clean(maker, columns: column.columns), marking: found)], in: column)
            rest = rest.inset(right: Self.makerColumns + gap)
        }
        let kind = photo.mediaType == .image ? nil : context.formatter.placeholder(for: photo)
        for note in [kind, photo.license].compactMap(\.self) {
            let text = canvas.clean(" " + note, columns: rest.columns)
            guard text.width * 2 < rest.columns else { continue }
            canvas.put(text, in: rest, .dim, .trailing)
            rest = rest.inset(right: text.width)
        }
        let title = canvas.clean(isMarked ? canvas.marking(photo.title) : photo.title, columns: rest.columns)
        canvas.put([.init(title, isSelected ? .selected : isMarked ? .good : .text, marking: pattern)], in: rest)
    }
}

extension RenderContext {
    var maxDate: Int {
        [9, 11, 12].map { TerminalText(cleaning: formatter.date("1969-\($0 < 10 ? "0" : "")\($0)-30") ?? "").width }
            .max() ?? 0
    }
}

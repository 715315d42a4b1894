internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// One photo in one line: title, and where there is room, maker and date in columns of their own.
struct ListLine {
    let context: RenderContext
    let photo: Photo
    let isSelected: Bool

    /// From so many columns on there is a column for the date, and for the maker.
    private static let fitsDate = 50
    private static let fitsMaker = 90
    private static let makerColumns = 26
    /// Wider lines would set titles and dates too far apart to be read together.
    private static let widest = 150

    func draw(in area: CellArea, on canvas: inout Canvas) {
        let margin = RenderContext.margin(of: canvas)
        if isSelected, margin > 0 { canvas.put(canvas.marks[.selection], in: area, .accent) }
        var rest = area.inset(left: margin, right: max(margin - 1, 0))
        rest.columns = min(rest.columns, Self.widest)
        let gap = canvas.margins.gap
        if area.columns >= Self.fitsDate {
            let columns = min(context.maxDate, rest.columns / 3)
            let date = context.formatter.date(of: photo) ?? ""
            let place = rest.inset(left: rest.columns - columns)
            canvas.put(canvas.clean(date, columns: columns), in: place, .dim)
            rest = rest.inset(right: columns + gap)
        }
        if area.columns >= Self.fitsMaker {
            let maker = context.formatter.maker(of: photo) ?? ""
            let place = rest.inset(left: rest.columns - Self.makerColumns)
            canvas.put(canvas.clean(maker, columns: Self.makerColumns), in: place, .text)
            rest = rest.inset(right: Self.makerColumns + gap)
        }
        if photo.mediaType != .image {
            let kind = canvas.clean(" " + context.formatter.placeholder(for: photo), columns: rest.columns)
            if kind.width * 2 < rest.columns {
                canvas.put(kind, in: rest, .dim, .trailing)
                rest = rest.inset(right: kind.width)
            }
        }
        canvas.put(canvas.clean(photo.title, columns: rest.columns), in: rest, isSelected ? .selected : .text)
    }
}

extension RenderContext {
    /// The columns of the longest date that this language writes: a long month, two digits for the day.
    var maxDate: Int {
        [9, 11, 12].map { TerminalText(cleaning: formatter.date("1969-\($0 < 10 ? "0" : "")\($0)-30") ?? "").width }
            .max() ?? 0
    }
}

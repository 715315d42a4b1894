internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct ListItem {
    let context: RenderContext
    let photo: Photo
    let geometry: ListGeometry
    let isSelected: Bool
    let isMarked: Bool
    var pattern: FuzzyPattern?
    private static let maxTextColumns = 96
    /// Screen columns from which on there is a column for the date, and for the maker.
    private static let fitsDate = 50
    private static let fitsMaker = 90
    private static let makerColumns = 26
    private static let maxLineColumns = 150

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
            drawLine(in: area, on: &canvas)
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
        text.columns = min(text.columns, Self.maxTextColumns)
        text.rows = rows
        drawText(in: text, showsKind: showsKind, on: &canvas)
        drawSelection(rows: canvas.isPlain ? 1 : rows, in: area, on: &canvas)
    }

    func drawText(in area: CellArea, showsKind: Bool, on canvas: inout Canvas) {
        let lines = PhotoText(photo: photo, formatter: context.formatter, showsKind: showsKind, pattern: pattern)
            .lines(in: area.columns, rows: area.rows, isSelected: isSelected, isMarked: isMarked, on: canvas)
        for (row, line) in lines.enumerated() { canvas.put([line], in: area, row: row) }
    }

    /// The box of a missing image names the kind; without a box the text does.
    var showsKind: Bool { geometry.thumbnail == nil || photo.preview != nil }

    private func drawLine(in area: CellArea, on canvas: inout Canvas) {
        let margin = RenderContext.margin(of: canvas)
        if isSelected, margin > 0 { canvas.put(canvas.marks[.selection], in: area, .accent) }
        var rest = area.inset(left: margin, right: max(margin - 1, 0))
        rest.columns = min(rest.columns, Self.maxLineColumns)
        let gap = canvas.margins.gap
        if area.columns >= Self.fitsDate {
            let longest = ["09", "11", "12"].compactMap { context.formatter.date("1969-\($0)-30") }
            let columns = min(longest.map { TerminalText(cleaning: $0).width }.max() ?? 0, rest.columns / 3)
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

    /// Draws the selected photo beside a list of lines: its picture, and its text under it.
    func drawPreview(_ preview: ListGeometry.Preview, on canvas: inout Canvas) {
        var (box, text) = (preview.area, preview.area)
        if photo.preview != nil || photo.unsupportedFormat != nil || photo.mediaType != .image {
            box.rows = min(preview.picture.rows, box.rows)
            PictureBox(context: context, photo: photo, anchor: .caption)
                .draw(context.picture(of: photo, in: geometry), in: box, on: &canvas)
            text = text.inset(top: box.rows + 1)
        }
        drawText(in: text, showsKind: photo.preview != nil, on: &canvas)
    }

    func drawPicture(in area: CellArea, on canvas: inout Canvas) -> CellArea? {
        guard let box = Self.box(in: area, geometry, on: canvas) else { return nil }
        PictureBox(context: context, photo: photo, anchor: geometry.isGrid ? .caption : .leading)
            .draw(context.picture(of: photo, in: geometry), in: box, on: &canvas)
        return box
    }

    func drawSelection(rows: Int, in area: CellArea, on canvas: inout Canvas) {
        guard isSelected, RenderContext.margin(of: canvas) > 0, area.columns > 1 else { return }
        let column = CellArea(column: area.column, row: area.row, columns: 1, rows: rows)
        for row in 0..<rows { canvas.put(canvas.marks[.selection], in: column, row: row, .accent) }
    }
}

struct PhotoText {
    let photo: Photo
    let formatter: PhotoFormatter
    /// Whether a film or a sound is named as such; not where the box of its image does.
    let showsKind: Bool
    var pattern: FuzzyPattern?
    private static let titleLines = 3
    /// A description has at least these lines, at most half of all.
    private static let descriptionLines = 2
    private static let separator = " · "
    private static let minMakerColumns = 8

    /// Returns title, maker and date, centre and licence, description; the title has further lines if there is room.
    func lines(
        in columns: Int, rows: Int, isSelected: Bool, isMarked: Bool, on canvas: Canvas
    ) -> [Canvas.Piece] {
        guard columns > 0, rows > 0 else { return [] }
        let byline = byline(columns: columns, on: canvas)
        let origin = formatter.origin(of: photo, [photo.center]).map { canvas.clean($0, columns: columns) }
        let others = (byline == nil ? 0 : 1) + (origin == nil ? 0 : 1)
        let title = canvas.lines(
            of: isMarked ? canvas.marking(photo.title) : photo.title, columns: columns,
            limit: min(max(rows - others, 1), Self.titleLines))
        let role: ThemeRole = isSelected ? .selected : isMarked ? .good : .title
        var lines = title.map { Canvas.Piece($0, role, marking: pattern) }
        if let byline { lines.append(byline) }
        if let origin { lines.append(.init(origin, .dim)) }
        let room = min(rows - lines.count, max(rows / 2 - 1, Self.descriptionLines))
        if room > 0, let description = photo.description {
            let text = canvas.lines(of: description, columns: columns, limit: room)
            lines += text.map { Canvas.Piece($0, .dim, marking: pattern) }
        }
        return Array(lines.prefix(rows))
    }

    private func byline(columns: Int, on canvas: Canvas) -> Canvas.Piece? {
        let kind = showsKind && photo.mediaType != .image ? [formatter.placeholder(for: photo)] : []
        let dates = formatter.dates(of: photo)
        // The shorter the date, the more remains of the name; the year is never cut off.
        let endings = (dates.isEmpty ? [[]] : dates.map { [$0] }).map { date in
            TerminalText(cleaning: (kind + date).joined(separator: Self.separator)).shown(in: canvas.glyphs)
        }
        let year = dates.suffix(1).map { canvas.clean($0, columns: columns) }
        let alone = (endings + year).first { $0.width <= columns } ?? endings[endings.count - 1]
        guard let maker = formatter.maker(of: photo) else { return alone.isEmpty ? nil : .init(alone) }
        let name = canvas.clean(maker, columns: columns)
        let found = photo.namedMaker == nil ? nil : pattern
        if alone.isEmpty { return .init(name, marking: found) }
        let separator = TerminalText(cleaning: Self.separator).shown(in: canvas.glyphs)
        func room(beside ending: TerminalText) -> Int { columns - separator.width - ending.width }
        let ending =
            endings.first { room(beside: $0) >= name.width }
            ?? endings.first { room(beside: $0) >= Self.minMakerColumns }
        guard let ending else { return .init(alone) }
        var piece = Canvas.Piece(name.truncated(to: room(beside: ending), glyphs: canvas.glyphs), marking: found)
        piece.text = piece.text + separator + ending
        return piece
    }
}

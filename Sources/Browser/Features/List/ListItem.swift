internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct ListItem {
    let context: RenderContext
    let photo: Photo
    let geometry: ListGeometry
    let isSelected: Bool
    let isMarked: Bool
    var pattern: FuzzyPattern?
    /// The columns of a list of lines.
    var columns: ListColumns?
    /// Whether all photos around are of one day, which a grid does not repeat.
    var hidesDate = false
    /// Whether the item is beside a list of lines, where its description may have all rows.
    var isPreview = false
    private static let maxTextColumns = 96
    private static let maxLineColumns = 150
    private static let titleLines = 3
    /// A description has at least these lines, at most half of all.
    private static let descriptionLines = 2
    private static let minMakerColumns = 8

    static func box(in area: CellArea, _ geometry: ListGeometry, on canvas: Canvas) -> CellArea? {
        guard let thumbnail = geometry.thumbnail else { return nil }
        let before = geometry.isGrid ? geometry.leading : canvas.margin
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
        let margin = canvas.margin
        // The last row is the gap to the next photo.
        let rows = area.rows > 1 ? area.rows - 1 : area.rows
        var text = area.inset(left: margin, right: max(margin - 1, 0))
        if let box = drawPicture(in: area, on: &canvas) {
            text = text.inset(left: box.columns + canvas.margins.gap)
        }
        text.columns = min(text.columns, Self.maxTextColumns)
        text.rows = rows
        drawText(in: text, on: &canvas)
        drawSelection(rows: canvas.isPlain ? 1 : rows, in: area, on: &canvas)
    }

    private func drawText(in area: CellArea, on canvas: inout Canvas) {
        let lines = lines(in: area.columns, rows: area.rows, on: canvas)
        for (row, line) in lines.enumerated() { canvas.put([line], in: area, row: row) }
    }

    /// Whether the text names a film or a sound as such: the box of a missing image does, if there is one.
    private var showsKind: Bool { photo.preview != nil || geometry.thumbnail == nil && !isPreview }

    private func drawLine(in area: CellArea, on canvas: inout Canvas) {
        let margin = canvas.margin
        if isSelected, margin > 0 { canvas.put(canvas.marks[.selection], in: area, .accent) }
        var rest = Self.line(in: area, on: canvas)
        var title = canvas.clean(isMarked ? canvas.marking(photo.title) : photo.title, columns: rest.columns)
        let reason = context.damage(of: photo, in: geometry).map { ListColumns.gap + $0 } ?? ""
        var damage = canvas.clean(reason, columns: rest.columns)
        // Not a column of its own: others would move when an image comes. It takes the place of facts; a long one is cut, not the
        // name.
        let needed = damage.width > 0 ? title.width + damage.width : 0
        if let columns { rest = columns.draw(photo, in: rest, leaving: needed, marking: pattern, on: &canvas) }
        let word = canvas.clean(ListColumns.gap + context.strings.truncated, columns: rest.columns).width
        let room = max(rest.columns - title.width, min(word, rest.columns / 2))
        damage = damage.truncated(to: room, glyphs: canvas.glyphs)
        if photo.file != nil, title.width > rest.columns - damage.width {
            let columns = rest.columns - damage.width - (isMarked ? 2 : 0)
            let name = photo.title.shortened(to: columns, hasExtension: photo.mediaType != .folder)
            title = canvas.clean(isMarked ? canvas.marking(name) : name, columns: rest.columns)
        }
        title = title.truncated(to: rest.columns - damage.width, glyphs: canvas.glyphs)
        let role: ThemeRole = isSelected ? .selected : isMarked ? .good : .text
        canvas.put([.init(title, role, marking: pattern), .init(damage, .warning)], in: rest)
    }

    /// The line of a photo, without the margins.
    static func line(in area: CellArea, on canvas: Canvas) -> CellArea {
        let margin = canvas.margin
        return area.inset(left: margin, right: max(margin - 1, 0)).first(maxLineColumns)
    }

    /// Draws the selected photo beside a list of lines: its picture, and its text under it.
    func drawPreview(_ preview: ListGeometry.Preview, on canvas: inout Canvas) {
        var (box, text) = (preview.area, preview.area)
        if photo.preview != nil || photo.unsupportedFormat != nil || photo.mediaType != .image {
            let picture = context.picture(of: photo, in: geometry)
            box.rows = min(picture?.image?.rows ?? preview.usualRows, preview.picture.rows, box.rows)
            PictureBox(context: context, photo: photo, anchor: .top).draw(picture, in: box, on: &canvas)
            text = text.inset(top: box.rows + 1)
        }
        drawText(in: text, on: &canvas)
    }

    func drawPicture(in area: CellArea, on canvas: inout Canvas) -> CellArea? {
        guard let box = Self.box(in: area, geometry, on: canvas) else { return nil }
        PictureBox(context: context, photo: photo, anchor: geometry.isGrid ? .center : .leading)
            .draw(context.picture(of: photo, in: geometry), in: box, on: &canvas)
        return box
    }

    func drawSelection(rows: Int, in area: CellArea, on canvas: inout Canvas) {
        guard isSelected, canvas.margin > 0, area.columns > 1 else { return }
        let column = CellArea(column: area.column, row: area.row, columns: 1, rows: rows)
        for row in 0..<rows { canvas.put(canvas.marks[.selection], in: column, row: row, .accent) }
    }

    // MARK: Text

    /// Returns title, damage, maker, centre and date, licence, description; the title has further lines if there is room.
    ///
    /// An own file has its facts in place of maker, date and origin.
    func lines(in columns: Int, rows: Int, on canvas: Canvas) -> [Canvas.Piece] {
        guard columns > 0, rows > 0 else { return [] }
        let damage = context.damage(of: photo, in: geometry)
        var others = damage.map { [Canvas.Piece(canvas.clean($0, columns: columns), .warning)] } ?? []
        if let facts = context.facts(of: photo) {
            others += facts.map { Canvas.Piece(canvas.clean($0, columns: columns), .dim) }
        } else {
            others += [byline(columns: columns, on: canvas)].compactMap(\.self)
            let origin = context.formatter.origin(of: photo, []).map { canvas.clean($0, columns: columns) }
            others += origin.map { [Canvas.Piece($0, .dim)] } ?? []
        }
        let title = canvas.lines(
            of: isMarked ? canvas.marking(photo.title) : photo.title, columns: columns,
            limit: min(max(rows - others.count, 1), Self.titleLines))
        let role: ThemeRole = isSelected ? .selected : isMarked ? .good : .title
        var lines = title.map { Canvas.Piece($0, role, marking: pattern) }
        lines += others
        let room = min(rows - lines.count, isPreview ? .max : max(rows / 2 - 1, Self.descriptionLines))
        if room > 0, let description = photo.description {
            let text = canvas.lines(of: description, columns: columns, limit: room)
            lines += text.map { Canvas.Piece($0, .dim, marking: pattern) }
        }
        return Array(lines.prefix(rows))
    }

    /// The maker, the centre if there is room, and the date in the longest form that leaves room for the name.
    func byline(columns: Int, on canvas: Canvas) -> Canvas.Piece? {
        let formatter = context.formatter
        let kind = showsKind && photo.mediaType != .image ? [formatter.placeholder(for: photo)] : []
        let dates = hidesDate ? [] : formatter.dates(of: photo)
        // The shorter the date, the more remains of the name; the year is never cut off.
        func endings(_ center: [String]) -> [TerminalText] {
            (dates.isEmpty ? [[]] : dates.map { [$0] }).map { date in
                let text = (center + kind + date).joined(separator: RenderContext.separator)
                return TerminalText(cleaning: text).shown(in: canvas.glyphs)
            }
        }
        let center = formatter.center(besideMakerOf: photo)
        let withCenter = center.map { endings([$0]) } ?? []
        let endings = endings([])
        let year = dates.suffix(1).map { canvas.clean($0, columns: columns) }
        let alone = (endings + year).first { $0.width <= columns } ?? endings[endings.count - 1]
        guard let maker = formatter.maker(of: photo) else { return alone.isEmpty ? nil : .init(alone) }
        let name = canvas.clean(maker, columns: columns)
        let found = photo.namedMaker == nil ? nil : pattern
        if alone.isEmpty, withCenter.isEmpty { return .init(name, marking: found) }
        let separator = TerminalText(cleaning: RenderContext.separator).shown(in: canvas.glyphs)
        func room(beside ending: TerminalText) -> Int { columns - separator.width - ending.width }
        let ending =
            (withCenter + endings).first { room(beside: $0) >= name.width }
            ?? endings.first { room(beside: $0) >= Self.minMakerColumns }
        guard let ending else { return .init(alone) }
        guard ending.width > 0 else { return .init(name, marking: found) }
        var piece = Canvas.Piece(name.truncated(to: room(beside: ending), glyphs: canvas.glyphs), marking: found)
        piece.text = piece.text + separator + ending
        return piece
    }
}

/// The columns of a list of lines, after the titles: those that a photo on the screen or near it fills, as wide as their texts.
struct ListColumns {
    /// In their order on the screen.
    enum Kind: CaseIterable {
        case note, license, maker, camera, exposure, format, pixels, size, date

        var isNumber: Bool { self == .pixels || self == .size }
    }

    private(set) var shown: [(kind: Kind, columns: Int)] = []
    private let context: RenderContext
    /// The form of dates, of `PhotoFormatter.dates(of:)`.
    private var dateForm = 0

    private static let maxColumns = 28
    /// Between a title and its damage.
    static let gap = "  "
    /// A title has so many columns before others have any, or two fifths, if it needs them.
    private static let titleColumns = 24
    private static let titleShare = (part: 2, whole: 5)
    /// Columns in the order in which they are left out.
    private static let leastImportant: [Kind] = [
        .exposure, .format, .camera, .license, .maker, .pixels, .size, .note, .date,
    ]

    init(of photos: [Photo], in columns: Int, _ context: RenderContext, on canvas: Canvas) {
        self.context = context
        func width(_ kind: Kind) -> Int {
            let widths = photos.map { canvas.clean(text(kind, of: $0), columns: Self.maxColumns).width }
            return min(widths.max() ?? 0, Self.maxColumns)
        }
        shown = Kind.allCases.map { ($0, width($0)) }.filter { $0.columns > 0 }
        let longest = photos.map { canvas.clean($0.title, columns: columns).width }.max() ?? 0
        let share = columns * Self.titleShare.part / Self.titleShare.whole
        let title = min(longest, max(Self.titleColumns, share))
        func isTooWide() -> Bool { shown.reduce(title) { $0 + $1.columns + canvas.margins.gap } > columns }
        while isTooWide(), dateForm < 1, let index = shown.firstIndex(where: { $0.kind == .date }) {
            dateForm += 1
            shown[index].columns = width(.date)
        }
        for kind in Self.leastImportant where isTooWide() { shown.removeAll { $0.kind == kind } }
    }

    func text(_ kind: Kind, of photo: Photo) -> String {
        let isOwn = photo.file != nil
        let text: String? =
            switch kind {
            case .note:
                context.contents(of: photo)
                    ?? (photo.mediaType != .image ? context.formatter.placeholder(for: photo) : photo.unsupportedFormat)
                    // The folder, in a list of several.
                    ?? (isOwn ? photo.albums.first : nil)
            case .license: photo.license
            case .maker: isOwn ? nil : context.formatter.maker(of: photo)
            case .camera: photo.camera
            case .exposure: photo.exposure.flatMap { context.exposure($0) }
            case .format: photo.format
            case .pixels: isOwn ? context.pixels(of: photo) : nil
            case .size: context.byteCount(of: photo)
            case .date:
                context.formatter.dates(of: photo).enumerated().filter { $0.offset <= dateForm }.last?.element
            }
        return text ?? ""
    }

    /// Draws the texts of a photo at the end of its line; returns what is left for the title.
    ///
    /// Texts that would leave less than `needed` columns are left out.
    func draw(
        _ photo: Photo, in line: CellArea, leaving needed: Int, marking pattern: FuzzyPattern?, on canvas: inout Canvas
    ) -> CellArea {
        var rest = line
        for (kind, columns) in shown.reversed() {
            guard rest.columns - columns - canvas.margins.gap >= needed else { break }
            let column = rest.inset(left: rest.columns - columns)
            let found = kind == .maker && photo.namedMaker != nil ? pattern : nil
            let whole = canvas.clean(text(kind, of: photo), columns: columns)
            let text = whole.truncated(to: columns, glyphs: canvas.glyphs)
            let role: ThemeRole = kind == .maker ? .text : .dim
            canvas.put([.init(text, role, marking: found)], in: column, kind.isNumber ? .trailing : .leading)
            rest = rest.inset(right: columns + canvas.margins.gap)
        }
        return rest
    }
}

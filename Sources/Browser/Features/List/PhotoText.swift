internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The text of a photo beside or below its image.
struct PhotoText {
    let photo: Photo
    let formatter: PhotoFormatter
    /// Whether a film or a sound is named as such; not where the box of its image does.
    let showsKind: Bool
    /// The words of a filter, which are highlighted.
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
        var lines = title.map {
            Canvas.Piece($0, isSelected ? .selected : isMarked ? .good : .title, marking: pattern)
        }
        if let byline { lines.append(byline) }
        if let origin { lines.append(.init(origin, .dim)) }
        let room = min(rows - lines.count, max(rows / 2 - 1, Self.descriptionLines))
        if room > 0, let description = photo.description {
            lines += canvas.lines(of: description, columns: columns, limit: room)
                .map { Canvas.Piece($0, .dim, marking: pattern) }
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
        let alone =
            (endings + dates.suffix(1).map { canvas.clean($0, columns: columns) }).first { $0.width <= columns }
            ?? endings[endings.count - 1]
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

internal import SpyglassCatalog
internal import SpyglassTerminalUI

/// The lines that stand beside or below a small picture.
struct PhotoText {
    let photo: Photo
    let formatter: PhotoFormatter
    /// Whether it is said that this is a film or a sound; not where the box of its picture says so.
    let saysKind: Bool

    private static let titleLines = 3
    /// Lines of a description beside small pictures; beside large ones it may have half of them.
    private static let descriptionLines = 2
    private static let separator = " · "
    /// Columns that a maker needs beside a date: fewer would be no more than an initial.
    private static let narrowestMaker = 8

    /// Title, maker and date, centre, and the beginning of the description, the most important first.
    ///
    /// A title is given a second and a third line only where maker and centre still have theirs.
    func lines(in columns: Int, rows: Int, isSelected: Bool, on canvas: Canvas) -> [Canvas.Piece] {
        guard columns > 0, rows > 0 else { return [] }
        let byline = byline(columns: columns, on: canvas)
        let center = center(columns: columns, on: canvas)
        let others = (byline == nil ? 0 : 1) + (center == nil ? 0 : 1)
        let title = canvas.clean(photo.title, columns: columns, lines: Self.titleLines)
            .wrapped(to: columns, maxLines: min(max(rows - others, 1), Self.titleLines), glyphs: canvas.glyphs)
        var lines = title.map { Canvas.Piece($0, isSelected ? .selected : .title) }
        if let byline { lines.append(.init(byline)) }
        if let center { lines.append(.init(center, .dim)) }
        let room = min(rows - lines.count, max(rows / 2 - 1, Self.descriptionLines))
        if room > 0, let description = photo.description {
            lines += canvas.clean(description, columns: columns, lines: room)
                .wrapped(to: columns, maxLines: room, glyphs: canvas.glyphs).map { Canvas.Piece($0, .dim) }
        }
        return Array(lines.prefix(rows))
    }

    /// Maker and date in one line: a long maker is cut, so that the date stays whole.
    func byline(columns: Int, on canvas: Canvas) -> TerminalText? {
        let kind = saysKind && photo.mediaType != .image ? [formatter.placeholder(for: photo)] : []
        let date = formatter.date(of: photo)
        let maker = formatter.maker(of: photo)
        let rest = (kind + [date].compactMap(\.self)).joined(separator: Self.separator)
        let behind = canvas.clean(rest, columns: columns)
        guard let maker else { return behind.isEmpty ? nil : behind }
        let name = canvas.clean(maker, columns: columns)
        if behind.isEmpty { return name }
        let separator = TerminalText(cleaning: Self.separator).shown(in: canvas.glyphs)
        let room = columns - separator.width - behind.width
        guard room >= min(Self.narrowestMaker, name.width) else { return behind }
        return name.truncated(to: room, glyphs: canvas.glyphs) + separator + behind
    }

    /// The centre, unless it was named as the maker already.
    private func center(columns: Int, on canvas: Canvas) -> TerminalText? {
        guard let center = photo.center, !center.isEmpty, center != formatter.maker(of: photo) else { return nil }
        let text = canvas.clean(center, columns: columns)
        return text.isEmpty ? nil : text
    }
}

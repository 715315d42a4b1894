internal import SpyglassCatalog
internal import SpyglassTerminalUI

struct PhotoText {
    let photo: Photo
    let formatter: PhotoFormatter
    /// Whether a film or a sound is named as such; not where the box of its image does.
    let showsKind: Bool

    private static let titleLines = 3
    /// A description has at least these lines, at most half of all.
    private static let descriptionLines = 2
    private static let separator = " · "
    private static let minMakerColumns = 8

    /// Title, maker and date, centre and licence, description; these two lines come before a title's further lines.
    func lines(in columns: Int, rows: Int, isSelected: Bool, on canvas: Canvas) -> [Canvas.Piece] {
        guard columns > 0, rows > 0 else { return [] }
        let byline = byline(columns: columns, on: canvas)
        let origin = formatter.origin(of: photo, [photo.center]).map { canvas.clean($0, columns: columns) }
        let others = (byline == nil ? 0 : 1) + (origin == nil ? 0 : 1)
        let title = canvas.lines(of: photo.title, columns: columns, limit: min(max(rows - others, 1), Self.titleLines))
        var lines = title.map { Canvas.Piece($0, isSelected ? .selected : .title) }
        if let byline { lines.append(.init(byline)) }
        if let origin { lines.append(.init(origin, .dim)) }
        let room = min(rows - lines.count, max(rows / 2 - 1, Self.descriptionLines))
        if room > 0, let description = photo.description {
            lines += canvas.lines(of: description, columns: columns, limit: room).map { Canvas.Piece($0, .dim) }
        }
        return Array(lines.prefix(rows))
    }

    private func byline(columns: Int, on canvas: Canvas) -> TerminalText? {
        let kind = showsKind && photo.mediaType != .image ? [formatter.placeholder(for: photo)] : []
        let date = formatter.date(of: photo)
        let maker = formatter.maker(of: photo)
        let rest = (kind + [date].compactMap(\.self)).joined(separator: Self.separator)
        let behind = canvas.clean(rest, columns: columns)
        guard let maker else { return behind.isEmpty ? nil : behind }
        let name = canvas.clean(maker, columns: columns)
        if behind.isEmpty { return name }
        let separator = TerminalText(cleaning: Self.separator).shown(in: canvas.glyphs)
        let room = columns - separator.width - behind.width
        guard room >= min(Self.minMakerColumns, name.width) else { return behind }
        return name.truncated(to: room, glyphs: canvas.glyphs) + separator + behind
    }
}

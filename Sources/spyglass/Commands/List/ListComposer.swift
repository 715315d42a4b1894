import SpyglassCatalog
import SpyglassPixels
import SpyglassTerminalUI

struct ListComposer: Sendable {
    private let layout: ListLayout
    private let formatter: PhotoFormatter
    private var composer: StreamComposer

    private static let titleLines = 2
    /// Lines of text beside a lower image, and of an item without an image.
    private static let minLines = 5
    private static let minMakerColumns = 8

    init(_ layout: ListLayout, _ formatter: PhotoFormatter, _ renderer: ImageRenderer) {
        self.layout = layout
        self.formatter = formatter
        composer = StreamComposer(renderer)
    }

    /// Throws what the encoders of a pixel protocol throw; then nothing is composed.
    mutating func item(_ photo: Photo, _ thumbnail: Thumbnail) throws -> TerminalBytes {
        if !layout.hasImages {
            add(text(of: photo, thumbnail, columns: layout.textColumns, lines: Self.minLines))
        } else if layout.isStacked {
            try composer.append([image(of: photo, thumbnail).tile])
            add(text(of: photo, thumbnail, columns: layout.textColumns, lines: Self.minLines))
        } else {
            let (tile, rows) = image(of: photo, thumbnail)
            let lines = text(of: photo, thumbnail, columns: layout.textColumns, lines: max(rows, Self.minLines))
            try composer.append([tile, StreamTile(lines, column: layout.imageBox.columns + ListLayout.gap)])
        }
        composer.endLine()
        return composer.take()
    }

    /// The image or its placeholder, and its rows.
    private func image(of photo: Photo, _ thumbnail: Thumbnail) -> (tile: StreamTile, rows: Int) {
        if case .image(let image, _, _) = thumbnail { return (StreamTile(image), composer.rowCount(of: image.size)) }
        let box = placeholder(for: photo, thumbnail)
        return (StreamTile(box.map { [StyledText($0, .dim)] }), box.count)
    }

    private mutating func add(_ lines: [[StyledText]]) {
        for line in lines {
            for span in line { composer.append(span.text, span.style) }
            composer.endLine()
        }
    }

    // MARK: Text

    /// Title, maker and date, centre, location and licence, and as much of the description as fits.
    private func text(of photo: Photo, _ thumbnail: Thumbnail, columns: Int, lines limit: Int) -> [[StyledText]] {
        var lines: [[StyledText]] = []
        func add(_ text: String, _ style: TextStyle, atMost count: Int) {
            let room = min(count, limit - lines.count)
            guard room > 0 else { return }
            let wrapped = TerminalText(cleaning: text).wrapped(to: columns, maxLines: room, glyphs: composer.glyphs)
            lines += wrapped.map { [StyledText($0, style)] }
        }
        add(photo.title, .bold, atMost: Self.titleLines)
        if lines.count < limit { lines += byline(of: photo, columns: columns).map { [StyledText($0)] } }
        add(origin(of: photo, thumbnail), .dim, atMost: 1)
        add(photo.description ?? "", .plain, atMost: limit)
        return lines
    }

    /// Maker and date in one line; a long maker is truncated, never the date.
    private func byline(of photo: Photo, columns: Int) -> [TerminalText] {
        let separator: TerminalText = " · "
        let date = TerminalText(cleaning: formatter.date(of: photo) ?? "").shown(in: composer.glyphs)
        let maker = TerminalText(cleaning: formatter.maker(of: photo) ?? "")
        let room = columns - (date.isEmpty ? 0 : separator.width + date.width)
        guard !maker.isEmpty, room >= Self.minMakerColumns else {
            // Beside the date only an initial of the maker would fit.
            return [maker, date].filter { !$0.isEmpty }.map { $0.truncated(to: columns, glyphs: composer.glyphs) }
        }
        let cut = maker.truncated(to: room, glyphs: composer.glyphs)
        return [date.isEmpty ? cut : cut + separator + date]
    }

    /// The centre, the location and the licence, unless already shown; preceded by a note on a stale image.
    private func origin(of photo: Photo, _ thumbnail: Thumbnail) -> String {
        var texts = [formatter.origin(of: photo, [photo.center, photo.location])]
        if case .image(_, _, isStale: true) = thumbnail { texts.insert(formatter.outOfDate, at: 0) }
        return texts.compactMap(\.self).joined(separator: " · ")
    }

    // MARK: Placeholders

    /// A frame in the size of an image, with the reason in its middle.
    private func placeholder(for photo: Photo, _ thumbnail: Thumbnail) -> [TerminalText] {
        let columns = layout.imageBox.columns
        let rows = layout.imageBox.rows
        let reason = reason(for: photo, thumbnail)
        guard columns >= 5, rows >= 3 else {
            return [TerminalText(cleaning: reason).truncated(to: columns, glyphs: composer.glyphs)]
        }
        let inner = columns - 2
        let words = TerminalText(cleaning: reason).wrapped(to: inner - 2, maxLines: rows - 2, glyphs: composer.glyphs)
        let frame = Frame(composer.glyphs)
        let above = (rows - 2 - words.count) / 2
        let middle = (0..<rows - 2).map { row -> TerminalText in
            let word = words.indices.contains(row - above) ? words[row - above] : ""
            let left = (inner - word.width) / 2
            return frame.side + Self.spaces(left) + word + Self.spaces(inner - left - word.width) + frame.side
        }
        return [frame.top(inner)] + middle + [frame.bottom(inner)]
    }

    private func reason(for photo: Photo, _ thumbnail: Thumbnail) -> String {
        switch thumbnail {
        case .image, .absent: return formatter.placeholder(for: photo)
        case .failed: return formatter.imageFailed
        }
    }

    private static func spaces(_ count: Int) -> TerminalText { TerminalText(cleaning: "").padded(to: count) }
}

private struct Frame {
    private let corners: (String, String, String, String)
    private let across: Character
    let side: TerminalText

    init(_ glyphs: GlyphSet) {
        switch glyphs {
        case .utf8: (corners, across, side) = (("┌", "┐", "└", "┘"), "─", "│")
        case .ascii: (corners, across, side) = (("+", "+", "+", "+"), "-", "|")
        }
    }

    func top(_ columns: Int) -> TerminalText { line(corners.0, columns, corners.1) }

    func bottom(_ columns: Int) -> TerminalText { line(corners.2, columns, corners.3) }

    private func line(_ left: String, _ columns: Int, _ right: String) -> TerminalText {
        TerminalText(cleaning: left + String(repeating: across, count: columns) + right)
    }
}

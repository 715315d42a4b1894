import SpyglassCatalog
import SpyglassPixels
import SpyglassTerminalUI

/// Composes the items of a list.
struct ListComposer: Sendable {
    private let layout: ListLayout
    private let formatter: PhotoFormatter
    private var composer: StreamComposer

    /// Lines of a title.
    private static let titleLines = 2
    /// Lines of text beside a picture that is lower than them; the whole text of an item without a picture.
    private static let fewestLines = 5
    /// Columns that a maker needs beside a date.
    private static let narrowestMaker = 8

    /// A composer of items in this layout.
    init(_ layout: ListLayout, _ formatter: PhotoFormatter, _ blocks: HalfBlock) {
        self.layout = layout
        self.formatter = formatter
        composer = StreamComposer(blocks)
    }

    /// One item with the blank line behind it, for one write.
    mutating func item(_ photo: Photo, _ thumbnail: Thumbnail) -> TerminalBytes {
        if !layout.hasPictures {
            add(text(of: photo, thumbnail, columns: layout.textColumns, lines: Self.fewestLines))
        } else if layout.isStacked {
            addStacked(photo, thumbnail)
        } else {
            addBeside(photo, thumbnail)
        }
        composer.endLine()
        return composer.take()
    }

    // MARK: Where things stand

    private mutating func addBeside(_ photo: Photo, _ thumbnail: Thumbnail) {
        guard case .picture(let picture, _, _) = thumbnail else {
            let box = placeholder(for: photo, thumbnail)
            let lines = text(of: photo, thumbnail, columns: layout.textColumns, lines: max(box.count, Self.fewestLines))
            for row in 0..<max(box.count, lines.count) {
                var used = 0
                if row < box.count {
                    composer.append(box[row], .dim)
                    used = box[row].width
                }
                if row < lines.count {
                    composer.append(gap: layout.place.columns - used + ListLayout.gap)
                    for piece in lines[row] { composer.append(piece.text, piece.style) }
                }
                composer.endLine()
            }
            return
        }
        let rows = HalfBlock.rowCount(of: picture.size)
        let lines = text(of: photo, thumbnail, columns: layout.textColumns, lines: max(rows, Self.fewestLines))
        composer.append(picture, columns: layout.place.columns, gap: ListLayout.gap, beside: lines)
    }

    private mutating func addStacked(_ photo: Photo, _ thumbnail: Thumbnail) {
        if case .picture(let picture, _, _) = thumbnail {
            composer.append(picture, columns: layout.place.columns, gap: 0, beside: [])
        } else {
            for line in placeholder(for: photo, thumbnail) {
                composer.append(line, .dim)
                composer.endLine()
            }
        }
        add(text(of: photo, thumbnail, columns: layout.textColumns, lines: Self.fewestLines))
    }

    private mutating func add(_ lines: [[StyledText]]) {
        for line in lines {
            for piece in line { composer.append(piece.text, piece.style) }
            composer.endLine()
        }
    }

    // MARK: Text

    /// Title, maker and date, centre and place, and as much of the description as there is room for.
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

    /// Maker and date in one line: a long maker is cut, so that the date stays whole.
    private func byline(of photo: Photo, columns: Int) -> [TerminalText] {
        let separator: TerminalText = " · "
        let date = TerminalText(cleaning: formatter.date(of: photo) ?? "").shown(in: composer.glyphs)
        let maker = TerminalText(cleaning: formatter.maker(of: photo) ?? "")
        let room = columns - (date.isEmpty ? 0 : separator.width + date.width)
        guard !maker.isEmpty, room >= Self.narrowestMaker else {
            // A maker beside the date would be no more than an initial.
            return [maker, date].filter { !$0.isEmpty }.map { $0.truncated(to: columns, glyphs: composer.glyphs) }
        }
        let cut = maker.truncated(to: room, glyphs: composer.glyphs)
        return [date.isEmpty ? cut : cut + separator + date]
    }

    /// The centre and the location, without what stands in the text already; first, that the picture may be out of date.
    private func origin(of photo: Photo, _ thumbnail: Thumbnail) -> String {
        var said = [formatter.maker(of: photo).map { TerminalText(cleaning: $0) }]
        for place in [photo.center, photo.location] {
            let place = place.map { TerminalText(cleaning: $0) }
            if place?.isEmpty == false, !said.contains(place) { said.append(place) }
        }
        var words = said.dropFirst().compactMap { $0?.string }
        if case .picture(_, _, isStale: true) = thumbnail { words.insert(formatter.outOfDate, at: 0) }
        return words.joined(separator: " · ")
    }

    // MARK: Placeholders

    /// A frame as large as a picture with the reason in its middle.
    private func placeholder(for photo: Photo, _ thumbnail: Thumbnail) -> [TerminalText] {
        let columns = layout.place.columns
        let rows = layout.place.rows
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
        case .picture, .absent: return formatter.placeholder(for: photo)
        case .failed: return formatter.pictureFailed
        }
    }

    private static func spaces(_ count: Int) -> TerminalText {
        TerminalText(cleaning: "").padded(to: count)
    }
}

/// The lines around a placeholder.
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

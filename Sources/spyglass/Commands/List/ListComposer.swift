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

    /// Throws an error of a pixel protocol's encoder; then nothing is composed.
    mutating func item(_ photo: Photo, _ thumbnail: Thumbnail) throws -> TerminalBytes {
        if layout.hasImages, !layout.isStacked {
            let (tile, rows) = image(of: photo, thumbnail)
            let lines = text(of: photo, thumbnail, lines: max(rows, Self.minLines))
            try composer.append([tile, StreamTile(lines, column: layout.imageBox.columns + ListLayout.gap)])
        } else {
            if layout.hasImages { try composer.append([image(of: photo, thumbnail).tile]) }
            for line in text(of: photo, thumbnail, lines: Self.minLines) {
                for span in line { composer.append(span.text, span.style) }
                composer.endLine()
            }
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

    /// Title, maker and date, centre, location and licence, and the part of the description that fits.
    private func text(of photo: Photo, _ thumbnail: Thumbnail, lines limit: Int) -> [[StyledText]] {
        let columns = layout.textColumns
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

    /// Maker and date in one line; truncates a long maker, never the date.
    private func byline(of photo: Photo, columns: Int) -> [TerminalText] {
        let separator: TerminalText = " · "
        let date = TerminalText(cleaning: formatter.date(of: photo) ?? "").shown(in: composer.glyphs)
        let maker = TerminalText(cleaning: formatter.maker(of: photo) ?? "")
        let room = columns - (date.isEmpty ? 0 : separator.width + date.width)
        guard !maker.isEmpty, room >= Self.minMakerColumns else {
            // Only an initial of the maker would fit beside the date.
            return [maker, date].filter { !$0.isEmpty }.map { $0.truncated(to: columns, glyphs: composer.glyphs) }
        }
        let cut = maker.truncated(to: room, glyphs: composer.glyphs)
        return [date.isEmpty ? cut : cut + separator + date]
    }

    /// The centre, the location and the licence, unless already shown; preceded by a note on a stale image.
    private func origin(of photo: Photo, _ thumbnail: Thumbnail) -> String {
        let location = photo.location == photo.center ? nil : photo.location
        var texts = [formatter.origin(of: photo, [formatter.center(of: photo), location])]
        if case .image(_, _, isStale: true) = thumbnail { texts.insert(formatter.outOfDate, at: 0) }
        return texts.compactMap(\.self).joined(separator: " · ")
    }

    /// A frame in the size of an image, with the reason in its middle.
    private func placeholder(for photo: Photo, _ thumbnail: Thumbnail) -> [TerminalText] {
        let (columns, rows) = (layout.imageBox.columns, layout.imageBox.rows)
        let reason = if case .failed = thumbnail { formatter.imageFailed } else { formatter.placeholder(for: photo) }
        guard columns >= 5, rows >= 3 else {
            return [TerminalText(cleaning: reason).truncated(to: columns, glyphs: composer.glyphs)]
        }
        let inner = columns - 2
        let words = TerminalText(cleaning: reason).wrapped(to: inner - 2, maxLines: rows - 2, glyphs: composer.glyphs)
        let symbols = composer.glyphs == .utf8 ? ["┌", "─", "┐", "│", "└", "┘"] : ["+", "-", "+", "|", "+", "+"]
        let across = String(repeating: symbols[1], count: inner)
        let side = TerminalText(cleaning: symbols[3])
        let above = (rows - 2 - words.count) / 2
        let middle = (0..<rows - 2).map { row -> TerminalText in
            let word = words.indices.contains(row - above) ? words[row - above] : ""
            let left = TerminalText(cleaning: "").padded(to: (inner - word.width) / 2)
            return side + (left + word).padded(to: inner) + side
        }
        let (top, bottom) = (symbols[0] + across + symbols[2], symbols[4] + across + symbols[5])
        return [TerminalText(cleaning: top)] + middle + [TerminalText(cleaning: bottom)]
    }
}

/// The layout of a list: the image on the left, its text on the right.
///
/// The box of images has a third as many rows as columns, so that a 3:2 photograph fills it. On a narrow screen the text
/// is below the image. The last column stays empty: some terminals wrap there.
struct ListLayout: Sendable {
    let imageBox: CellSize
    let textColumns: Int
    let hasImages, isStacked: Bool
    static let gap = 2
    /// Screens with fewer columns have no room for text beside an image.
    private static let minColumns = 50
    /// Columns of an image beside text; its height is at most half of the screen, so that several items are visible.
    private static let imageColumns = 18...60
    private static let maxTextColumns = 72

    /// A layout for a screen of this size; without images, text takes its full width.
    init(screen: CellSize, hasImages: Bool = true) {
        self.hasImages = hasImages
        let usable = max(screen.columns - 1, 1)
        let maxRows = max(screen.rows / 2, 3)
        isStacked = screen.columns < Self.minColumns
        if isStacked {
            // Nothing is beside the image, so a square one may fill its box.
            let columns = min(usable, Self.minColumns / 2, 2 * maxRows)
            imageBox = CellSize(clamping: columns, columns / 2)
        } else {
            let preferred = max(screen.columns * 7 / 20, usable - Self.gap - Self.maxTextColumns)
            let columns = min(max(preferred, Self.imageColumns.lowerBound), Self.imageColumns.upperBound, 3 * maxRows)
            imageBox = CellSize(clamping: columns, columns / 3)
        }
        textColumns =
            isStacked || !hasImages ? usable : max(min(usable - imageBox.columns - Self.gap, Self.maxTextColumns), 1)
    }
}

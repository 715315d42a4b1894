internal import SpyglassPixels
internal import SpyglassTerminalUI

/// Where one photo in full and its text are; the view mirrors it for right-to-left.
///
/// The text is below the picture or beside it, whichever leaves the larger picture. It is never smaller than in the grid.
struct DetailGeometry: Hashable, Sendable {
    enum Content {
        case pictureAndText
        /// Full screen: all rows but the last, if there are more than two.
        case picture
        /// All rows but one line of text: a photo that is enlarged, or whose facts fit the line.
        case enlarged
        case text
    }

    /// The area for the picture, which touches two of its sides, and the area that the whole picture covers.
    let picture: CellArea?
    let covered: CellArea?
    let text: CellArea?
    let isBeside: Bool
    let box: CellSize?
    /// Columns after the text; the last has the scroll marks.
    static let marks = 2
    /// The width of a picture by its height, while its size is unknown.
    static let defaultRatio = 4.0 / 3
    static let ratios = 0.01...100.0
    /// The minimum columns for more than one line of text below the picture, and for text beside it.
    private static let wide = 90
    private static let minTextColumns = 30
    private static let readable = 76
    private static let readableBelow = 96
    private static let maxLinesBelow = 8
    private static let rowsPerLine = 6
    private static let gap = 2

    init(
        _ traits: TerminalTraits, _ preferences: Preferences, showsImages: Bool, ratio: Double?,
        content: Content = .pictureAndText
    ) {
        let screen = traits.size
        let rows = FrameRows.content(of: screen)
        let inner = Self.inner(of: screen)
        let fit = PictureFit(ImageRenderer.Options(traits, isFull: true), ratio ?? Self.defaultRatio)
        let minLines = min(ListGeometry.captionRows(in: rows), screen.columns < Self.wide ? 1 : .max)
        var places: Places = (nil, nil, false)
        if !showsImages {
            places.text = inner.first(Self.readable)
        } else if content == .picture {
            places.picture = CellArea(screen).inset(bottom: screen.rows > 2 ? 1 : 0)
        } else if content == .enlarged {
            let area = rows.inset(bottom: min(minLines, 1))
            places = (area, inner.inset(top: area.rows), false)
        } else {
            func below(_ lines: Int) -> Places { Self.below(rows, inner, lines: lines, fit) }
            places = below(minLines)
            if screen.columns >= Self.wide {
                let lines = min(max(rows.rows / Self.rowsPerLine, minLines), Self.maxLinesBelow)
                let (lower, beside) = (below(lines), Self.beside(inner, fit))
                let best = fit.cells(lower.picture) < fit.cells(beside.picture) ? beside : lower
                let grid = ListGeometry(screen: screen, preferences: preferences, showsImages: true)
                if fit.cells(best.picture) >= fit.cells(grid.thumbnail.map { CellArea($0) }) { places = best }
            }
        }
        box = places.picture.map { CellSize(clamping: $0.columns, $0.rows) }
        isBeside = places.isBeside
        guard content != .text, let area = places.picture else {
            (picture, covered) = (nil, nil)
            text = inner.isEmpty ? nil : inner.first(Self.readable)
            return
        }
        picture = area
        covered = fit.covered(area, isAtTop: isBeside)
        text = places.text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The area of texts, also of one line.
    static func inner(of screen: CellSize) -> CellArea {
        let margin = screen.columns < 10 ? 0 : screen.columns < 40 ? 1 : 2
        return FrameRows.content(of: screen).inset(left: margin, right: screen.columns < 10 ? 0 : marks)
    }

    /// Whether the text is one line, which does not scroll.
    var isLine: Bool { picture != nil && text?.rows == 1 }

    private typealias Places = (picture: CellArea?, text: CellArea?, isBeside: Bool)

    /// The picture over all columns; the text has `lines` rows, and those that the picture leaves.
    private static func below(_ rows: CellArea, _ inner: CellArea, lines: Int, _ fit: PictureFit) -> Places {
        var area = rows.inset(bottom: lines)
        area.rows = fit.size(in: area).rows
        let rest = rows.rows - area.rows
        let text = inner.inset(top: area.rows + (rest > max(lines, 1) ? 1 : 0)).first(readableBelow)
        return (area, text, false)
    }

    /// The picture over all rows; the text has the columns that it leaves, as many as are good to read.
    private static func beside(_ inner: CellArea, _ fit: PictureFit) -> Places {
        var area = inner.inset(right: minTextColumns + gap)
        area.columns = max(fit.size(in: area).columns, inner.columns - gap - readable)
        return (area, inner.inset(left: area.columns + gap), true)
    }
}

/// The cells that a picture covers in a box, as the browser draws one photo in full.
private struct PictureFit {
    let options: ImageRenderer.Options
    let ratio: Double

    init(_ options: ImageRenderer.Options, _ ratio: Double) {
        self.options = options
        let limits = DetailGeometry.ratios
        let known = ratio.isNaN ? DetailGeometry.defaultRatio : ratio
        self.ratio = min(max(known, limits.lowerBound), limits.upperBound) / options.pixelAspect
    }

    func size(in box: CellArea) -> CellSize {
        let pixels = options.pixelBox(for: CellSize(clamping: box.columns, box.rows))
        let height = min(Double(pixels.height), Double(pixels.width) / ratio)
        let width = min(max(Int((height * ratio).rounded()), 1), pixels.width)
        var size = PixelSize(width: width, height: min(max(Int(height.rounded()), 1), pixels.height))
        if let grid = options.mode.symbols?.grid { size = size.rounded(to: grid) }
        let cells = options.cells(of: size)
        return CellSize(clamping: min(cells.columns, max(box.columns, 1)), min(cells.rows, max(box.rows, 1)))
    }

    func covered(_ area: CellArea, isAtTop: Bool) -> CellArea {
        let size = size(in: area)
        return CellArea(
            column: area.column + (area.columns - size.columns) / 2,
            row: area.row + (isAtTop ? 0 : (area.rows - size.rows) / 2), columns: size.columns, rows: size.rows)
    }

    func cells(_ area: CellArea?) -> Int {
        guard let area, !area.isEmpty else { return 0 }
        let size = size(in: area)
        return size.columns * size.rows
    }
}

/// The rows of header, footer and, if there is room, a blank row below the header.
enum FrameRows {
    private static let minRows = 5
    /// The minimum rows for the blank row: those of a standard terminal.
    private static let spacious = 24

    static func areShown(on screen: CellSize) -> Bool { screen.rows >= minRows }

    static func content(of screen: CellSize) -> CellArea {
        guard areShown(on: screen) else { return CellArea(screen) }
        return CellArea(screen).inset(top: screen.rows >= spacious ? 2 : 1, bottom: 1)
    }
}

internal import SpyglassTerminalUI

/// A grid to draw on, with the theme, the printable characters and the direction of lines.
///
///     canvas.put(title, in: area, row: 0, .title)
///     canvas.put(count, in: area, row: 0, .dim, .trailing)
///
/// Areas count from the leading edge: right-to-left, the canvas mirrors the columns. The text of one piece keeps its logical order.
/// Every text is cut off at its area, between graphemes.
struct Canvas {
    private(set) var frame: BrowserFrame
    let styles: ThemeStyles
    let marks: ThemeSymbols
    let margins: ThemeMargins
    let glyphs: GlyphSet
    let isRightToLeft: Bool
    /// Whether only text is drawn, for screen readers.
    let isPlain: Bool
    let framesPanels: Bool
    var clip: CellArea

    enum Alignment { case leading, center, trailing }

    struct Piece {
        var text: TerminalText
        var role: ThemeRole
        /// The parts that match a filter, as ranges of UTF-8.
        var found: [Range<Int>] = []
        var target: ClickTarget?

        init(
            _ text: TerminalText, _ role: ThemeRole = .text, _ target: ClickTarget? = nil,
            marking pattern: FuzzyPattern? = nil
        ) {
            (self.text, self.role, self.target) = (text, role, target)
            found = pattern?.ranges(in: text.string) ?? []
        }
    }

    init(size: CellSize, sheet: ThemeSheet, traits: TerminalTraits, isRightToLeft: Bool, showsImages: Bool) {
        frame = BrowserFrame(grid: CellGrid(size: size))
        styles = sheet.styles(at: traits.depth)
        isPlain = !showsImages || traits.glyphs == .ascii
        framesPanels = showsImages
        // A screen reader would name blocks and Braille patterns.
        marks = sheet.marks(in: isPlain ? .ascii : traits.glyphs)
        margins = sheet.margins
        glyphs = traits.glyphs
        self.isRightToLeft = isRightToLeft
        clip = CellArea(size)
    }

    var size: CellSize { frame.grid.size }
    var area: CellArea { frame.grid.area }
    /// The area of texts, and the columns before it.
    var content: CellArea { ListGeometry.inner(of: size, margins) }
    var margin: Int { margins.leading(on: size.columns) }
}

// MARK: - Text

extension Canvas {
    /// More than any grapheme in use has; bounds the cost of hostile text.
    private static let scalarsPerColumn = 4

    func clean(_ text: String, columns: Int, lines: Int = 1) -> TerminalText {
        let columns = min(max(columns, 1), CellSize.largestSide)
        let limit = columns * min(max(lines, 1), CellSize.largestSide) * Self.scalarsPerColumn
        return TerminalText(cleaning: text, limit: limit).shown(in: glyphs)
    }

    func marking(_ title: String) -> String { marks[.marked].string + " " + title }

    /// Returns a value that arrows change, with symbols on each side while it is chosen.
    func stepping(_ value: TerminalText, isChosen: Bool) -> [Piece] {
        guard isChosen else { return [Piece("  "), Piece(value)] }
        let (before, after) = isRightToLeft ? (marks[.next], marks[.previous]) : (marks[.previous], marks[.next])
        return [Piece(before + " ", .accent), Piece(value, .selected), Piece(" " + after, .accent)]
    }

    func lines(of text: String, columns: Int, limit: Int) -> [TerminalText] {
        clean(text, columns: columns, lines: limit).wrapped(to: columns, maxLines: limit, glyphs: glyphs)
    }

    mutating func put(
        cleaning text: String, in area: CellArea, row: Int = 0, _ role: ThemeRole = .text,
        _ alignment: Alignment = .leading
    ) {
        put(clean(text, columns: area.columns), in: area, row: row, role, alignment)
    }

    @discardableResult
    mutating func put(
        _ text: TerminalText, in area: CellArea, row: Int = 0, _ role: ThemeRole = .text,
        _ alignment: Alignment = .leading
    ) -> Int {
        put(text, in: area, row: row, style: styles[role], alignment)
    }

    @discardableResult
    mutating func put(
        _ text: TerminalText, in area: CellArea, row: Int = 0, style: CellStyle, _ alignment: Alignment = .leading
    ) -> Int {
        guard (0..<area.rows).contains(row), area.columns > 0 else { return 0 }
        let text = (isRightToLeft ? text.withSpacesMirrored : text).truncated(to: area.columns, glyphs: glyphs)
        let room = area.columns - text.width
        let before =
            switch alignment {
            case .leading: 0
            case .center: room / 2
            case .trailing: room
            }
        let line = CellArea(column: area.column + before, row: area.row + row, columns: text.width, rows: 1)
        let mirrored = mirrored(line)
        frame.grid.put(
            text, at: CellPosition(column: mirrored.column, row: mirrored.row), in: style, clip: visible(line))
        return text.width
    }

    /// Puts pieces one after the other, as many as fit; returns the columns that they take.
    @discardableResult
    mutating func put(_ pieces: [Piece], in area: CellArea, row: Int = 0, _ alignment: Alignment = .leading) -> Int {
        var used = 0
        var rest = area
        if alignment != .leading {
            let room = area.columns - pieces.reduce(0) { $0 + $1.text.width }
            rest = rest.inset(left: max(alignment == .center ? room / 2 : room, 0))
        }
        for piece in pieces {
            let columns = put(piece.text, in: rest, row: row, piece.role)
            mark(piece.found, of: piece.text, in: rest.first(columns), row: row)
            rest = rest.inset(left: columns)
            used += columns
            // A piece after a truncated one would read as a part of it.
            if columns < piece.text.width { break }
        }
        return used
    }

    /// Marks parts of a text that has been put at the start of an area; the text's own order of columns is from left to right.
    private mutating func mark(_ found: [Range<Int>], of text: TerminalText, in area: CellArea, row: Int) {
        guard !found.isEmpty, !area.isEmpty else { return }
        let start = mirrored(area).column
        let bytes = text.string.utf8
        func columns(before byte: Int) -> Int {
            TerminalText(cleaning: String(text.string[..<bytes.index(bytes.startIndex, offsetBy: byte)])).width
        }
        for range in found {
            let first = columns(before: range.lowerBound)
            let last = min(columns(before: range.upperBound), area.columns)
            guard first < last else { continue }
            let part = CellArea(column: start + first, row: area.row + row, columns: last - first, rows: 1)
            frame.grid.restyle(part.intersection(mirrored(clip))) { $0 = styles[.match] }
        }
    }
}

// MARK: - The mouse

extension Canvas {
    mutating func setTarget(_ target: ClickTarget, in area: CellArea, row: Int? = nil) {
        var area = area
        if let row {
            guard (0..<area.rows).contains(row) else { return }
            area.row += row
            area.rows = 1
        }
        let visible = visible(area)
        if !visible.isEmpty { frame.targets.append((visible, target)) }
    }

    mutating func setLink(to address: String, in area: CellArea, row: Int) {
        guard (0..<area.rows).contains(row) else { return }
        let line = visible(CellArea(column: area.column, row: area.row + row, columns: area.columns, rows: 1))
        frame.grid.link = CellLink(line, to: address)
    }

    /// Marks at the trailing edge that there is more text above or below; a click turns a page.
    mutating func putScrollMarks(isMoreAbove: Bool, isMoreBelow: Bool, in area: CellArea) {
        let edge = area.inset(left: area.columns - 1)
        for (isMore, mark, row, action) in [
            (isMoreAbove, marks[.less], 0, Action.pageUp), (isMoreBelow, marks[.more], area.rows - 1, .pageDown),
        ] where isMore {
            put(mark, in: edge, row: row, .accent)
            setTarget(.action(action), in: edge, row: row)
        }
    }
}

extension CellArea {
    var firstRow: CellArea { CellArea(column: column, row: row, columns: columns, rows: min(rows, 1)) }

    func first(_ columns: Int) -> CellArea {
        CellArea(column: column, row: row, columns: min(columns, self.columns), rows: rows)
    }
}

// MARK: - Areas

extension Canvas {
    mutating func fill(_ area: CellArea, _ role: ThemeRole) { frame.grid.fill(visible(area), with: styles[role]) }

    /// Swaps the colours of an area.
    mutating func invert(_ area: CellArea) { frame.grid.restyle(visible(area)) { $0.attributes.insert(.reverse) } }

    mutating func fill(_ area: CellArea, with mark: TerminalText, _ role: ThemeRole) {
        let part = visible(area)
        guard mark.width == 1 else { return }
        for row in part.row..<part.endRow {
            for column in part.column..<part.endColumn {
                frame.grid.put(mark, at: CellPosition(column: column, row: row), in: styles[role], clip: part)
            }
        }
    }

    enum Anchor {
        case center, top
        /// Beside its text: it begins where the header does.
        case leading
    }

    mutating func put(_ image: CellImage, in box: CellArea, _ anchor: Anchor = .center) {
        let (columns, rows) = (max(box.columns - image.columns, 0), max(box.rows - image.rows, 0))
        let (before, above) =
            switch anchor {
            case .center: (columns / 2, rows / 2)
            case .top: (columns / 2, 0)
            case .leading: (0, rows / 2)
            }
        let area = CellArea(column: box.column + before, row: box.row + above, columns: image.columns, rows: image.rows)
        let mirrored = mirrored(area)
        frame.grid.put(image, at: CellPosition(column: mirrored.column, row: mirrored.row), clip: visible(box))
    }

    /// Shows the cursor in a text, which is in the grid from left to right.
    mutating func setCursor(beforeText columns: Int, ofTextIn area: CellArea, row: Int = 0) {
        let mirrored = mirrored(area)
        let position = CellPosition(column: mirrored.column + columns, row: mirrored.row + row)
        frame.grid.cursor = self.area.contains(position) ? position : nil
    }

    /// Takes cursor and click targets from what is behind a panel, which otherwise stays as it is.
    mutating func deactivate() {
        frame.grid.cursor = nil
        frame.targets = []
    }

    private func visible(_ area: CellArea) -> CellArea { mirrored(area.intersection(clip)) }

    private func mirrored(_ area: CellArea) -> CellArea {
        guard isRightToLeft else { return area }
        var mirrored = area
        mirrored.column = frame.grid.size.columns - area.endColumn
        return mirrored
    }
}

extension TerminalText {
    /// Swaps leading and trailing spaces, which are gaps to neighbours.
    fileprivate var withSpacesMirrored: TerminalText {
        guard string.first == " " || string.last == " " else { return self }
        let before = string.prefix { $0 == " " }
        let rest = string.dropFirst(before.count)
        let after = rest.reversed().prefix { $0 == " " }.count
        return TerminalText(cleaning: String(repeating: " ", count: after) + rest.dropLast(after) + before)
    }
}

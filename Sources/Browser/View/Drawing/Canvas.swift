internal import SpyglassTerminalUI

/// A grid to draw on that knows the theme, the characters that may be printed, and where lines begin.
///
///     canvas.put(title, in: area, row: 0, .title)
///     canvas.put(count, in: area, row: 0, .dim, .trailing)
///
/// Areas are counted from the leading edge: where lines begin at the right, the canvas mirrors the columns, so that no view speaks
/// of left and right. The text of one piece stands in the grid in logical order. Everything is cut off at its area, at a grapheme.
struct Canvas {
    private(set) var frame: BrowserFrame
    let styles: ThemeStyles
    let marks: ThemeMarks
    let margins: ThemeMargins
    let glyphs: GlyphSet
    let isRightToLeft: Bool
    /// Whether nothing is drawn but text, for whoever has the screen read out.
    let isPlain: Bool
    /// Whether panels have lines around them; characters that cannot be printed are no reason for none.
    let framesPanels: Bool
    /// What nothing is drawn outside of, so that things stand where they belong though a part of them is not on the screen.
    var clip: CellArea

    /// Where a short text stands in its area.
    enum Alignment {
        case leading, center, trailing
    }

    /// A piece of a line.
    struct Piece {
        var text: TerminalText
        var role: ThemeRole

        init(_ text: TerminalText, _ role: ThemeRole = .text) {
            self.text = text
            self.role = role
        }
    }

    init(size: CellSize, sheet: ThemeSheet, traits: TerminalTraits, isRightToLeft: Bool, showsImages: Bool) {
        frame = BrowserFrame(grid: CellGrid(size: size))
        styles = sheet.styles(at: traits.depth)
        isPlain = !showsImages || traits.glyphs == .ascii
        framesPanels = showsImages
        // A block or a Braille pattern would be read out as such.
        marks = sheet.marks(in: isPlain ? .ascii : traits.glyphs)
        margins = sheet.margins
        glyphs = traits.glyphs
        self.isRightToLeft = isRightToLeft
        clip = CellArea(size)
    }

    var size: CellSize { frame.grid.size }
    var area: CellArea { frame.grid.area }
}

// MARK: - Text

extension Canvas {
    /// No grapheme that people write is made of more scalars; more are cut off, since they would only cost time.
    private static let scalarsPerColumn = 4

    /// A text from outside, of which no more is cleaned than fits.
    func clean(_ text: String, columns: Int, lines: Int = 1) -> TerminalText {
        let columns = min(max(columns, 1), CellSize.largestSide)
        let limit = columns * min(max(lines, 1), CellSize.largestSide) * Self.scalarsPerColumn
        return TerminalText(cleaning: text, limit: limit).shown(in: glyphs)
    }

    /// Puts one line of text.
    ///
    /// - Returns: the columns that it takes.
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
        let place = CellArea(column: area.column + before, row: area.row + row, columns: text.width, rows: 1)
        let mirrored = mirrored(place)
        frame.grid.put(
            text, at: CellPosition(column: mirrored.column, row: mirrored.row), in: style, clip: visible(place))
        return text.width
    }

    /// Puts pieces one after the other, as many as there is room for.
    ///
    /// - Returns: the columns that they take.
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
            rest = rest.inset(left: columns)
            used += columns
            // What comes behind something that was cut would read as a part of it.
            if columns < piece.text.width { break }
        }
        return used
    }

    /// Puts a text in lines, each aligned by itself.
    ///
    /// - Returns: how many lines it takes.
    @discardableResult
    mutating func wrap(
        _ text: TerminalText, in area: CellArea, _ role: ThemeRole = .text, _ alignment: Alignment = .leading
    ) -> Int {
        guard area.rows > 0, area.columns > 0 else { return 0 }
        let lines = text.wrapped(to: area.columns, maxLines: area.rows, glyphs: glyphs)
        for (row, line) in lines.enumerated() { put(line, in: area, row: row, role, alignment) }
        return lines.count
    }
}

// MARK: - The mouse

extension Canvas {
    /// Says what stands in an area, or in one of its rows.
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

    /// Makes one row of an area a hyperlink, for terminals that know them.
    mutating func setLink(to address: String, in area: CellArea, row: Int) {
        guard (0..<area.rows).contains(row) else { return }
        let line = visible(CellArea(column: area.column, row: area.row + row, columns: area.columns, rows: 1))
        frame.grid.link = CellLink(line, to: address)
    }

    /// Says that there is more text above and below, at the far edge of its area; a click on it turns a page.
    mutating func putScrollMarks(isMoreAbove: Bool, isMoreBelow: Bool, in area: CellArea) {
        let edge = area.inset(left: area.columns - 1)
        if isMoreAbove {
            put(marks[.less], in: edge, row: 0, .accent)
            setTarget(.action(.pageUp), in: edge, row: 0)
        }
        if isMoreBelow {
            put(marks[.more], in: edge, row: area.rows - 1, .accent)
            setTarget(.action(.pageDown), in: edge, row: area.rows - 1)
        }
    }
}

extension CellArea {
    /// So many of its columns, from the leading edge.
    func first(_ columns: Int) -> CellArea {
        CellArea(column: column, row: row, columns: min(columns, self.columns), rows: rows)
    }
}

// MARK: - Areas

extension Canvas {
    mutating func fill(_ area: CellArea, _ role: ThemeRole) { frame.grid.fill(visible(area), with: styles[role]) }

    /// Repeats a mark over an area.
    mutating func fill(_ area: CellArea, with mark: TerminalText, _ role: ThemeRole) {
        let part = visible(area)
        guard mark.width == 1 else { return }
        for row in part.row..<part.endRow {
            for column in part.column..<part.endColumn {
                frame.grid.put(mark, at: CellPosition(column: column, row: row), in: styles[role], clip: part)
            }
        }
    }

    /// Puts a picture into the middle of its box, or to its top; what reaches beyond is cut off.
    mutating func put(_ image: CellImage, in box: CellArea, isAtTop: Bool = false) {
        let place = CellArea(
            column: box.column + max((box.columns - image.columns) / 2, 0),
            row: box.row + (isAtTop ? 0 : max((box.rows - image.rows) / 2, 0)), columns: image.columns,
            rows: image.rows)
        let mirrored = mirrored(place)
        frame.grid.put(image, at: CellPosition(column: mirrored.column, row: mirrored.row), clip: visible(box))
    }

    /// Shows the cursor; `beforeText` columns of the text, which stands in the grid from left to right, come before it.
    mutating func setCursor(beforeText columns: Int, ofTextIn area: CellArea, row: Int = 0) {
        let mirrored = mirrored(area)
        let place = CellPosition(column: mirrored.column + columns, row: mirrored.row + row)
        frame.grid.cursor = frame.grid.area.contains(place) ? place : nil
    }

    /// Takes the colour out of what is drawn so far, since something else is put over it.
    mutating func dimAll(towards background: RGB?) {
        frame.grid.cursor = nil
        frame.targets = []
        guard styles != .plain else { return }
        let backdrop = background ?? .black
        let text = styles[.dim]
        frame.grid.restyle(frame.grid.area) { style in
            guard style.background == .terminalDefault, style.foreground.channels == nil || style.attributes != []
            else {
                style.foreground = style.foreground.faded(towards: backdrop)
                style.background = style.background.faded(towards: backdrop)
                return
            }
            style = text
        }
    }

    /// The part of an area that may be drawn, where it is in the grid.
    private func visible(_ area: CellArea) -> CellArea { mirrored(area.intersection(clip)) }

    private func mirrored(_ area: CellArea) -> CellArea {
        guard isRightToLeft else { return area }
        var mirrored = area
        mirrored.column = frame.grid.size.columns - area.endColumn
        return mirrored
    }
}

extension TerminalText {
    /// The text with the spaces before it behind it, and the other way round: gaps to its neighbours, where lines begin at the right.
    fileprivate var withSpacesMirrored: TerminalText {
        guard string.first == " " || string.last == " " else { return self }
        let before = string.prefix { $0 == " " }
        let rest = string.dropFirst(before.count)
        let after = rest.reversed().prefix { $0 == " " }.count
        return TerminalText(cleaning: String(repeating: " ", count: after) + rest.dropLast(after) + before)
    }
}

extension CellColor {
    /// Two fifths of a colour, the rest of what stands behind it: still to be made out, no longer in the way.
    fileprivate func faded(towards backdrop: RGB) -> CellColor {
        guard let channels else { return self }
        func mix(_ channel: UInt8, _ back: UInt8) -> UInt8 { UInt8((Int(channel) * 2 + Int(back) * 3) / 5) }
        return .rgb(
            RGB(
                mix(channels.red, backdrop.red), mix(channels.green, backdrop.green),
                mix(channels.blue, backdrop.blue)))
    }
}

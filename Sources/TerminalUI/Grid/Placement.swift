/// A picture's number and the position of its upper left corner, which may be outside the screen.
struct Placement: Hashable, Sendable {
    let number: UInt32
    let column: Int
    var row: Int

    /// The placement of the picture that has a cell at this position.
    init(of cell: Cell, column: Int, row: Int) {
        number = cell.style.foreground.number
        self.column = column - cell.placedColumn
        self.row = row - cell.placedRow
    }
}

/// A rectangle of a picture: all of it, or what is left beside an overlay or the edge of a list.
struct PicturePiece: Hashable, Sendable {
    var placement: Placement
    /// Cells of the picture, counted from its upper left corner.
    let area: CellArea

    /// The columns of the screen.
    var columns: Range<Int> { placement.column + area.column..<placement.column + area.endColumn }
    /// The rows of the screen.
    var rows: Range<Int> { placement.row + area.row..<placement.row + area.endRow }
}

/// Limits the bytes of pictures in a frame; a slow line shows half-blocks instead of pixels.
package struct PictureLimits: Hashable, Sendable {
    /// Maximum bytes of kitty's images in a frame, continued in the next; below `minFrame` none are sent.
    package var frame: Int
    /// Maximum bytes of an inline image (iTerm2, sixel), which nothing can interrupt.
    package var inline: Int
    /// Whether kitty's images are sent at half the size.
    package var halves = false
    /// Whether they are first sent at half the size, all of them, and then in full.
    package var halvesFirst = false
    /// Whether images that keys lead to are sent, too.
    package var sendsAhead = false
    /// One kitty sequence, with at most 4,096 characters of data.
    package static let minFrame = 4200
    /// All pictures stay characters.
    package static let charactersOnly = PictureLimits(frame: 0, inline: 0)
    /// For a fast line.
    package static let unlimited = PictureLimits(frame: .max, inline: .max)

    /// Returns whether these limits let through what others withheld.
    package func exceeds(_ other: PictureLimits) -> Bool {
        frame > other.frame || inline > other.inline || sendsAhead && !other.sendsAhead
    }

    /// Creates limits.
    package init(frame: Int, inline: Int) {
        self.frame = frame
        self.inline = inline
    }
}

/// Chooses pixels or characters for each picture of a grid.
///
/// A picture is shown as pixels if the terminal has it.
struct PicturePlan {
    enum Look: Hashable {
        /// Half-blocks, in the cells that the picture still has.
        case characters
        /// Drawn by a command, over spaces.
        case pixels
        case placeholders(id: UInt32)
    }

    /// Pieces of pictures that are drawn by a command.
    private(set) var drawn: [(piece: PicturePiece, payload: PixelPayload)] = []
    /// Images that the terminal lacks, the most urgent first; those that keys lead to, if it has all of the grid's.
    private(set) var missing: [PixelPayload] = []
    /// Animations that the terminal has and shows.
    private(set) var playing: [PixelPayload] = []
    /// Whether an image is not sent because the line is slow.
    private(set) var withholds = false
    /// Whether inline images wait for the next frame.
    private(set) var hasMore = false
    private var looks: [Placement: Look] = [:]
    private let images: [UInt32: CellImage]

    /// Plans nothing for a grid without pictures, which costs nothing.
    init(_ grid: CellGrid, _ kitty: KittyImages, _ shown: [DrawnPicture], depth: ColorDepth, limits: PictureLimits) {
        images = grid.pictures
        guard !images.isEmpty else { return }
        let urgent = grid.urgentImages.compactMap(\.payload)
        let ranks = Dictionary(urgent.enumerated().map { ($1.number, $0) }) { first, _ in first }
        let visible = Self.visibleAreas(of: grid).enumerated().sorted {
            (ranks[$0.element.0.number] ?? .max, $0.offset) < (ranks[$1.element.0.number] ?? .max, $1.offset)
        }
        // An inline image is sent whole. The last one may exceed the limit, and so may frames of animations: waiting, they would
        // flicker.
        var inlineBytes = max(limits.frame, 1)
        var (halves, animations): ([PixelPayload], [PixelPayload]) = ([], [])
        for (placement, areas) in visible.map(\.element) {
            guard let image = images[placement.number], var payload = image.payload else { continue }
            if let animation = image.animation {
                if kitty.id(of: animation.number) != nil {
                    payload = animation
                    playing.append(animation)
                } else if limits.halves || limits.frame < PictureLimits.minFrame {
                    withholds = true
                } else if !animations.contains(animation) {
                    animations.append(animation)
                }
            }
            // A picture that reaches the last row scrolls the screen in many terminals.
            let isInside = areas.allSatisfy { placement.row + $0.endRow < grid.size.rows }
            var look = Look.characters
            switch payload.kind {
            case .inline where isInside:
                // One that is shown stays, or moves with a scroll.
                if shown.contains(where: { $0.piece.placement.number == placement.number }) {
                    look = .pixels
                } else if payload.bytes.count > limits.inline {
                    withholds = true
                } else if inlineBytes > 0 || payload.isFrame {
                    look = .pixels
                    inlineBytes -= payload.bytes.count
                } else {
                    hasMore = true
                }
            // The colour of a placeholder is an id of 24 bits.
            case .kittyPlacement,
                .kittyPlaceholders where depth == .truecolor:
                var id = kitty.id(of: payload.number)
                if id == nil {
                    let half = image.halfPayload
                    let hasHalf = half.map { kitty.id(of: $0.number) != nil } ?? true
                    let wantsHalf = limits.halves || limits.halvesFirst && !hasHalf
                    let wanted = wantsHalf ? half ?? payload : payload
                    let sends = limits.frame >= (payload.isFrame ? payload.bytes.count : PictureLimits.minFrame)
                    withholds = withholds || limits.halves || !sends
                    if sends, kitty.id(of: wanted.number) == nil, !(missing + halves).contains(wanted) {
                        if wanted == half { halves.append(wanted) } else { missing.append(wanted) }
                    }
                    if let half, let halfID = kitty.id(of: half.number) {
                        (payload, id) = (half, halfID)
                    }
                }
                if let id { look = payload.kind == .kittyPlacement ? .pixels : .placeholders(id: id) }
            default: break
            }
            looks[placement] = look
            if look == .pixels { drawn += areas.map { (PicturePiece(placement: placement, area: $0), payload) } }
        }
        // Still images come first.
        missing = halves + missing + animations
        guard missing.isEmpty, !withholds, !hasMore else { return }
        let next = urgent.filter { payload in
            (payload.kind == .kittyPlacement || payload.kind == .kittyPlaceholders && depth == .truecolor)
                && kitty.id(of: payload.number) == nil && kitty.hasRoom(for: payload)
        }
        if limits.sendsAhead { missing = next } else { withholds = !next.isEmpty }
    }

    func draws(_ picture: DrawnPicture) -> Bool {
        drawn.contains { $0.piece == picture.piece && $0.payload == picture.payload }
    }

    /// Returns a grid whose picture cells are characters, placeholders, or covered by pixels.
    func resolve(_ grid: CellGrid) -> CellGrid {
        guard !looks.isEmpty else { return grid }
        var grid = grid
        var last: (placement: Placement, look: Look)?
        let columns = grid.size.columns
        for at in grid.cells.indices where grid.cells[at].isPlaced {
            let cell = grid.cells[at]
            let placement = Placement(of: cell, column: at % columns, row: at / columns)
            if last?.placement != placement { last = (placement, looks[placement] ?? .characters) }
            switch last?.look {
            case .characters: grid.cells[at] = grid.appearance(of: cell)
            case .placeholders(let id):
                var placeholder = Cell(placedRow: cell.placedRow, column: cell.placedColumn, of: id)
                placeholder.glyph |= Cell.placeholderBit
                if at % columns > 0, grid.cells[at - 1].precedes(placeholder) { placeholder.glyph |= Cell.continuesBit }
                grid.cells[at] = placeholder
            case .pixels, nil: break
            }
        }
        return grid
    }

    /// Returns the placements of a grid with the visible rectangles of each, from the top.
    private static func visibleAreas(of grid: CellGrid) -> [(Placement, [CellArea])] {
        var found: [(placement: Placement, areas: [CellArea])] = []
        var indexes: [Placement: Int] = [:]
        for row in 0..<grid.size.rows {
            var column = 0
            while column < grid.size.columns {
                guard let placement = grid.placement(column: column, row: row) else {
                    column += 1
                    continue
                }
                let start = column
                repeat {
                    column += 1
                } while column < grid.size.columns
                    && grid.placement(column: column, row: row) == placement
                let run = CellArea(
                    column: start - placement.column, row: row - placement.row, columns: column - start, rows: 1)
                let index = indexes[placement] ?? found.count
                if index == found.count {
                    found.append((placement, []))
                    indexes[placement] = index
                }
                let above = found[index].areas.lastIndex {
                    $0.endRow == run.row && $0.column == run.column && $0.columns == run.columns
                }
                if let above { found[index].areas[above].rows += 1 } else { found[index].areas.append(run) }
            }
        }
        return found
    }
}

extension CellGrid {
    /// The placement of the picture that a cell belongs to, if any.
    fileprivate func placement(column: Int, row: Int) -> Placement? {
        let cell = cells[row * size.columns + column]
        return cell.isPlaced ? Placement(of: cell, column: column, row: row) : nil
    }
}

extension Cell {
    /// Whether a placeholder at the right continues this one.
    fileprivate func precedes(_ next: Cell) -> Bool {
        isPlaceholder && style == next.style && placedRow == next.placedRow && placedColumn + 1 == next.placedColumn
    }
}

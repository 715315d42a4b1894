internal import SpyglassPixels

/// The screen as the terminal shows it.
struct FrontBuffer: Sendable {
    let columns: Int
    var cells: [Cell]
    /// Rows that may differ from the wanted ones.
    var isPending: [Bool]
    /// Pictures that the terminal shows as pixels.
    var pictures: [DrawnPicture] = []
    /// Whether an inline picture was drawn since the screen was cleared: pixels of one that is given up may still be there.
    var hadInline = false
    /// The first row of the next frame, after a frame that reached its limit.
    var nextRow = 0
    /// Differs from every wanted cell.
    private static let invalid = Cell(glyph: 1, style: .plain)

    init(size: CellSize) {
        columns = size.columns
        cells = [Cell](repeating: .blank, count: size.columns * size.rows)
        isPending = [Bool](repeating: true, count: size.rows)
    }

    mutating func invalidate(_ area: CellArea) {
        for column in area.column..<area.endColumn { cells[area.row * columns + column] = Self.invalid }
        isPending[area.row] = true
    }

    /// Moves the rows of a region; pictures that it would cut are erased before (`eraseCut`).
    mutating func scroll(_ move: ScrollMove) {
        var left: [PicturePiece] = []
        for index in pictures.indices where pictures[index].isMoved(by: move) {
            if pictures[index].content == .inline { left.append(pictures[index].piece) }
            pictures[index].piece.placement.row -= move.distance
        }
        let old = cells
        for row in move.top..<move.bottom {
            isPending[row] = true
            let from = row + move.distance
            let isInside = (move.top..<move.bottom).contains(from)
            for column in 0..<columns {
                cells[row * columns + column] = isInside ? old[from * columns + column] : .blank
            }
        }
        // xterm leaves the pixels of a sixel in the rows that come in, until text is written there.
        for piece in left {
            for row in piece.rows where !(move.top..<move.bottom).contains(row + move.distance) {
                invalidate(CellArea(column: piece.columns.lowerBound, row: row, columns: piece.columns.count, rows: 1))
            }
        }
    }
}

/// A piece of a picture that the terminal shows as pixels, over spaces.
struct DrawnPicture: Sendable {
    var piece: PicturePiece
    let payload: PixelPayload
    let content: Content

    enum Content: Hashable, Sendable {
        /// An image by its id, and the number of its placement.
        case kitty(id: UInt32, UInt32)
        /// iTerm2 and sixel: text erases it.
        case inline
    }

    /// Whether a scroll moves all of it: it is inside the region before and after.
    ///
    /// kitty 0.26 leaves or clips placements that end in the last row of a region.
    func isMoved(by move: ScrollMove) -> Bool {
        let region = move.top..<(content == .inline ? move.bottom : move.bottom - 1)
        let (first, last) = (piece.rows.lowerBound, piece.rows.upperBound)
        return first >= region.lowerBound && last <= region.upperBound
            && first - move.distance >= region.lowerBound && last - move.distance <= region.upperBound
    }

    func isTouched(by move: ScrollMove) -> Bool { piece.rows.overlaps(move.top..<move.bottom) }
}

extension FrontBuffer {
    /// Whether a scroll leaves other sixels alone: upwards, xterm moves the pixels of all, also of those outside the region.
    func canScroll(_ move: ScrollMove) -> Bool {
        move.distance < 0 || !hadInline
            || !cells.indices.contains { cells[$0].isPlaced && !(move.top..<move.bottom).contains($0 / columns) }
    }

    /// Erases the pictures that a scroll would cut: a terminal tears, clips or leaves them.
    mutating func eraseCut(by move: ScrollMove) -> [UInt8] {
        var bytes: [UInt8] = []
        for picture in pictures where picture.isTouched(by: move) && !picture.isMoved(by: move) {
            erase(picture, to: &bytes)
        }
        pictures.removeAll { $0.isTouched(by: move) && !$0.isMoved(by: move) }
        return bytes
    }

    /// Writes spaces over the rest of a picture, or removes its placement.
    private mutating func erase(_ picture: DrawnPicture, to bytes: inout [UInt8]) {
        if case .kitty(let id, let number) = picture.content {
            bytes += KittyCommands().removal(of: id, number)
        }
        for row in picture.piece.rows {
            var column = picture.piece.columns.lowerBound
            let end = picture.piece.columns.upperBound
            while column < end {
                var count = 0
                while column + count < end, shows(picture.piece.placement, column: column + count, row: row) {
                    cells[row * columns + column + count] = .blank
                    count += 1
                }
                if count > 0 { isPending[row] = true }
                if count > 0, picture.content == .inline {
                    bytes.append(cursorTo: CellPosition(column: column, row: row))
                    bytes.append(spaces: count)
                }
                column += max(count, 1)
            }
        }
    }

    /// Whether a cell still belongs to a picture.
    private func shows(_ placement: Placement, column: Int, row: Int) -> Bool {
        let cell = cells[row * columns + column]
        return cell.isPlaced && !cell.isPlaceholder && Placement(of: cell, column: column, row: row) == placement
    }

    /// Keeps inline pictures until new ones cover them: erasing them first would make an animation flicker.
    mutating func handOver(_ plan: PicturePlan, _ wanted: [Cell]) {
        for (piece, payload) in plan.drawn {
            guard let pixels = payload.coveredPixels,
                let index = pictures.firstIndex(where: { old in
                    old.payload.coveredPixels == pixels && !plan.draws(old) && old.piece.area == piece.area
                        && old.piece.rows == piece.rows && old.piece.columns == piece.columns
                }), isWhole(pictures[index])
            else { continue }
            pictures.remove(at: index)
            for row in piece.rows {
                let range = row * columns + piece.columns.lowerBound..<row * columns + piece.columns.upperBound
                cells.replaceSubrange(range, with: wanted[range])
            }
        }
    }

    /// Whether `draw` will send kitty commands, which may not come between the parts of an image.
    func needsCommands(for plan: PicturePlan) -> Bool {
        pictures.contains { $0.content != .inline && !plan.draws($0) }
            || plan.drawn.contains { piece, payload in payload.kind != .inline && !shows(piece, payload) }
    }

    /// Removes unwanted pictures, and draws wanted ones whose rows are painted.
    ///
    /// - Returns: the bytes to send after the rows.
    mutating func draw(_ plan: PicturePlan, _ kitty: KittyImages) -> [UInt8] {
        var bytes: [UInt8] = []
        for picture in pictures where !plan.draws(picture) {
            if case .kitty(let id, let number) = picture.content { bytes += KittyCommands().removal(of: id, number) }
        }
        pictures = pictures.filter { picture in
            // Text has erased an inline picture where it was written; the rest may wait for a later frame.
            plan.draws(picture) || (picture.content == .inline && remains(picture))
        }
        for (piece, payload) in plan.drawn where !shows(piece, payload) {
            guard !isPending[piece.rows].contains(true) else { continue }
            var sent: [UInt8] = []
            guard let content = draw(payload, piece.area, kitty, to: &sent) else { continue }
            if content == .inline { hadInline = true }
            bytes.append(cursorTo: CellPosition(column: piece.columns.lowerBound, row: piece.rows.lowerBound))
            bytes += sent
            pictures.append(DrawnPicture(piece: piece, payload: payload, content: content))
        }
        return bytes
    }

    /// Returns `nil` and sends nothing if the terminal lacks the image.
    private func draw(
        _ payload: PixelPayload, _ area: CellArea, _ kitty: KittyImages, to bytes: inout [UInt8]
    ) -> DrawnPicture.Content? {
        guard payload.kind != .inline else {
            bytes += payload.drawing(of: area)
            return .inline
        }
        guard let id = kitty.id(of: payload.number) else { return nil }
        let used = pictures.compactMap { picture in
            if case .kitty(id, let number) = picture.content { number } else { nil }
        }
        let number = (1...UInt32(used.count + 1)).first { !used.contains($0) } ?? 1
        // Inside tmux placements land at the wrong cell: there are placeholders only.
        let box = payload.isStretched ? CellSize(clamping: area.columns, area.rows) : nil
        bytes += KittyCommands().placement(of: id, number, part: payload.pixels(in: area), stretchedTo: box)
        return .kitty(id: id, number)
    }

    /// Whether the terminal shows a piece; text over an inline picture erases only what it covers.
    func shows(_ piece: PicturePiece, _ payload: PixelPayload) -> Bool {
        pictures.contains { shown in
            shown.payload == payload
                && (shown.piece == piece
                    || shown.content == .inline && shown.piece.placement == piece.placement
                        && shown.piece.area.intersection(piece.area) == piece.area)
        }
    }

    private func remains(_ picture: DrawnPicture) -> Bool { shownCells(of: picture).contains(true) }
    private func isWhole(_ picture: DrawnPicture) -> Bool { !shownCells(of: picture).contains(false) }

    private func shownCells(of picture: DrawnPicture) -> some Sequence<Bool> {
        picture.piece.rows.lazy.flatMap { row in
            picture.piece.columns.lazy.map { column in shows(picture.piece.placement, column: column, row: row) }
        }
    }
}

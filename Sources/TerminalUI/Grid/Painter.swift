/// Updates a screen to a grid with as few bytes as possible.
///
///     var painter = Painter(size: screen, depth: .truecolor)
///     let frame = painter.paint(grid)
///     session.write(frame.bytes)
///
/// The painter tracks what it has sent; call `forget` when another program has written to the terminal. A frame is one
/// synchronized block (DEC 2026), resets colours, and ends with a status request (`CSI 5 n`). Wrapping must be off
/// (DECAWM). Colours that a palette lacks become its nearest. Without colour no SGR is sent.
///
/// A frame costs some microseconds if nothing changed, and a fraction of a millisecond if everything did. The painter
/// keeps four copies of the cells, 16 bytes each.
public struct Painter: Sendable {
    /// Columns and rows of the screen.
    public private(set) var size: CellSize
    /// The number of colours used.
    public let depth: ColorDepth
    /// The accepted difference of image colours on the screen, in each channel; 0 is exact.
    ///
    /// Text is always exact. Errors never add up, and a frame at 0 corrects them all.
    public var tolerance: UInt8 = 0 {
        didSet { if tolerance < oldValue { markAllPending() } }
    }
    /// Whether the terminal scrolls rows that move (DECSTBM, SU, SD).
    public var usesScrollRegion: Bool
    private var back: BackBuffer
    private var front: FrontBuffer
    private var isScreenUnknown = true
    private var cursor = Cursor.unknown
    private var shownLink: CellLink?

    private enum Cursor: Hashable {
        case unknown
        case hidden
        case shown(CellPosition)
    }

    /// Creates a painter for a screen of unknown content.
    public init(size: CellSize, depth: ColorDepth, usesScrollRegion: Bool = true) {
        self.size = size
        self.depth = depth
        self.usesScrollRegion = usesScrollRegion
        back = BackBuffer(size: size, depth: depth)
        front = FrontBuffer(size: size)
    }

    /// Returns the bytes that show a grid.
    ///
    /// - Parameters:
    ///   - grid: the new content. A grid of another size resets the painter to that size.
    ///   - byteLimit: the maximum number of bytes of the rows, except that the first row is always complete. The next
    ///     call continues below, with the newest grid. Some 50 bytes around the rows do not count.
    /// - Returns: what to send, and whether it is all.
    public mutating func paint(_ grid: CellGrid, byteLimit: Int? = nil) -> PaintedFrame {
        if grid.size != size { forget(size: grid.size) }
        if back.needsCompaction { back.compact(with: &front.cells) }
        back.update(from: grid, &front.isPending)
        if isScreenUnknown { front = FrontBuffer(size: size) }
        let newCursor = grid.cursor.flatMap { grid.area.contains($0) ? Cursor.shown($0) : nil } ?? .hidden
        let link = grid.link.flatMap { CellLink(grid.area.intersection($0.area), to: $0.address) }
        if let shownLink, shownLink != link { front.invalidate(shownLink.area) }
        let linkIsDue = link.map { $0 != shownLink || front.isPending[$0.area.row] } ?? false
        let painter = RowsPainter(
            back: back, tolerance: CellTolerance(tolerance: tolerance), usesColor: depth != .monochrome)
        let moves = usesScrollRegion && !isScreenUnknown && shownLink == nil
        var rows = painter.paint(&front, moves: moves, limit: byteLimit ?? .max)
        if !front.isPending.contains(true) {
            if let link, linkIsDue {
                front.invalidate(link.area)
                rows.append(linkTo: link.address, around: painter.paint(&front, moves: false, limit: .max))
            }
            shownLink = link
        }
        let isComplete = !front.isPending.contains(true)
        guard isScreenUnknown || !rows.isEmpty || newCursor != cursor else {
            return PaintedFrame(bytes: TerminalBytes(), isComplete: isComplete)
        }
        var bytes = TerminalBytes()
        bytes.raw.reserveCapacity(rows.count + Self.frameOverhead)
        bytes.raw.append(ScreenControl.beginUpdate)
        // A terminal without synchronized blocks would show the cursor at every write.
        let hides = cursor != .hidden && (newCursor == .hidden || !rows.isEmpty || isScreenUnknown)
        if hides { bytes.raw.append(ScreenControl.hideCursor) }
        if isScreenUnknown {
            if depth != .monochrome { bytes.raw.append(SGR.reset) }
            bytes.raw.append(ScreenControl.resetRegion)
            bytes.raw.append(ScreenControl.clear)
        }
        bytes.raw.append(contentsOf: rows)
        if case .shown(let position) = newCursor {
            bytes.raw.append(cursorTo: position)
            if hides || cursor == .hidden { bytes.raw.append(ScreenControl.showCursor) }
        }
        bytes.raw.append(ScreenControl.endUpdate)
        bytes.raw.append(ScreenControl.statusRequest)
        isScreenUnknown = false
        cursor = newCursor
        return PaintedFrame(bytes: bytes, isComplete: isComplete)
    }

    /// Forgets the screen's content, for example after a resize; the next frame clears it and sends everything.
    public mutating func forget(size: CellSize? = nil) {
        if let size, size != self.size {
            self.size = size
            back = BackBuffer(size: size, depth: depth)
            front = FrontBuffer(size: size)
        }
        isScreenUnknown = true
        cursor = .unknown
        shownLink = nil
    }

    private static let frameOverhead = 128

    private mutating func markAllPending() {
        for row in front.isPending.indices { front.isPending[row] = true }
    }
}

/// The result of painting one grid.
public struct PaintedFrame: Sendable {
    /// What to send; empty if the screen shows the grid already.
    public let bytes: TerminalBytes
    /// Whether the screen will show all of the grid.
    public let isComplete: Bool
}

/// Brings a screen from what it shows to what a grid holds, with as few bytes as it can.
///
///     var painter = Painter(size: screen, depth: .truecolor)
///     let frame = painter.paint(grid)
///     session.write(frame.bytes)
///
/// The painter knows what it has sent; `forget` when somebody else has written to the terminal. Every frame stands in
/// one synchronized block (DEC 2026), leaves the terminal's own colours set, and ends with a request for its status
/// (`CSI 5 n`). The terminal must not wrap lines (DECAWM off). Without colour no SGR is sent at all; colours that a
/// palette lacks become its nearest.
///
/// A frame costs some microseconds where nothing changed, and a fraction of a millisecond where all of it did. It keeps
/// four copies of the cells, 16 bytes each.
public struct Painter: Sendable {
    /// Columns and rows of the screen.
    public private(set) var size: CellSize
    /// How many colours are used.
    public let depth: ColorDepth
    /// How far each channel of a picture's colour on the screen may be from the grid's and be kept: 0 is exact.
    ///
    /// Text is always exact. Errors never add up, and a frame at 0 mends them all.
    public var tolerance: UInt8 = 0 {
        didSet { if tolerance < oldValue { markAllPending() } }
    }
    /// Whether rows that move are moved by the terminal (DECSTBM, SU, SD).
    public var usesScrollRegion: Bool

    private var wanted: BackBuffer
    private var screen: FrontBuffer
    /// Whether somebody else may have written to the screen.
    private var isUnknown = true
    private var cursor = Cursor.unknown
    /// The hyperlink on the screen.
    private var shownLink: CellLink?

    private enum Cursor: Hashable {
        case unknown
        case hidden
        case shown(CellPosition)
    }

    /// A painter that does not know what the screen shows.
    public init(size: CellSize, depth: ColorDepth, usesScrollRegion: Bool = true) {
        self.size = size
        self.depth = depth
        self.usesScrollRegion = usesScrollRegion
        wanted = BackBuffer(size: size, depth: depth)
        screen = FrontBuffer(size: size)
    }

    /// The bytes that show a grid.
    ///
    /// - Parameters:
    ///   - grid: what the screen is to show; one of another size makes the painter forget the screen and take its size.
    ///   - byteLimit: the rows of a frame take no more bytes than that, unless the first alone does; the next call goes
    ///     on below, with the grid that is newest then. What frames them, some 50 bytes, is not counted.
    /// - Returns: what to send, and whether it is all.
    public mutating func paint(_ grid: CellGrid, byteLimit: Int? = nil) -> PaintedFrame {
        if grid.size != size { forget(size: grid.size) }
        if wanted.isCrowded { wanted.compact(with: &screen.cells) }
        wanted.take(grid, &screen.isPending)
        if isUnknown { screen = FrontBuffer(size: size) }
        let newCursor = grid.cursor.flatMap { grid.area.contains($0) ? Cursor.shown($0) : nil } ?? .hidden

        let link = grid.link.flatMap { CellLink(grid.area.intersection($0.area), to: $0.address) }
        if let shownLink, shownLink != link { screen.unsettle(shownLink.area) }
        let linkIsDue = link.map { $0 != shownLink || screen.isPending[$0.area.row] } ?? false
        let painter = RowsPainter(wanted: wanted, tolerance: tolerance, usesColor: depth != .monochrome)
        let moves = usesScrollRegion && !isUnknown && shownLink == nil
        var rows = painter.paint(&screen, moves: moves, limit: byteLimit ?? .max)
        if !screen.isPending.contains(true) {
            if let link, linkIsDue {
                screen.unsettle(link.area)
                rows.append(linkTo: link.address, around: painter.paint(&screen, moves: false, limit: .max))
            }
            shownLink = link
        }
        let isComplete = !screen.isPending.contains(true)
        guard isUnknown || !rows.isEmpty || newCursor != cursor else {
            return PaintedFrame(bytes: TerminalBytes(), isComplete: isComplete)
        }
        var bytes = TerminalBytes()
        bytes.raw.reserveCapacity(rows.count + Self.frameOverhead)
        bytes.raw.append(ScreenControl.beginUpdate)
        // A terminal that knows no blocks would show the cursor wherever something is written.
        let hides = cursor != .hidden && (newCursor == .hidden || !rows.isEmpty || isUnknown)
        if hides { bytes.raw.append(ScreenControl.hideCursor) }
        if isUnknown {
            if depth != .monochrome { bytes.raw.append(SGR.reset) }
            bytes.raw.append(ScreenControl.wholeRegion)
            bytes.raw.append(ScreenControl.clear)
        }
        bytes.raw.append(contentsOf: rows)
        if case .shown(let position) = newCursor {
            bytes.raw.append(cursorTo: position)
            if hides || cursor == .hidden { bytes.raw.append(ScreenControl.showCursor) }
        }
        bytes.raw.append(ScreenControl.endUpdate)
        bytes.raw.append(ScreenControl.statusRequest)
        isUnknown = false
        cursor = newCursor
        return PaintedFrame(bytes: bytes, isComplete: isComplete)
    }

    /// Forgets what the screen shows, as after a change of its size: the next frame clears it and sends everything.
    public mutating func forget(size: CellSize? = nil) {
        if let size, size != self.size {
            self.size = size
            wanted = BackBuffer(size: size, depth: depth)
            screen = FrontBuffer(size: size)
        }
        isUnknown = true
        cursor = .unknown
        shownLink = nil
    }

    /// Bytes of a frame besides its rows, with room to spare.
    private static let frameOverhead = 128

    private mutating func markAllPending() {
        for row in screen.isPending.indices { screen.isPending[row] = true }
    }
}

/// What `Painter` made of one grid.
public struct PaintedFrame: Sendable {
    /// What to send; empty when the screen shows the grid already.
    public let bytes: TerminalBytes
    /// Whether the screen will show all of the grid.
    public let isComplete: Bool
}

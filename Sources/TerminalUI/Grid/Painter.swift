/// Brings a screen from what it shows to what a grid holds, with as few bytes as it can.
///
///     var painter = Painter(size: screen, depth: .truecolor)
///     let frame = painter.paint(grid)
///     session.write(frame.bytes)
///
/// The painter knows what it has sent; `forget` when somebody else has written to the terminal. Every frame stands in one synchronized
/// block (DEC 2026), leaves the terminal's own colours set, and ends with a request for its status (`CSI 5 n`).
public struct Painter: Sendable {
    /// Columns and rows of the screen.
    public private(set) var size: CellSize
    /// How many colours are used.
    public let depth: ColorDepth
    /// How far each channel of a colour on the screen may be from the grid's and be kept: 0 is exact.
    public var tolerance: UInt8 = 0
    /// Whether rows that move are moved by the terminal (DECSTBM, SU, SD).
    public var usesScrollRegion: Bool

    /// A painter that does not know what the screen shows.
    public init(size: CellSize, depth: ColorDepth, usesScrollRegion: Bool = true) {
        self.size = size
        self.depth = depth
        self.usesScrollRegion = usesScrollRegion
    }

    /// The bytes that show a grid.
    ///
    /// - Parameters:
    ///   - grid: what the screen is to show.
    ///   - byteLimit: after so many bytes no further row is begun; the next call goes on, with the grid that is newest then. One row
    ///     at least is always sent.
    /// - Returns: what to send, and whether it is all.
    public mutating func paint(_ grid: CellGrid, byteLimit: Int? = nil) -> PaintedFrame {
        PaintedFrame(bytes: TerminalBytes(), isComplete: true)
    }

    /// Forgets what the screen shows, as after a change of its size: the next frame clears it and sends everything.
    public mutating func forget(size: CellSize? = nil) {
        if let size { self.size = size }
    }
}

/// What `Painter` made of one grid.
public struct PaintedFrame: Sendable {
    /// What to send; empty when the screen shows the grid already.
    public let bytes: TerminalBytes
    /// Whether the screen will show all of the grid.
    public let isComplete: Bool
}

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
/// A frame costs a few microseconds if nothing changed, and a fraction of a millisecond if everything did. The painter
/// keeps four copies of the cells, 16 bytes each.
public struct Painter: Sendable {
    /// Columns and rows of the screen.
    package private(set) var size: CellSize
    /// The number of colours.
    package private(set) var depth: ColorDepth
    /// Whether the terminal scrolls rows that move (DECSTBM, SU, SD).
    package var usesScrollRegion: Bool
    private var back: BackBuffer
    private var front: FrontBuffer
    private var isScreenUnknown = true
    private var cursor = Cursor.unknown
    private var shownLink: CellLink?
    private var kitty: KittyImages

    private enum Cursor: Hashable {
        case unknown
        case hidden
        case shown(CellPosition)
    }

    /// Creates a painter for a screen of unknown content.
    public init(size: CellSize, depth: ColorDepth, usesScrollRegion: Bool = true) {
        self.init(size: size, depth: depth, usesScrollRegion: usesScrollRegion, imageMemory: KittyImages.maxMemory)
    }

    /// Creates a painter whose kitty images take at most `imageMemory` bytes in the terminal; few, for an animation.
    package init(size: CellSize, depth: ColorDepth, usesScrollRegion: Bool = true, imageMemory: Int) {
        kitty = KittyImages(maxMemory: imageMemory)
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
        paint(grid, byteLimit: byteLimit, pictures: .unlimited)
    }

    /// Returns the bytes that show a grid within the limits of pictures in pixels, except for image cells that `earlier` has,
    /// too: a later call shows them.
    ///
    /// They do not count as missing in `isComplete`. With a `byteLimit`, kitty's images are sent when all rows are.
    package mutating func paint(
        _ grid: CellGrid, byteLimit: Int? = nil, pictures: PictureLimits, deferringImagesOf earlier: CellGrid? = nil
    ) -> PaintedFrame {
        if grid.size != size { forget(size: grid.size) }
        if back.needsCompaction { back.compact(with: &front.cells) }
        if isScreenUnknown { front = FrontBuffer(size: size) }
        if !grid.pictures.isEmpty {
            kitty.begin(
                grid.pictures.values.flatMap { image in
                    [image.payload, image.halfPayload, image.animation].compactMap { $0?.number }
                })
        }
        var plan = plan(grid, pictures)
        var sent: (bytes: [UInt8], isComplete: Bool) = ([], true)
        if byteLimit == nil { sent = sendImages(&plan, grid, pictures) }
        back.update(from: plan.resolve(grid), &front.isPending)
        if byteLimit != nil {
            sent = sendImages(&plan, grid, pictures, afterRows: true)
            back.update(from: plan.resolve(grid), &front.isPending)
        }
        let newCursor = grid.cursor.flatMap { grid.area.contains($0) ? Cursor.shown($0) : nil } ?? .hidden
        let link = grid.link.flatMap { CellLink(grid.area.intersection($0.area), to: $0.address) }
        if let shownLink, shownLink != link { front.invalidate(shownLink.area) }
        let linkIsDue = link.map { $0 != shownLink || front.isPending[$0.area.row] } ?? false
        let (wanted, deferredRows) = earlier.map { back.deferring(grid, $0, front) } ?? (back, [])
        let painter = RowsPainter(back: wanted, usesColor: depth != .monochrome, plan: plan)
        let moves =
            usesScrollRegion && !isScreenUnknown && shownLink == nil && !(kitty.isOpen && !plan.drawn.isEmpty)
            && deferredRows.isEmpty
        var rows = painter.paint(&front, moves: moves, limit: byteLimit ?? .max)
        if !front.isPending.contains(true) {
            if let link, linkIsDue {
                front.invalidate(link.area)
                rows.append(linkTo: link.address, around: painter.paint(&front, moves: false, limit: .max))
            }
            shownLink = link
        }
        rows += front.draw(plan, kitty)
        rows += kitty.resume(plan.playing)
        let isComplete = !front.isPending.contains(true) && sent.isComplete && !plan.hasMore
        for row in deferredRows { front.isPending[row] = true }
        guard isScreenUnknown || !rows.isEmpty || newCursor != cursor || !sent.bytes.isEmpty else {
            return PaintedFrame(bytes: TerminalBytes(), isComplete: isComplete, withholdsPictures: plan.withholds)
        }
        var bytes = TerminalBytes()
        bytes.kittyImages = TerminalBytes.ImageResidue(count: kitty.usedCount, isInsideTmux: kitty.isInsideTmux)
        bytes.sharedBytes = sent.bytes.isEmpty ? 0 : kitty.sharedBytes
        // Images change nothing on the screen; a synchronized block ends by itself after some time or bytes.
        bytes.raw.append(contentsOf: sent.bytes)
        append(rows, newCursor, to: &bytes.raw)
        bytes.raw.append(ScreenControl.statusRequest)
        isScreenUnknown = false
        cursor = newCursor
        return PaintedFrame(bytes: bytes, isComplete: isComplete, withholdsPictures: plan.withholds)
    }

    private func append(_ rows: [UInt8], _ newCursor: Cursor, to bytes: inout [UInt8]) {
        guard isScreenUnknown || !rows.isEmpty || newCursor != cursor else { return }
        bytes.append(ScreenControl.beginUpdate)
        // A terminal without synchronized blocks would show the cursor at every write.
        let hides = cursor != .hidden && (newCursor == .hidden || !rows.isEmpty || isScreenUnknown)
        if hides { bytes.append(ScreenControl.hideCursor) }
        if isScreenUnknown {
            if depth != .monochrome { bytes.append(SGR.reset) }
            bytes.append(ScreenControl.resetRegion)
            bytes.append(ScreenControl.clear)
            // Not every terminal clears kitty's placements with the screen; inside tmux there are none.
            if !kitty.isUnused, !kitty.isInsideTmux { bytes += KittyCommands().removalOfAll }
        }
        bytes.append(contentsOf: rows)
        if case .shown(let position) = newCursor {
            bytes.append(cursorTo: position)
            if hides || cursor == .hidden { bytes.append(ScreenControl.showCursor) }
        }
        bytes.append(ScreenControl.endUpdate)
    }

    private func plan(_ grid: CellGrid, _ limits: PictureLimits) -> PicturePlan {
        PicturePlan(grid, kitty, front.pictures, depth: depth, limits: limits)
    }

    /// Sends kitty's images, unless something else comes first, and plans again with the complete ones.
    private mutating func sendImages(
        _ plan: inout PicturePlan, _ grid: CellGrid, _ limits: PictureLimits, afterRows: Bool = false
    ) -> (bytes: [UInt8], isComplete: Bool) {
        guard !plan.missing.isEmpty || kitty.isOpen else { return ([], true) }
        // Clearing the screen deletes images in some terminals; other commands may not come between an image's parts.
        let sends = limits.frame >= PictureLimits.minFrame
        let isWhole = sends && plan.missing.reduce(0) { $0 + $1.bytes.count } <= limits.frame
        if isScreenUnknown || !isWhole && front.needsCommands(for: plan) {
            return (kitty.close(), plan.missing.isEmpty)
        }
        // A transmission in progress waits.
        guard sends else { return ([], true) }
        // A frame of an animation goes first: rows of characters in its place would flicker.
        if afterRows, front.isPending.contains(true), !plan.missing.contains(where: \.isFrame) { return ([], false) }
        let sent = kitty.send(plan.missing, limit: limits.frame)
        plan = self.plan(grid, limits)
        // Images in full follow those at half the size.
        return (sent.bytes, sent.isComplete && !(limits.halvesFirst && !plan.missing.isEmpty))
    }

    /// Forgets the screen's content, for example after a resize; the next frame clears it and sends everything.
    ///
    /// - Parameters:
    ///   - size: the screen's new size.
    ///   - depth: the new number of colours.
    public mutating func forget(size: CellSize? = nil, depth: ColorDepth? = nil) {
        if size ?? self.size != self.size || depth ?? self.depth != self.depth {
            self.size = size ?? self.size
            self.depth = depth ?? self.depth
            back = BackBuffer(size: self.size, depth: self.depth)
            front = FrontBuffer(size: self.size)
        }
        isScreenUnknown = true
        cursor = .unknown
        shownLink = nil
        kitty.forget()
    }
}

/// The result of painting one grid.
public struct PaintedFrame: Sendable {
    /// The bytes to send; empty if the screen shows the grid already.
    public let bytes: TerminalBytes
    /// Whether the screen will show all of the grid.
    public let isComplete: Bool
    /// Whether pictures are not sent in full because they exceed the limits.
    package let withholdsPictures: Bool
}

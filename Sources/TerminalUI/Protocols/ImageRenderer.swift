public import SpyglassPixels

/// Draws images in one mode: as characters, or by a pixel protocol.
///
///     var renderer = ImageRenderer(ImageRenderer.Options(mode: .octant, depth: .truecolor))
///     let image = try await pipeline.image(for: ImageRequest("photo.jpg", target: renderer.target(for: cells)))
///     grid.put(try renderer.image(of: image.pixels), at: position)
public struct ImageRenderer: Sendable {
    /// The settings of a renderer.
    public struct Options: Sendable {
        /// How images are drawn.
        public var mode: PixelMode
        /// The number of colours of characters.
        public var depth: ColorDepth
        /// The characters that may be printed.
        package var glyphs = GlyphSet.utf8
        /// The colour under partly transparent pixels.
        public var background = RGB.black
        /// Whether the background is drawn under transparent pixels, instead of what the terminal has there.
        package var drawsBackground = false
        /// Whether palettes of 256 and 16 colours diffuse their error.
        public var dithers = false
        /// The sixteen colours of the terminal.
        package var palette = TerminalPalette.xterm
        /// The shape of a cell.
        package var aspect = CellAspect.standard
        /// The size of a cell in pixels; `nil` if unknown.
        public var cellPixels: PixelSize?
        /// The longest side of a sixel picture in pixels; `nil`: no limit.
        package var maxSixelSide: Int? = Sixel.maxSideOfXterm
        /// Whether kitty images are drawn by placeholders (U+10EEEE).
        package var usesPlaceholders = false
        /// Whether sequences are wrapped for tmux, which passes them through.
        package var isInsideTmux = false
        /// Whether the terminal plays animations that it has been sent.
        package var playsAnimations = false
        /// Whether the terminal reads kitty images from this machine's shared memory.
        package var sharesMemory = false
        /// The id of the first image that a stream draws by placeholders; one that the terminal shows would disappear.
        package var streamID: UInt32 = 1
        /// Whether kitty images are also encoded at half the size, for a line that may be slow.
        package var addsHalfSize = false
        /// The encoders of pixel protocols; `nil` with characters.
        public var codecs: PixelCodecs?

        /// Creates options with defaults for a local terminal.
        public init(mode: PixelMode, depth: ColorDepth) {
            self.mode = mode
            self.depth = depth
        }

        /// Options for a terminal, with what it has replied.
        package init(for terminal: TerminalCapabilities, mode: PixelMode, codecs: PixelCodecs?) {
            self.init(mode: mode, depth: terminal.color.value)
            glyphs = terminal.glyphs.value
            background = terminal.support.answers.background ?? .black
            palette = terminal.support.answers.palette ?? .xterm
            dithers = true
            aspect = terminal.aspect.value
            cellPixels = terminal.cellPixels?.value
            maxSixelSide = terminal.support.maxSixelSide
            usesPlaceholders = terminal.usesPlaceholders
            isInsideTmux = terminal.isInsideTmux
            streamID = .random(in: 1...0xFF_FFFF)
            self.codecs = codecs
        }

        var knownCellPixels: PixelSize { cellPixels ?? ImageRenderer.assumedCellPixels }

        /// The maximum memory of an image in a pixel protocol, in bytes: four a pixel.
        static let maxMemory = 64_000_000

        /// Returns the pixels of a box of cells; in a pixel protocol within 64 MB, in the box's proportions.
        public func pixelBox(for cells: CellSize) -> PixelSize {
            if let set = mode.symbols { return set.pixelBox(for: cells) }
            let maxSide = mode == .sixel ? min(maxSixelSide ?? .max, Sixel.maxSide) : KittyGraphics.maxSide
            var width = min(cells.columns * knownCellPixels.width, maxSide)
            var height = min(cells.rows * knownCellPixels.height, maxSide)
            let excess = Double(width * height * PixelBuffer.bytesPerPixel) / Double(Self.maxMemory)
            if excess > 1 {
                width = Int(Double(width) / excess.squareRoot())
                height = Int(Double(height) / excess.squareRoot())
            }
            // Whole bands of sixels must fit.
            if mode == .sixel { height = max(height / Sixel.bandHeight, 1) * Sixel.bandHeight }
            return PixelSize(width: width, height: height)
        }

        /// Returns the cells that an image of this size covers, the last ones perhaps in part.
        package func cells(of size: PixelSize) -> CellSize {
            let cell = mode.symbols?.grid ?? knownCellPixels
            let size = mode == .sixel ? Sixel.covered(size) : size
            return CellSize(
                clamping: (size.width + cell.width - 1) / cell.width, (size.height + cell.height - 1) / cell.height)
        }

        /// Returns the size of an image in a box of cells; symbols fill whole cells.
        package func target(
            for cells: CellSize, fit: TargetSize.Fit = .contain, allowsUpscaling: Bool = false
        ) -> TargetSize {
            let target = TargetSize(
                box: pixelBox(for: cells), fit: fit, allowsUpscaling: allowsUpscaling, pixelAspect: pixelAspect)
            return mode.symbols.map { target.inCells(of: $0.grid) } ?? target
        }

        /// Width by height of one pixel.
        package var pixelAspect: Double { mode.symbols?.pixelAspect(of: aspect) ?? 1 }
    }

    /// The renderer's settings; `streamID` counts the images of streams.
    package private(set) var options: Options
    var symbols: SymbolEncoder

    /// Creates a renderer; keep it, since it prepares tables for its characters.
    public init(_ options: Options) {
        self.options = options
        symbols = SymbolEncoder(
            options.mode.symbols ?? .half, depth: options.depth, glyphs: options.glyphs, background: options.background,
            dithers: options.dithers, palette: options.palette)
    }

    /// Creates a renderer for a terminal: pixels where it draws them and `codecs` encode them, else characters.
    public init(for terminal: TerminalCapabilities, codecs: PixelCodecs? = nil) {
        var mode = terminal.pixels.value
        if codecs == nil, mode.symbols == nil { mode = .half }
        self.init(Options(for: terminal, mode: mode, codecs: codecs))
    }

    /// The size to load an image at for a box of cells.
    public func target(for cells: CellSize) -> TargetSize { options.target(for: cells) }

    /// The size of a cell in pixels if it is unknown: that of Windows Terminal.
    package static let assumedCellPixels = PixelSize(width: 10, height: 20)

    /// Returns the pixels of a box of cells.
    public func pixelBox(for cells: CellSize) -> PixelSize { options.pixelBox(for: cells) }

    /// Width by height of one pixel.
    package var pixelAspect: Double { options.pixelAspect }

    /// Returns the cells that an image of this size covers, the last ones perhaps in part.
    public func cells(of size: PixelSize) -> CellSize { options.cells(of: size) }

    /// Returns the image, scaled down if it is larger than a box of cells, where its rows would wrap.
    package func fitted(_ image: PixelBuffer, to cells: CellSize) -> PixelBuffer {
        let box = pixelBox(for: cells)
        guard image.size.width > box.width || image.size.height > box.height else { return image }
        return image.resampled(to: target(for: cells).size(for: image.size))
    }

    // MARK: Grids

    /// Returns an image to draw in a grid; in a pixel protocol with its payload.
    ///
    /// Costs some nanoseconds a pixel, in a protocol up to 100: not for a thread that handles keys.
    /// - Throws: what `PixelCodecs` throws.
    public mutating func image(of pixels: PixelBuffer) throws -> CellImage {
        try options.adding(pixels, to: preview(of: pixels))
    }

    /// Returns an image to draw in a grid as characters, also in a pixel protocol.
    package mutating func preview(of pixels: PixelBuffer) -> CellImage {
        let pixels = options.onBackground(pixels)
        guard options.mode.symbols == nil else { return symbols.cells(of: pixels) }
        let box = SymbolSet.half.pixelBox(for: cells(of: pixels.size))
        return symbols.cells(of: pixels.resampled(to: box))
    }

    // MARK: Streams

    /// Encodes an image for a stream; the cursor ends below it, in the first column.
    ///
    /// `StreamComposer` tells the sequences of a pixel protocol.
    /// - Throws: what `PixelCodecs` throws.
    public mutating func encode(_ image: PixelBuffer) throws -> TerminalBytes {
        guard options.mode.symbols == nil else { return symbols.encode(options.onBackground(image)) }
        var composer = StreamComposer(self)
        try composer.append([StreamTile(image)])
        self = composer.renderer
        return composer.take()
    }

    /// Returns how a stream draws an image.
    mutating func drawing(of image: PixelBuffer) throws -> StreamDrawing {
        let image = options.onBackground(image)
        guard options.mode.symbols == nil, let codecs = options.codecs else {
            return .symbols(symbols.dithered(image))
        }
        let cells = cells(of: image.size)
        guard options.mode == .kitty else { return .inline(try options.inlineDrawing(of: image, cells, codecs).bytes) }
        let kitty = KittyGraphics(codecs: codecs, isInsideTmux: options.isInsideTmux)
        if options.usesPlaceholders, KittyPlaceholder.canDraw(cells) {
            let id = nextStreamID()
            let padded = options.paddedToCells(image)
            return .placeholders(id: id, cells, try kitty.transmission(of: padded, id: id, placeholders: cells))
        }
        guard options.cellPixels == nil else { return .inline(try kitty.drawing(of: image)) }
        // The terminal stretches to its own cells, so that text below stays in place.
        return .inline(try kitty.drawing(of: options.paddedToCells(image), stretchedTo: cells))
    }

    /// An id for an image of a stream; only those of the terminal's last images must differ.
    ///
    /// A colour of the palette other than 0, or of 24 bits.
    private mutating func nextStreamID() -> UInt32 {
        defer { options.streamID += 1 }
        return options.depth == .truecolor ? options.streamID & 0xFF_FFFF | 1 << 16 : options.streamID % 255 + 1
    }
}

extension ImageRenderer.Options {
    /// Returns an image with the payload of its pixels, or as it is where characters are drawn.
    package func adding(_ pixels: PixelBuffer, to preview: CellImage) throws -> CellImage {
        guard mode.symbols == nil, let codecs else { return preview }
        var image = preview
        let pixels = onBackground(pixels)
        let cells = cells(of: pixels.size)
        if mode != .kitty {
            let (bytes, part) = try inlineDrawing(of: pixels, cells, codecs)
            image.payload = PixelPayload(
                .inline, bytes, size: pixels.size, cell: knownCellPixels,
                covering: pixels.isOpaque ? pixels.size : nil, part: part)
        } else if !usesPlaceholders || KittyPlaceholder.canDraw(cells) {
            let kitty = KittyGraphics(codecs: codecs, isInsideTmux: isInsideTmux, sharesMemory: canShare)
            func payload(of pixels: PixelBuffer, isStretched: Bool) throws -> PixelPayload {
                let bytes = try kitty.transmission(
                    of: pixels, id: PixelPayload.idInBytes, placeholders: usesPlaceholders ? cells : nil)
                return PixelPayload(
                    usesPlaceholders ? .kittyPlaceholders : .kittyPlacement, bytes, size: pixels.size,
                    cell: knownCellPixels, stretchedTo: isStretched ? cells : nil, isInsideTmux: isInsideTmux,
                    shared: kitty.sharesMemory ? [pixels] : [], in: codecs.sharedPixels)
            }
            let cell = knownCellPixels
            let padded = paddedToCells(pixels)
            image.payload = try payload(
                of: usesPlaceholders || cellPixels == nil ? padded : pixels, isStretched: cellPixels == nil)
            if addsHalfSize {
                let size = PixelSize(
                    width: cells.columns * ((cell.width + 1) / 2), height: cells.rows * ((cell.height + 1) / 2))
                image.halfPayload = try payload(of: padded.resampled(to: size), isStretched: true)
            }
        }
        return image
    }

    /// Returns one frame of an animation that kitty plays, to be passed to `animation`; frames count from 1.
    ///
    /// The terminal enlarges it to the size at which it is shown. Throws what `PixelCodecs` throws.
    package func frame(
        _ pixels: PixelBuffer, number: Int, lasting duration: Duration, shownAt shown: PixelSize
    ) throws -> PlayedFrame {
        guard let codecs else { preconditionFailure("a frame of kitty needs codecs") }
        let kitty = KittyGraphics(codecs: codecs, isInsideTmux: isInsideTmux, sharesMemory: canShare)
        let (cells, id) = (cells(of: shown), PixelPayload.idInBytes)
        let pixels = paddedToCells(onBackground(pixels), shownAt: shown)
        let bytes =
            number == 1
            ? try kitty.transmission(of: pixels, id: id, placeholders: usesPlaceholders ? cells : nil)
            : try kitty.transmission(of: pixels, number: number, lasting: duration, id: id)
        return PlayedFrame(
            bytes: bytes, shared: kitty.sharesMemory ? pixels : nil, size: pixels.size, duration: duration, cells: cells
        )
    }

    /// Returns an animation that kitty plays, for `CellImage.playing`; `plays` is `nil` for ever.
    package func animation(of frames: [PlayedFrame], plays: Int?) -> CellImage? {
        guard frames.count > 1, let first = frames.first, frames.allSatisfy({ $0.size == first.size }) else {
            return nil
        }
        let start = KittyCommands(isInsideTmux: isInsideTmux)
            .play(PixelPayload.idInBytes, firstFrameLasting: first.duration, times: plays)
        let payload = PixelPayload(
            usesPlaceholders ? .kittyPlaceholders : .kittyPlacement, first.bytes, size: first.size,
            cell: knownCellPixels, stretchedTo: first.cells, isInsideTmux: isInsideTmux,
            frames: frames.dropFirst().map(\.bytes) + [start], shared: frames.compactMap(\.shared),
            in: codecs?.sharedPixels)
        return CellImage(columns: 0, rows: 0, cells: [], payload: payload)
    }

    private var canShare: Bool { sharesMemory && codecs?.sharedPixels != nil }

    /// iTerm2 and sixel: the bytes that draw an image at the cursor, and a function for those of a part.
    fileprivate func inlineDrawing(
        of image: PixelBuffer, _ cells: CellSize, _ codecs: PixelCodecs
    ) throws -> (bytes: [UInt8], part: @Sendable (PixelArea) -> [UInt8]) {
        guard mode == .iterm2 else {
            let indexed = SixelImage(image, over: background)
            return (indexed.drawing(), { indexed.drawing($0) })
        }
        let encoder = ITermImage(codecs: codecs, isInsideTmux: isInsideTmux)
        return (
            try encoder.drawing(of: image, in: cells),
            { part in
                (try? encoder.drawing(of: image.cropped(to: part), in: self.cells(of: part.size))) ?? []
            }
        )
    }

    /// Returns the image on the background, if that is drawn.
    fileprivate func onBackground(_ image: PixelBuffer) -> PixelBuffer {
        drawsBackground ? image.composed(on: background) : image
    }

    /// Returns the image padded to whole cells: a terminal that scales to cells would blur or stretch it.
    fileprivate func paddedToCells(_ image: PixelBuffer, shownAt shown: PixelSize? = nil) -> PixelBuffer {
        let shown = shown ?? image.size
        let (cells, cell) = (cells(of: shown), knownCellPixels)
        func side(_ cells: Int, _ cell: Int, _ image: Int, _ shown: Int) -> Int {
            max((cells * cell * image + shown / 2) / shown, image)
        }
        let size = PixelSize(
            width: side(cells.columns, cell.width, image.size.width, shown.width),
            height: side(cells.rows, cell.height, image.size.height, shown.height))
        return image.padded(to: size, RGBA(0, 0, 0, 0), isCentred: false)
    }
}

/// An encoded frame of an animation that kitty plays.
package struct PlayedFrame: Sendable {
    let bytes: [UInt8]
    let shared: PixelBuffer?
    let size: PixelSize
    let duration: Duration
    let cells: CellSize
    /// The memory that it takes in the terminal, in bytes.
    package var memory: Int { size.pixelCount * PixelBuffer.bytesPerPixel }
}

/// How a stream draws an image.
enum StreamDrawing {
    case symbols(PixelBuffer)
    /// Kitty: what sends the image; then its cells are text.
    case placeholders(id: UInt32, CellSize, [UInt8])
    /// The bytes that draw the image at the cursor.
    case inline([UInt8])
}

extension [UInt8] {
    /// Appends a row of an image's placeholders, and resets the colours.
    mutating func append(placeholdersOf id: UInt32, row: Int, columns: Int, in depth: ColorDepth) {
        let color = depth == .truecolor ? "2;\(id >> 16 & 0xFF);\(id >> 8 & 0xFF);\(id & 0xFF)" : "5;\(id & 0xFF)"
        append(contentsOf: "\u{1B}[38;\(color)m".utf8)
        for column in 0..<columns { append(placeholderAtRow: row, column: column, continues: column > 0) }
        append(SGR.reset)
    }
}

extension PixelBuffer {
    /// Returns the image on an opaque colour, blended in linear light.
    func composed(on color: RGB) -> PixelBuffer {
        guard !isOpaque else { return self }
        let behind = PackedPixel(color)
        var bytes = bytes
        for at in 0..<size.pixelCount where !pixel(at: at).isOpaque {
            let pixel = pixel(at: at)
            bytes.set(pixel.isTransparent ? behind : PackedPixel(linear: pixel.linear(over: behind)), at: at)
        }
        return PixelBuffer(size: size, bytes: bytes)
    }

    /// Returns the image at another size, by area averages.
    func resampled(to size: PixelSize) -> PixelBuffer {
        var resampler = AreaResampler(from: self.size, to: size, layout: .rgba)
        for row in 0..<self.size.height { withRow(row) { resampler.add($0) } }
        return resampler.finish()
    }
}

/// How images are drawn: as characters or by a pixel protocol.
public enum PixelMode: String, Hashable, Sendable, CaseIterable {
    /// Half-blocks: two colours a cell.
    case half
    /// Quadrants: a cell of 2x2 parts in two colours.
    case quadrant
    /// Sextants: a cell of 2x3 parts in two colours.
    case sextant
    /// Octants: a cell of 2x4 parts in two colours.
    case octant
    /// Kitty's graphics protocol.
    case kitty
    /// iTerm2's inline images (OSC 1337).
    case iterm2
    /// DEC's sixel graphics.
    case sixel

    /// The characters; `nil` for a protocol.
    package var symbols: SymbolSet? { SymbolSet(rawValue: rawValue) }
}

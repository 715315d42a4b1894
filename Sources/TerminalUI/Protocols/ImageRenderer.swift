public import SpyglassPixels

/// Draws images in one mode: as characters, or by a pixel protocol.
///
///     var renderer = ImageRenderer(ImageRenderer.Options(mode: .octant, depth: .truecolor))
///     let target = TargetSize(box: renderer.pixelBox(for: cells), pixelAspect: renderer.pixelAspect)
///     grid.put(try renderer.image(of: pixels), at: position)
public struct ImageRenderer: Sendable {
    /// The settings of a renderer.
    public struct Options: Sendable {
        /// How images are drawn.
        public var mode: PixelMode
        /// The number of colours of characters.
        public var depth: ColorDepth
        /// The characters that may be printed.
        public var glyphs = GlyphSet.utf8
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
        /// The pixels of a cell; `nil` where nothing tells.
        public var cellPixels: PixelSize?
        /// The longest side of a sixel picture in pixels; `nil`: no limit.
        public var maxSixelSide: Int? = Sixel.maxSideOfXterm
        /// Whether kitty images are drawn by placeholders (U+10EEEE).
        public var usesPlaceholders = false
        /// Whether sequences are wrapped for tmux, which passes them through.
        public var isInsideTmux = false
        /// The id of the first image that a stream draws by placeholders; one that the terminal shows would disappear.
        package var streamID: UInt32 = 1
        /// The encoders of pixel protocols; `nil` with characters.
        public var codecs: PixelCodecs?

        /// Creates options with defaults for a local terminal.
        public init(mode: PixelMode, depth: ColorDepth) {
            self.mode = mode
            self.depth = depth
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

        /// Width by height of one pixel.
        package var pixelAspect: Double { mode.symbols?.pixelAspect(of: aspect) ?? 1 }
    }

    /// The renderer's settings.
    package let options: Options
    var symbols: SymbolEncoder
    /// Counts the images of streams.
    var streamID: UInt32

    /// Creates a renderer; costs as much as its `SymbolEncoder`.
    public init(_ options: Options) {
        self.options = options
        streamID = options.streamID
        symbols = SymbolEncoder(
            options.mode.symbols ?? .half, depth: options.depth, glyphs: options.glyphs, background: options.background,
            dithers: options.dithers, palette: options.palette)
    }

    /// Pixels of a cell where nothing tells: those of Windows Terminal.
    package static let assumedCellPixels = PixelSize(width: 10, height: 20)

    /// Returns the pixels of a box of cells.
    public func pixelBox(for cells: CellSize) -> PixelSize { options.pixelBox(for: cells) }

    /// Width by height of one pixel.
    package var pixelAspect: Double { options.pixelAspect }
}

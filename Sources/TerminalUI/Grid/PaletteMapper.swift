/// Brings the look of cells to what a terminal of few colours understands.
struct PaletteMapper: Sendable {
    private let depth: ColorDepth
    /// Made when the first colour needs it: pictures come in the palette's colours already.
    private var nearest: NearestColor?

    init(_ depth: ColorDepth) {
        self.depth = depth
    }

    @inline(__always)
    mutating func fit(_ cell: inout Cell) {
        switch depth {
        case .truecolor: return
        case .monochrome:
            cell.style = .plain
            // Without colours a block is what it is.
            if cell.isPicture { cell.glyph = cell.scalar }
        case .palette16, .palette256:
            cell.style.foreground = fit(cell.style.foreground)
            cell.style.background = fit(cell.style.background)
        }
    }

    private mutating func fit(_ color: CellColor) -> CellColor {
        if let channels = color.channels { return fit(channels) }
        // The first sixteen are understood everywhere.
        guard depth == .palette16, let index = color.paletteIndex, index >= 16 else { return color }
        return fit(XtermPalette.cubeAndGreys[Int(index) - 16])
    }

    private mutating func fit(_ channels: RGB) -> CellColor {
        var nearest = self.nearest ?? makeNearest()
        self.nearest = nil
        defer { self.nearest = nearest }
        return .palette(UInt8(truncatingIfNeeded: nearest.ink(of: PackedPixel(channels)).number))
    }

    private func makeNearest() -> NearestColor {
        depth == .palette16
            ? NearestColor(XtermPalette.sixteen, first: 0) : NearestColor(XtermPalette.cubeAndGreys, first: 16)
    }
}

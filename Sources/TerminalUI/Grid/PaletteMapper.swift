struct PaletteMapper: Sendable {
    private let depth: ColorDepth
    /// Created for the first colour that needs it; images already use the palette.
    private var nearest: NearestColor?

    init(_ depth: ColorDepth) { self.depth = depth }

    @inline(__always)
    mutating func map(_ cell: inout Cell) {
        if depth == .truecolor { return }
        // The colour of a picture's cell is its number.
        if cell.isPlaced { return }
        switch depth {
        case .truecolor: break
        case .monochrome:
            cell.style = .plain
            // Without colours a block must be exact.
            if cell.isImage { cell.glyph = cell.scalar }
        case .palette16, .palette256:
            cell.style.foreground = map(cell.style.foreground)
            cell.style.background = map(cell.style.background)
        }
    }

    private mutating func map(_ color: CellColor) -> CellColor {
        if let channels = color.channels { return map(channels) }
        // Every terminal has the first sixteen.
        guard depth == .palette16, let index = color.paletteIndex, index >= 16 else { return color }
        return map(TerminalPalette.cubeAndGreys[Int(index) - 16])
    }

    private mutating func map(_ channels: RGB) -> CellColor {
        var nearest = self.nearest ?? NearestColor(depth)
        self.nearest = nil
        defer { self.nearest = nearest }
        return .palette(UInt8(truncatingIfNeeded: nearest.code(of: PackedPixel(channels)).number))
    }
}

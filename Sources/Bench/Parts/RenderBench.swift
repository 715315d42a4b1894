internal import SpyglassPixels
internal import SpyglassTerminalUI

/// Drawing: images as cells in every colour mode, and a full repaint of the screen.
struct RenderBench {
    private let size: CellSize

    private static let defaultSize = CellSize(clamping: 120, 40)

    init(scale: Double) {
        size = CellSize(
            clamping: Int(Double(Self.defaultSize.columns) * scale), Int(Double(Self.defaultSize.rows) * scale))
    }

    var benchmarks: [Benchmark] {
        let modes =
            ColorDepth.allCases.map { ($0.rawValue, $0, SymbolSet.half) }
            + [SymbolSet.quadrant, .sextant, .octant].map { ($0.rawValue, ColorDepth.truecolor, $0) }
        return modes.flatMap { name, depth, symbols in
            [
                .timed("render.cells.\(name)", .cellsPerSecond) { (cells(depth, symbols), nil) },
                .counted("render.bytes.\(name)", .bytesPerCell) { (bytesPerCell(depth, symbols), nil) },
            ]
        } + [.timed("render.frame.full", .framesPerSecond) { (full(), nil) }]
    }

    private func images(_ symbols: SymbolSet) -> [PixelBuffer] {
        (1...3).map { SampleImage(symbols.pixelBox(for: size), seed: UInt64($0)).pixels() }
    }

    private var cellCount: Int { size.columns * size.rows }

    private func cells(_ depth: ColorDepth, _ symbols: SymbolSet) -> Workload {
        let images = images(symbols)
        // Reused, as the browser does: it caches the nearest palette colours.
        var blocks = SymbolEncoder(symbols, depth: depth)
        return Workload(of: cellCount * images.count) {
            for image in images { blackHole(blocks.encode(image)) }
        }
    }

    private func bytesPerCell(_ depth: ColorDepth, _ symbols: SymbolSet) -> Double {
        var blocks = SymbolEncoder(symbols, depth: depth)
        let bytes = images(symbols).map { blocks.encode($0).raw.count }
        return Double(bytes.reduce(0, +)) / Double(3 * cellCount)
    }

    /// A list of images with text.
    private func screen() -> CellGrid {
        var blocks = SymbolEncoder(depth: .truecolor)
        let box = CellSize(clamping: size.columns / 5, 8)
        var grid = CellGrid(size: size)
        for item in 0...size.rows / (box.rows + 1) {
            let row = item * (box.rows + 1)
            let image = SampleImage(filling: box, seed: UInt64(item + 1)).pixels()
            grid.put(blocks.cells(of: image), at: CellPosition(column: 1, row: row))
            for line in 0..<4 {
                let text = TerminalText(cleaning: "Photograph \(item): line \(line) of what is said about it")
                grid.put(text, at: CellPosition(column: box.columns + 3, row: row + line))
            }
        }
        return grid
    }

    private func full() -> Workload {
        let grid = screen()
        var painter = Painter(size: size, depth: .truecolor)
        return Workload(of: 1) {
            painter.forget()
            blackHole(painter.paint(grid))
        }
    }
}

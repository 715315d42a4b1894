internal import SpyglassPixels
internal import SpyglassTerminalUI

/// Drawing: pictures as cells in every colour mode, and what a screen that scrolls sends.
struct RenderBench {
    private let size: CellSize

    /// A large terminal window.
    private static let usual = CellSize(clamping: 120, 40)
    /// How many screens a scroll goes through.
    private static let scrollCount = 32

    init(scale: Double) {
        size = CellSize(
            clamping: Int(Double(Self.usual.columns) * scale), Int(Double(Self.usual.rows) * scale))
    }

    var benchmarks: [Benchmark] {
        ColorDepth.allCases.flatMap { depth in
            [
                .timed("render.cells.\(depth.rawValue)", .cellsPerSecond) { (cells(depth), nil) },
                .counted("render.bytes.\(depth.rawValue)", .bytesPerCell) { (bytesPerCell(depth), nil) },
            ]
        } + [
            .timed("render.frame.full", .framesPerSecond) { (full(), nil) },
            .timed("render.frame.scroll", .framesPerSecond) { (scroll(), nil) },
            .counted("render.frame.scroll.bytes", .bytesPerFrame) {
                (try bytesPerScroll(), ("full repaint", Double(fullBytes())))
            },
        ]
    }

    // MARK: Pictures

    private func picture(_ seed: UInt64) -> PixelBuffer {
        SampleImage(HalfBlock.pixelBox(for: size), seed: seed).pixels()
    }

    private var cellCount: Int { size.columns * size.rows }

    private func cells(_ depth: ColorDepth) -> Workload {
        let pictures = (1...3).map { picture(UInt64($0)) }
        // It remembers which colour is nearest to which, as one that draws many pictures does.
        var blocks = HalfBlock(depth: depth)
        return Workload(of: cellCount * pictures.count) {
            for picture in pictures { blackHole(blocks.encode(picture)) }
        }
    }

    private func bytesPerCell(_ depth: ColorDepth) -> Double {
        var blocks = HalfBlock(depth: depth)
        let bytes = (1...3).map { blocks.encode(picture(UInt64($0))).raw.count }
        return Double(bytes.reduce(0, +)) / Double(3 * cellCount)
    }

    // MARK: Screens

    /// A list of pictures beside text, each some rows further up than the one before.
    private func screens() -> [CellGrid] {
        var blocks = HalfBlock(depth: .truecolor)
        let box = CellSize(clamping: size.columns / 5, 8)
        let images = (1...6).map { seed in
            blocks.cells(of: SampleImage(HalfBlock.pixelBox(for: box), seed: UInt64(seed)).pixels())
        }
        let step = box.rows + 1
        return (0..<Self.scrollCount).map { top in
            var grid = CellGrid(size: size)
            for item in top / step...(top + size.rows) / step {
                let row = item * step - top
                grid.put(images[item % images.count], at: CellPosition(column: 1, row: row))
                for line in 0..<4 {
                    let text = TerminalText(cleaning: "Photograph \(item): line \(line) of what is said about it")
                    grid.put(text, at: CellPosition(column: box.columns + 3, row: row + line))
                }
            }
            return grid
        }
    }

    private func full() -> Workload {
        let grid = screens()[0]
        var painter = Painter(size: size, depth: .truecolor)
        return Workload(of: 1) {
            painter.forget()
            blackHole(painter.paint(grid))
        }
    }

    /// Down through all screens and up again, so that no frame is larger than a step.
    private func scroll() -> Workload {
        let grids = screens()
        // Each end once: painted twice it would be a frame without a change.
        let way = grids + grids.dropFirst().dropLast().reversed()
        var painter = Painter(size: size, depth: .truecolor)
        return Workload(of: way.count) {
            for grid in way { blackHole(painter.paint(grid)) }
        }
    }

    private func bytesPerScroll() throws(BenchError) -> Double {
        let grids = screens()
        var painter = Painter(size: size, depth: .truecolor)
        blackHole(painter.paint(grids[0]))
        let bytes = grids.dropFirst().map { painter.paint($0).bytes.raw.count }
        guard !bytes.isEmpty else { throw BenchError("there is nothing to scroll") }
        return Double(bytes.reduce(0, +)) / Double(bytes.count)
    }

    private func fullBytes() -> Int {
        var painter = Painter(size: size, depth: .truecolor)
        return painter.paint(screens()[0]).bytes.raw.count
    }
}

struct PassSums: PassStore {
    private let source: PixelSize
    private let target: PixelSize
    private let layout: RowLayout
    private let light: [UInt16]
    private var sums: [UInt64]
    /// The source area of each target pixel so far; a complete one has `source.pixelCount`.
    private var areas: [UInt64]
    private var columns: PassColumns?

    static func memory(of target: PixelSize, layout: RowLayout) -> Int {
        target.pixelCount.multipliedReportingOverflow(by: (layout.channels + 1) * MemoryLayout<UInt64>.size)
            .partialValue
    }

    init(from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve) {
        self.source = source
        self.target = target
        self.layout = layout
        light = transfer.light()
        sums = [UInt64](repeating: 0, count: target.pixelCount * layout.channels)
        areas = [UInt64](repeating: 0, count: target.pixelCount)
    }

    mutating func add(_ row: Span<UInt8>, y: Int, of pass: Adam7Pass) {
        if columns?.pass != pass { columns = PassColumns(of: pass, from: source, to: target, layout: layout) }
        columns?.sum(row, light: light)
        // The overlapping target rows; a source row is `target.height` units long.
        var top = y * target.height
        let bottom = top + target.height
        while top < bottom {
            let targetY = top / source.height
            let stop = min(bottom, (targetY + 1) * source.height)
            columns?.add(to: &sums, areas: &areas, row: targetY, height: UInt64(stop - top))
            top = stop
        }
    }

    func finish() -> [PixelBuffer] {
        let average = PixelAverage(layout: layout)
        var image = PixelBuffer(size: target)
        sums.withUnsafeBufferPointer { sums in
            for y in 0..<target.height {
                for x in 0..<target.width {
                    guard let known = nearestKnown(x, y) else { continue }
                    image[x, y] = average.pixel(sums, column: known, scale: 1 / Double(areas[known]))
                }
            }
        }
        return [image]
    }

    /// The index of the target pixel. If it has no data, of the one at the corner of its block in a coarser pass.
    private func nearestKnown(_ x: Int, _ y: Int) -> Int? {
        let index = y * target.width + x
        if areas[index] > 0 { return index }
        // The pixel's centre, and the corners of the blocks of passes 6 to 1 around it.
        let sourceX = (2 * x + 1) * source.width / (2 * target.width)
        let sourceY = (2 * y + 1) * source.height / (2 * target.height)
        for (width, height) in [(1, 2), (2, 2), (2, 4), (4, 4), (4, 8), (8, 8)] {
            let cornerX = (sourceX & ~(width - 1)) * target.width / source.width
            let cornerY = (sourceY & ~(height - 1)) * target.height / source.height
            let corner = cornerY * target.width + cornerX
            if areas[corner] > 0 { return corner }
        }
        return nil
    }
}

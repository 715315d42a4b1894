/// Averages the rows of a picture into a smaller (or larger) one as they arrive.
///
///     var resampler = AreaResampler(from: source, to: target, layout: .rgb)
///     while let row = decoder.nextRow() { resampler.add(row) }
///     let picture = resampler.finish()
///
/// Every target pixel is the mean of the source area that it covers, in linear light, weighted by alpha, and exact at any ratio:
/// both sides are measured in units of which a source pixel is `target` and a target pixel is `source` long, so that every overlap
/// is a whole number and the sums are integers. Memory is the target's pixels and a few rows; the source is never kept.
///
/// Cost: a table look-up and an addition for each source byte. A resampler is not shared between threads.
///
/// Lanczos, for exports, is another type that takes rows in the same way.
public struct AreaResampler: ~Copyable {
    /// Sums are 64 bits wide and a pixel's light is 16: the source may have 2^47 pixels, far above every limit of a decoder.
    static let maximumPixelCount = 1 << 47

    private let source: PixelSize
    private let layout: RowLayout
    private var columns: ColumnAverager
    private var output: TargetRows
    /// Light x area, summed over the target row that is under way.
    private var sums: [UInt64]
    private var targetRow = 0

    /// Rows that have come.
    public private(set) var rowsAdded = 0

    /// A resampler for a picture of `source` pixels whose rows come in `layout` and stand for light as `transfer` says.
    ///
    /// - Precondition: `source` has fewer than 2^47 pixels.
    public init(
        from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve = .sRGB
    ) {
        precondition(source.pixelCount < Self.maximumPixelCount, "too many pixels for the sums")
        self.source = source
        self.layout = layout
        columns = ColumnAverager(from: source.width, to: target.width, layout: layout, light: transfer.light())
        output = TargetRows(size: target, layout: layout)
        sums = [UInt64](repeating: 0, count: target.width * layout.channels)
    }

    /// Takes the next row from the top; rows beyond the source's height are ignored.
    ///
    /// - Precondition: `row` has at least `source.width * layout.channels` bytes.
    public mutating func add(_ row: Span<UInt8>) {
        guard rowsAdded < source.height else { return }
        columns.average(row)
        let targetHeight = output.size.height
        var top = rowsAdded * targetHeight
        let bottom = top + targetHeight
        while top < bottom {
            let rowEnd = (targetRow + 1) * source.height
            let overlap = min(bottom, rowEnd) - top
            columns.add(to: &sums, weight: UInt64(overlap))
            top += overlap
            guard top == rowEnd else { break }
            output.append(sums, area: UInt64(source.pixelCount))
            targetRow += 1
            for at in sums.indices { sums[at] = 0 }
        }
        rowsAdded += 1
    }

    /// The picture: target rows that were filled in part are averaged over what came, and those that got nothing are transparent.
    public consuming func finish() -> PixelBuffer {
        let rowStart = targetRow * source.height
        let covered = rowsAdded * output.size.height - rowStart
        if targetRow < output.size.height, covered > 0 {
            output.append(sums, area: UInt64(covered * source.width))
        }
        return output.finish()
    }
}

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
/// Rows may come at a reduced scale, as a JPEG's do: with a `step` of 8 each pixel that comes stands for 8x8 of the source, and those
/// of the last column and row for what is left of it.
///
/// Cost: a table look-up and an addition for each source byte; a copy where nothing is to be resampled. A resampler is not shared between threads.
///
/// `LanczosResampler`, for exports, takes rows in the same way.
public struct AreaResampler: ~Copyable {
    /// What the source must have fewer pixels than: sums are 64 bits wide and a pixel's light is 16.
    public static let maximumPixelCount = 1 << 47

    private let source: PixelSize
    private let step: Int
    private let layout: RowLayout
    /// Whether every pixel that comes is one of the target's: what would come out is what comes in.
    private let isCopy: Bool
    private var columns: ColumnAverager
    private var output: TargetRows
    /// Light x area, summed over the target row that is under way.
    private var sums: [UInt64]
    private var targetRow = 0

    /// Rows that have come.
    public private(set) var rowsAdded = 0

    /// A resampler for a picture of `source` pixels whose rows come in `layout` and stand for light as `transfer` says.
    ///
    /// - Parameters:
    ///   - source: the picture's size, in stored pixels.
    ///   - target: the size that is wanted.
    ///   - layout: what the bytes of a row mean.
    ///   - transfer: how they stand for light.
    ///   - step: how many stored pixels, across and down, a pixel that comes stands for.
    /// - Precondition: `source` has fewer than 2^47 pixels, and no side of either size, nor `step`, is above 2^31 - 1.
    public init(
        from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve = .sRGB, step: Int = 1
    ) {
        precondition(source.pixelCount < Self.maximumPixelCount, "too many pixels for the sums")
        precondition(max(source.width, source.height, target.width, target.height) <= Int(Int32.max), "too long a side")
        precondition((1...Int(Int32.max)).contains(step))
        self.source = source
        self.step = step
        self.layout = layout
        isCopy = target.width * step == source.width && target.height * step == source.height && transfer == .sRGB
        columns = ColumnAverager(
            from: source.width, step: step, to: target.width, layout: layout, light: transfer.light())
        output = TargetRows(size: target, layout: layout)
        sums = [UInt64](repeating: 0, count: target.width * layout.channels)
    }

    /// Takes the next row from the top; rows beyond the source's height are ignored.
    ///
    /// - Precondition: `row` has a pixel for every `step` pixels of the source's width, and for the rest.
    public mutating func add(_ row: Span<UInt8>) {
        guard rowsAdded * step < source.height else { return }
        guard !isCopy else {
            rowsAdded += 1
            targetRow += 1
            return output.append(row, in: layout)
        }
        columns.average(row)
        let targetHeight = output.size.height
        var top = rowsAdded * step * targetHeight
        let bottom = sourceRowsCovered(by: rowsAdded + 1) * targetHeight
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
        let covered = sourceRowsCovered(by: rowsAdded) * output.size.height - rowStart
        if targetRow < output.size.height, covered > 0 {
            output.append(sums, area: UInt64(covered * source.width))
        }
        return output.finish()
    }

    private func sourceRowsCovered(by rows: Int) -> Int { min(rows * step, source.height) }
}

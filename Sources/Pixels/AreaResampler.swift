/// Averages rows into a smaller or larger image as they arrive.
///
///     var resampler = AreaResampler(from: source, to: target, layout: .rgb)
///     while let row = decoder.nextRow() { resampler.add(row) }
///     let image = resampler.finish()
///
/// Every target pixel is the mean of the area it covers, in linear light, weighted by alpha. It is exact at any ratio: a source
/// pixel is `target` units long and a target pixel `source`, so overlaps and sums are integers. Memory is the target's pixels and a
/// few rows.
///
/// Rows may be scaled, as a JPEG's are. With a `step` of 8 each pixel represents 8x8 source pixels, fewer at the right and bottom
/// edges. A part of an image may start and end within such a pixel; it becomes what the whole image, scaled alike, has there.
///
/// Cost: a table look-up and an addition for each source byte; a copy if nothing is resampled. Not thread-safe.
package struct AreaResampler: ~Copyable {
    /// The source must have fewer pixels: sums have 64 bits, and a pixel's light has 16.
    package static let maximumPixelCount = 1 << 47

    private let source: PixelSize
    private let step: Int
    /// Stored pixels of the first row that are above the source.
    private let top: Int
    private let across: AreaUnits
    private let down: AreaUnits
    private let layout: RowLayout
    /// Whether target pixels are source pixels.
    private let isCopy: Bool
    private var columns: ColumnAverager
    private var output: TargetRows
    private var sums: [UInt64]
    private var targetRow = 0
    private(set) var rowsAdded = 0

    /// Makes a resampler.
    ///
    /// - Parameters:
    ///   - source: the image's size in stored pixels.
    ///   - target: the output size.
    ///   - layout: the channels of a row.
    ///   - transfer: the curve from bytes to light.
    ///   - step: stored pixels, in each direction, that a pixel of a row stands for.
    /// - Precondition: `source` has fewer than 2^47 pixels; no side, nor `step`, exceeds 2^31 - 1.
    package init(
        from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve = .sRGB, step: Int = 1
    ) {
        self.init(
            from: source, part: PixelArea(of: source), to: target, layout: layout, transfer: transfer, step: step)
    }

    /// Makes a resampler of a part of an image, which must be inside; rows start with the pixels that hold its edges.
    package init(
        from whole: PixelSize, part: PixelArea, to target: PixelSize, layout: RowLayout, transfer: TransferCurve,
        step: Int
    ) {
        precondition(whole.pixelCount < Self.maximumPixelCount, "too many pixels for the sums")
        precondition(max(whole.width, whole.height, target.width, target.height) <= Int(Int32.max), "too long a side")
        precondition((1...Int(Int32.max)).contains(step))
        precondition(part.isInside(whole), "a part of the image")
        // Before the first field is set: calculated between them, optimised code of Swift 6.3 released fields not yet set.
        let (left, top) = (part.x % step, part.y % step)
        let across = AreaUnits(from: part.size.width, of: whole.width, to: target.width)
        let down = AreaUnits(from: part.size.height, of: whole.height, to: target.height)
        source = part.size
        self.step = step
        self.top = top
        self.across = across
        self.down = down
        self.layout = layout
        isCopy =
            target.width * step == part.size.width && target.height * step == part.size.height && transfer == .sRGB
            && left == 0 && top == 0
        columns = ColumnAverager(
            from: part.size.width, step: step, left: left, to: target.width, units: across, layout: layout,
            light: transfer.light())
        output = TargetRows(size: target, layout: layout)
        sums = [UInt64](repeating: 0, count: target.width * layout.channels)
    }

    /// Adds the next row from the top; ignores rows beyond the source's height.
    ///
    /// - Precondition: `row` has a pixel for every `step` pixels of the source's width, and for the rest.
    package mutating func add(_ row: Span<UInt8>) {
        guard rowsAdded * step - top < source.height else { return }
        guard !isCopy else {
            rowsAdded += 1
            targetRow += 1
            return output.append(row, in: layout)
        }
        columns.average(row)
        var top = sourceRowsCovered(by: rowsAdded) * down.pixel
        let bottom = sourceRowsCovered(by: rowsAdded + 1) * down.pixel
        while top < bottom {
            let rowEnd = (targetRow + 1) * down.target
            let overlap = min(bottom, rowEnd) - top
            columns.add(to: &sums, weight: UInt64(overlap))
            top += overlap
            guard top == rowEnd else { break }
            output.append(sums, area: UInt64(across.target * down.target))
            targetRow += 1
            for at in sums.indices { sums[at] = 0 }
        }
        rowsAdded += 1
    }

    /// Returns the image: partly filled target rows are averaged over what arrived, empty ones are transparent.
    package consuming func finish() -> PixelBuffer {
        let covered = sourceRowsCovered(by: rowsAdded) * down.pixel - targetRow * down.target
        if targetRow < output.size.height, covered > 0 { output.append(sums, area: UInt64(covered * across.target)) }
        return output.finish()
    }

    private func sourceRowsCovered(by rows: Int) -> Int { min(max(rows * step - top, 0), source.height) }
}

/// The lengths of a stored and of a target pixel along an axis, in units that divide both.
struct AreaUnits {
    let pixel: Int
    let target: Int

    /// `pixel : target` is `t : s`, for `t` target pixels of a part of `s` pixels.
    ///
    /// If `s` divides `t * n`, for `n` pixels of the whole image, they are `t * n / s` and `n`, those of the whole image at
    /// the same scale: then sums and their rounding are the same.
    init(from source: Int, of whole: Int, to target: Int) {
        let (pixel, rest) = (target * whole).quotientAndRemainder(dividingBy: source)
        (self.pixel, self.target) = rest == 0 ? (pixel, whole) : (target, source)
    }
}

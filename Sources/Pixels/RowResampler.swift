/// Resamples rows with either filter; a class, so that one decoder can feed several.
///
///     let resamplers = sizes.map { RowResampler(filter, from: source, to: $0, layout: .rgb) }
///     while let row = decoder.nextRow() { for resampler in resamplers { resampler.add(row) } }
///
/// Not thread-safe.
package final class RowResampler {
    // One of them is set; an enum of the two would be copied for each row.
    private var area: AreaResampler?
    private var lanczos: LanczosResampler?

    /// Makes a resampler with the parameters and preconditions of `AreaResampler`.
    package init(
        _ filter: ResampleFilter, from source: PixelSize, to target: PixelSize, layout: RowLayout,
        transfer: TransferCurve = .sRGB, step: Int = 1
    ) {
        // Without scaling both filters change nothing, and `area` is cheaper.
        switch step == 1 && source == target ? .area : filter {
        case .area: area = AreaResampler(from: source, to: target, layout: layout, transfer: transfer, step: step)
        case .lanczos:
            lanczos = LanczosResampler(from: source, to: target, layout: layout, transfer: transfer, step: step)
        }
    }

    /// Adds the next row from the top; ignores rows beyond the source's height.
    package func add(_ row: Span<UInt8>) {
        area?.add(row)
        lanczos?.add(row)
    }

    /// Returns the image; may be called once; missing rows are transparent.
    package func finish() -> PixelBuffer {
        if let area = area.take() { return area.finish() }
        if let lanczos = lanczos.take() { return lanczos.finish() }
        preconditionFailure("finish() is called once")
    }
}

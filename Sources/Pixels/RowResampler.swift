/// Makes a picture of rows with either filter; an object, so that several of them can be fed by one decoder.
///
///     let resamplers = sizes.map { RowResampler(filter, from: source, to: $0, layout: .rgb) }
///     while let row = decoder.nextRow() { for resampler in resamplers { resampler.add(row) } }
///
/// Not shared between threads.
package final class RowResampler {
    // One of them: an enum of the two would be copied at each row.
    private var area: AreaResampler?
    private var lanczos: LanczosResampler?

    /// A resampler with the parameters and preconditions of `AreaResampler`.
    package init(
        _ filter: ResampleFilter, from source: PixelSize, to target: PixelSize, layout: RowLayout,
        transfer: TransferCurve = .sRGB, step: Int = 1
    ) {
        // At its own size a picture needs no filter: the cheaper one changes nothing either.
        switch step == 1 && source == target ? .area : filter {
        case .area: area = AreaResampler(from: source, to: target, layout: layout, transfer: transfer, step: step)
        case .lanczos:
            lanczos = LanczosResampler(from: source, to: target, layout: layout, transfer: transfer, step: step)
        }
    }

    /// Takes the next row from the top; rows beyond the source's height are ignored.
    package func add(_ row: Span<UInt8>) {
        area?.add(row)
        lanczos?.add(row)
    }

    /// The picture, once; rows that got nothing are transparent.
    package func finish() -> PixelBuffer {
        if let area = area.take() { return area.finish() }
        if let lanczos = lanczos.take() { return lanczos.finish() }
        preconditionFailure("a picture is finished once")
    }
}

/// Resamples an image that arrives in Adam7 passes, in any order.
///
/// It keeps what needs less memory: sums of every target pixel, or the source image, always so for Lanczos. Where
/// pixels are missing, those of coarser passes stand for them.
package struct InterlacedResampler: ~Copyable {
    private let source: PixelSize
    private let layout: RowLayout
    // An enum would be copied for each row, since its payload cannot change in place.
    private var stores: [any PassStore]

    /// - Precondition: `source` has fewer than 2^47 pixels.
    package init(
        from source: PixelSize, to targets: [PixelSize], filter: ResampleFilter = .area, layout: RowLayout,
        transfer: TransferCurve = .sRGB
    ) {
        precondition(source.pixelCount < AreaResampler.maximumPixelCount, "too many pixels for the sums")
        self.source = source
        self.layout = layout
        let sums = targets.reduce(0.0) { $0 + Double(PassSums.memory(of: $1, layout: layout)) }
        if filter == .area, sums < Double(PassBlocks.memory(of: source, layout: layout)) {
            stores = targets.map { PassSums(from: source, to: $0, layout: layout, transfer: transfer) }
        } else {
            stores = [PassBlocks(from: source, to: targets, filter: filter, layout: layout, transfer: transfer)]
        }
    }

    /// Ignores rows outside the image; `row` holds all columns of the pass.
    package mutating func add(_ row: Span<UInt8>, row index: Int, of pass: Adam7Pass) {
        let columns = pass.columns(of: source.width)
        guard columns > 0, index >= 0, index < pass.rows(of: source.height) else { return }
        precondition(row.count >= columns * layout.channels, "a whole row of the pass")
        for at in stores.indices { stores[at].add(row, y: pass.firstRow + index * pass.rowStep, of: pass) }
    }

    package consuming func finish() -> [PixelBuffer] { stores.flatMap { $0.finish() } }
}

protocol PassStore {
    mutating func add(_ row: Span<UInt8>, y: Int, of pass: Adam7Pass)
    func finish() -> [PixelBuffer]
}

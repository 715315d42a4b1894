/// Resamples an image that arrives in Adam7 passes, to one or several sizes.
///
/// Area averages are sums, so passes may come in any order. They are held in the way that needs less memory: sums of
/// every target pixel, or the source image, each pass painted over the previous one. Lanczos needs rows in order, so it
/// always keeps the source image.
///
/// Without its last passes a target pixel is the mean of the source pixels that arrived or, if none did, a pixel of a
/// coarser pass.
package struct InterlacedResampler: ~Copyable {
    private let source: PixelSize
    private let layout: RowLayout
    // An enum would be copied for each row, since its payload cannot change in place.
    private var stores: [any PassStore]

    /// Makes a resampler for one size by area average.
    ///
    /// - Precondition: `source` has fewer than 2^47 pixels.
    package init(
        from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve = .sRGB
    ) {
        self.init(from: source, to: [target], filter: .area, layout: layout, transfer: transfer)
    }

    /// Makes a resampler for several sizes.
    package init(
        from source: PixelSize, to targets: [PixelSize], filter: ResampleFilter, layout: RowLayout,
        transfer: TransferCurve
    ) {
        precondition(source.pixelCount < AreaResampler.maximumPixelCount, "too many pixels for the sums")
        self.source = source
        self.layout = layout
        let sums = targets.reduce(0) { $0.addingClamped(PassSums.memory(of: $1, layout: layout)) }
        if filter == .area, sums < PassBlocks.memory(of: source, layout: layout) {
            stores = targets.map { PassSums(from: source, to: $0, layout: layout, transfer: transfer) }
        } else {
            stores = [PassBlocks(from: source, to: targets, filter: filter, layout: layout, transfer: transfer)]
        }
    }

    /// Adds a row of a pass, counted from 0, in any order; ignores rows outside the image.
    ///
    /// - Precondition: `row` holds all columns of the pass, packed in the layout.
    package mutating func add(_ row: Span<UInt8>, row index: Int, of pass: Adam7Pass) {
        let columns = pass.columns(of: source.width)
        guard columns > 0, index >= 0, index < pass.rows(of: source.height) else { return }
        precondition(row.count >= columns * layout.channels, "a whole row of the pass")
        for at in stores.indices { stores[at].add(row, y: pass.firstRow + index * pass.rowStep, of: pass) }
    }

    /// Returns the image of the only size; transparent if nothing arrived.
    package consuming func finish() -> PixelBuffer { finishAll()[0] }

    /// Returns the images in the order of their sizes.
    package consuming func finishAll() -> [PixelBuffer] { stores.flatMap { $0.finish() } }
}

/// Stores passes and makes images of them.
protocol PassStore {
    /// Adds the pixels of a pass in row `y` of the source.
    mutating func add(_ row: Span<UInt8>, y: Int, of pass: Adam7Pass)
    func finish() -> [PixelBuffer]
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, isOverflown) = addingReportingOverflow(other)
        return isOverflown ? .max : sum
    }
}

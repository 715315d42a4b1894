/// Resamples a picture whose pixels arrive in Adam7 passes, to one size or to several.
///
/// An area average is a sum, so passes can be added in any order. There are two ways to hold what has come, and the one with less
/// memory is taken: the sums of every target pixel, or the source picture itself, each pass painted in blocks over the one before.
/// Lanczos takes rows in order, so that the source picture is kept for it whatever its size.
///
/// A picture that lacks its last passes is made of what came: a target pixel is the mean of the source pixels that reached it or,
/// where none did, the pixel of a coarser pass that stands for its place.
public struct InterlacedResampler: ~Copyable {
    private let source: PixelSize
    private let layout: RowLayout
    // An enum of the two would be copied at each row: its payload cannot be changed in place.
    private var stores: [any PassStore]

    /// A resampler for a picture of `source` pixels whose pass rows come in `layout` and stand for light as `transfer` says.
    ///
    /// - Precondition: `source` has fewer than 2^47 pixels.
    public init(
        from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve = .sRGB
    ) {
        self.init(from: source, to: [target], filter: .area, layout: layout, transfer: transfer)
    }

    /// A resampler for several sizes.
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

    /// Takes a row of a pass, counted from 0; rows may come in any order, and one that the picture does not have is ignored.
    ///
    /// - Precondition: `row` holds all columns that the pass has of the picture, packed in the layout.
    public mutating func add(_ row: Span<UInt8>, row index: Int, of pass: Adam7Pass) {
        let columns = pass.columns(of: source.width)
        guard columns > 0, index >= 0, index < pass.rows(of: source.height) else { return }
        precondition(row.count >= columns * layout.channels, "a whole row of the pass")
        for at in stores.indices { stores[at].add(row, y: pass.firstRow + index * pass.rowStep, of: pass) }
    }

    /// The picture; where nothing came at all it is transparent.
    ///
    /// - Precondition: it is the only size.
    public consuming func finish() -> PixelBuffer { finishAll()[0] }

    /// The pictures, in the order of their sizes.
    package consuming func finishAll() -> [PixelBuffer] { stores.flatMap { $0.finish() } }
}

/// Holds what the passes brought, and makes a picture of it.
protocol PassStore {
    /// Takes the pixels of a pass that lie in row `y` of the source, which they do.
    mutating func add(_ row: Span<UInt8>, y: Int, of pass: Adam7Pass)
    func finish() -> [PixelBuffer]
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, isOverflown) = addingReportingOverflow(other)
        return isOverflown ? .max : sum
    }
}

/// Averages a picture whose pixels arrive in Adam7 passes (PNG specification, section 8.2).
///
/// An area average is a sum, so passes can be added in any order. There are two ways to hold what has come, and the one with less
/// memory is taken: the sums of every target pixel, or the source picture itself, each pass painted in blocks over the one before.
///
/// A picture that lacks its last passes is made of what came: a target pixel is the mean of the source pixels that reached it or,
/// where none did, the pixel of a coarser pass that stands for its place.
public struct InterlacedResampler: ~Copyable {
    private var store: any PassStore

    /// A resampler for a picture of `source` pixels whose pass rows come in `layout` and stand for light as `transfer` says.
    ///
    /// - Precondition: `source` has fewer than 2^47 pixels.
    public init(
        from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve = .sRGB
    ) {
        precondition(source.pixelCount < AreaResampler.maximumPixelCount, "too many pixels for the sums")
        if PassSums.memory(of: target, layout: layout) < PassBlocks.memory(of: source, layout: layout) {
            store = PassSums(from: source, to: target, layout: layout, transfer: transfer)
        } else {
            store = PassBlocks(from: source, to: target, layout: layout, transfer: transfer)
        }
    }

    /// Takes a row of a pass, which is every `xStep`th pixel from column `x` of source row `y`; a row outside the source is ignored.
    ///
    /// - Precondition: `row` holds every such pixel, packed in the layout, and `xStep` is above `x`, as in every pass of Adam7.
    public mutating func add(_ row: Span<UInt8>, y: Int, x: Int, xStep: Int) {
        precondition(x >= 0 && xStep > x)
        store.add(row, y: y, x: x, xStep: xStep)
    }

    /// The picture; where nothing came at all it is transparent.
    public consuming func finish() -> PixelBuffer { store.finish() }
}

/// Holds what the passes brought, and makes a picture of it.
protocol PassStore {
    mutating func add(_ row: Span<UInt8>, y: Int, x: Int, xStep: Int)
    func finish() -> PixelBuffer
}

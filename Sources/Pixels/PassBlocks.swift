/// Keeps the source image; each pixel fills its block until finer passes overwrite it.
struct PassBlocks: PassStore {
    private let source: PixelSize
    private let targets: [PixelSize]
    private let filter: ResampleFilter
    private let layout: RowLayout
    private let transfer: TransferCurve
    private var pixels: [UInt8]
    private var knownRows = 0

    static func memory(of source: PixelSize, layout: RowLayout) -> Int { source.pixelCount * layout.channels }

    init(
        from source: PixelSize, to targets: [PixelSize], filter: ResampleFilter, layout: RowLayout,
        transfer: TransferCurve
    ) {
        self.source = source
        self.targets = targets
        self.filter = filter
        self.layout = layout
        self.transfer = transfer
        pixels = [UInt8](repeating: 0, count: Self.memory(of: source, layout: layout))
    }

    mutating func add(_ row: Span<UInt8>, y: Int, of pass: Adam7Pass) {
        let (x, xStep, blockWidth) = (pass.firstColumn, pass.columnStep, pass.blockWidth)
        let channels = layout.channels
        let bottom = min(y + pass.blockHeight, source.height)
        knownRows = max(knownRows, bottom)
        var from = 0
        for start in stride(from: x, to: source.width, by: xStep) {
            for column in start..<min(start + blockWidth, source.width) {
                let at = (y * source.width + column) * channels
                for channel in 0..<channels { pixels[at + channel] = row[from + channel] }
            }
            from += channels
        }
        // Copies the block's first row to its other rows.
        for start in stride(from: x, to: source.width, by: xStep) where bottom > y + 1 {
            let width = (min(start + blockWidth, source.width) - start) * channels
            let first = (y * source.width + start) * channels
            for below in (y + 1)..<bottom {
                let at = (below * source.width + start) * channels
                for byte in 0..<width { pixels[at + byte] = pixels[first + byte] }
            }
        }
    }

    func finish() -> [PixelBuffer] {
        targets.map { target in
            let resampler = RowResampler(filter, from: source, to: target, layout: layout, transfer: transfer)
            let stride = source.width * layout.channels
            for y in 0..<knownRows { resampler.add(pixels.span.extracting(y * stride..<(y + 1) * stride)) }
            return resampler.finish()
        }
    }
}

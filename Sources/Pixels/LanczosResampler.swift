/// Makes a smaller or larger picture of rows as they arrive, by Lanczos with three lobes.
///
///     var resampler = LanczosResampler(from: source, to: target, layout: .rgb)
///     while let row = decoder.nextRow() { resampler.add(row) }
///     let picture = resampler.finish()
///
/// Light is linear and premultiplied by alpha; what the negative lobes bring above white or below black is cut, and no colour
/// is more than its alpha. At the edges the window is cut and the rest weighs as much as the whole. Memory is the target's pixels
/// and, for each of the six or so target rows that a row goes into, a row of floats; the source is never kept.
///
/// Rows may come at a reduced scale, as for `AreaResampler`. A resampler is not shared between threads. The same rows give the
/// same bytes on every machine.
public struct LanczosResampler: ~Copyable {
    private let layout: RowLayout
    private let target: PixelSize
    private let across: LanczosAxis
    private let down: LanczosAxis
    private let light: [Float]
    private let encoder = LinearLight.encoder
    /// The row that has come, in linear light, premultiplied.
    private var row: [Float]
    /// That row at the target's width.
    private var narrow: [Float]
    /// The target rows under way, each in the place of its number modulo their count.
    private var open: [Float]
    private var targetRow = 0
    private var bytes: [UInt8] = []

    /// Rows that have come.
    public private(set) var rowsAdded = 0

    /// A resampler with the parameters and preconditions of `AreaResampler`.
    public init(
        from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve = .sRGB, step: Int = 1
    ) {
        precondition(source.pixelCount < AreaResampler.maximumPixelCount, "too many pixels")
        precondition(max(source.width, source.height, target.width, target.height) <= Int(Int32.max), "too long a side")
        precondition(step >= 1)
        self.layout = layout
        self.target = target
        across = LanczosAxis(from: source.width, step: step, to: target.width)
        down = LanczosAxis(from: source.height, step: step, to: target.height)
        light = transfer.light().map { Float($0) / Float(LinearLight.maximum) }
        row = [Float](repeating: 0, count: across.samples * layout.channels)
        narrow = [Float](repeating: 0, count: target.width * layout.channels)
        open = [Float](repeating: 0, count: narrow.count * down.mostTargets)
        bytes.reserveCapacity(target.pixelCount * PixelBuffer.bytesPerPixel)
    }

    /// Takes the next row from the top; rows beyond the source's height are ignored.
    ///
    /// - Precondition: `row` has a pixel for every `step` pixels of the source's width, and for the rest.
    public mutating func add(_ bytes: Span<UInt8>) {
        guard rowsAdded < down.samples else { return }
        precondition(bytes.count >= row.count, "a whole row")
        linearize(bytes)
        shrink()
        var index = targetRow
        while index < target.height, down.first[index] <= rowsAdded {
            let weight = down.weights[down.starts[index] + rowsAdded - down.first[index]]
            let place = index % down.mostTargets * narrow.count
            for at in narrow.indices { open[place + at] += narrow[at] * weight }
            index += 1
        }
        rowsAdded += 1
        while targetRow < target.height, down.end(targetRow) <= rowsAdded { closeRow(weight: 1) }
    }

    /// The picture: target rows of which half the light came are made of that, and the others are transparent.
    public consuming func finish() -> PixelBuffer {
        while targetRow < target.height {
            let start = down.starts[targetRow]
            let came = max(rowsAdded - down.first[targetRow], 0)
            let weight = down.weights[start..<start + came].reduce(0, +)
            guard weight >= 0.5 else { break }
            closeRow(weight: weight)
        }
        let missing = target.pixelCount * PixelBuffer.bytesPerPixel - bytes.count
        if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
        return PixelBuffer(size: target, bytes: bytes)
    }

    private mutating func linearize(_ bytes: Span<UInt8>) {
        let (channels, lights) = (layout.channels, layout.lightChannels)
        guard layout.hasAlpha else {
            for at in row.indices { row[at] = light[Int(bytes[at])] }
            return
        }
        for start in stride(from: 0, to: row.count, by: channels) {
            let alpha = Float(bytes[start + lights]) / 255
            for channel in 0..<lights { row[start + channel] = light[Int(bytes[start + channel])] * alpha }
            row[start + lights] = alpha
        }
    }

    private mutating func shrink() {
        let channels = layout.channels
        for column in 0..<target.width {
            let start = across.starts[column]
            let taps = across.starts[column + 1] - start
            for channel in 0..<channels {
                var sum: Float = 0
                for tap in 0..<taps {
                    sum += row[(across.first[column] + tap) * channels + channel] * across.weights[start + tap]
                }
                narrow[column * channels + channel] = sum
            }
        }
    }

    private mutating func closeRow(weight: Float) {
        let (channels, lights) = (layout.channels, layout.lightChannels)
        let place = targetRow % down.mostTargets * narrow.count
        for column in 0..<target.width {
            let at = place + column * channels
            let coverage = layout.hasAlpha ? min(max(open[at + lights] / weight, 0), 1) : 1
            let alpha = UInt8(coverage * 255 + 0.5)
            func encoded(_ channel: Int) -> UInt8 {
                guard alpha > 0 else { return 0 }
                let light = min(max(open[at + channel] / weight / coverage, 0), 1)
                return encoder.encode(Int(light * Float(LinearLight.maximum) + 0.5))
            }
            let red = encoded(0)
            bytes += [red, lights == 3 ? encoded(1) : red, lights == 3 ? encoded(2) : red, alpha]
        }
        for at in place..<place + narrow.count { open[at] = 0 }
        targetRow += 1
    }
}

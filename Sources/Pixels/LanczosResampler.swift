/// Resamples rows by Lanczos with three lobes as they arrive.
///
///     var resampler = LanczosResampler(from: source, to: target, layout: .rgb)
///     while let row = decoder.nextRow() { resampler.add(row) }
///     let image = resampler.finish()
///
/// Light is linear and premultiplied by alpha. Overshoot is clamped to 0 to white, and colours to their alpha. At the
/// edges the window is cut and normalised. All sums are integers: the same rows give the same bytes everywhere. Light
/// has 14 bits; the darkest two eight-bit values are five steps apart.
///
/// Memory: the target's pixels, and the source rows of a target row (six times the ratio) at two bytes a sample. Rows may be
/// scaled, as for `AreaResampler`. Not thread-safe.
package struct LanczosResampler: ~Copyable {
    private let layout: RowLayout
    private let target: PixelSize
    private let light: LanczosLight
    private let horizontal: LanczosHorizontal
    private var vertical: LanczosVertical
    private let samples: Int
    private let isVerticalFirst: Bool
    /// A plane for each channel.
    private var wide: [Int16]
    private var narrow: [Int16]
    private var targetRow = 0
    private var bytes: [UInt8] = []

    /// Vertical first is less work while its rows fit a core's cache.
    private static let maxRingBytes = 512 * 1024

    private(set) var rowsAdded = 0

    /// Makes a resampler with the parameters and preconditions of `AreaResampler`.
    package init(
        from source: PixelSize, to target: PixelSize, layout: RowLayout, transfer: TransferCurve = .sRGB, step: Int = 1
    ) {
        precondition(source.pixelCount < AreaResampler.maximumPixelCount, "too many pixels")
        precondition(max(source.width, source.height, target.width, target.height) <= Int(Int32.max), "too long a side")
        precondition(step >= 1)
        self.layout = layout
        self.target = target
        light = LanczosLight(transfer)
        let columns = LanczosAxis(from: source.width, step: step, to: target.width)
        let rows = LanczosAxis(from: source.height, step: step, to: target.height)
        samples = columns.samples
        horizontal = LanczosHorizontal(columns)
        let planeWidth = Self.padded(columns.samples + horizontal.padding)
        let narrowWidth = Self.padded(horizontal.count)
        wide = [Int16](repeating: 0, count: planeWidth * layout.channels)
        narrow = [Int16](repeating: 0, count: narrowWidth * layout.channels)
        isVerticalFirst = wide.count * MemoryLayout<Int16>.size * rows.maxTaps <= Self.maxRingBytes
        vertical = LanczosVertical(rows, count: isVerticalFirst ? wide.count : narrow.count)
        bytes.reserveCapacity(target.pixelCount * PixelBuffer.bytesPerPixel)
    }

    /// The maximum bytes of the source rows under a target row's window: all rows, if only the height shrinks much.
    package static func windowBytes(from source: PixelSize, to target: PixelSize) -> Int {
        // Three lobes on each side, the rows at the edges, and the padding of `LanczosAxis` and `LanczosVertical`.
        let ratio = source.height / max(target.height, 1) + 1
        let rows = min(2 * 3 * ratio, source.height) + 2 + LanczosAxis.lanes
        return padded(target.width) * rows * RowLayout.rgba.channels * MemoryLayout<Int16>.size
    }

    private static func padded(_ count: Int) -> Int {
        (count + LanczosVertical.group - 1) / LanczosVertical.group * LanczosVertical.group
    }

    private var wideWidth: Int { wide.count / layout.channels }
    private var narrowWidth: Int { narrow.count / layout.channels }

    /// Adds the next row from the top; ignores rows beyond the source's height.
    ///
    /// - Precondition: `row` has a pixel for every `step` pixels of the source's width, and for the rest.
    package mutating func add(_ row: Span<UInt8>) {
        guard rowsAdded < vertical.axis.samples else { return }
        let (layout, wideWidth, narrowWidth) = (layout, wideWidth, narrowWidth)
        let (channels, samples) = (layout.channels, samples)
        precondition(row.count >= samples * channels, "a whole row")
        row.withUnsafeBufferPointer { row in
            guard let row = row.baseAddress else { return }
            if isVerticalFirst {
                vertical.withRow(rowsAdded) {
                    light.decode(row, layout, samples, into: $0, plane: wideWidth * 2, spacing: 2)
                }
            } else {
                wide.withUnsafeMutableBufferPointer { wide in
                    narrow.withUnsafeMutableBufferPointer { narrow in
                        guard let wide = wide.baseAddress, let narrow = narrow.baseAddress else { return }
                        light.decode(row, layout, samples, into: wide, plane: wideWidth, spacing: 1)
                        for channel in 0..<channels {
                            horizontal.weigh(wide + channel * wideWidth, into: narrow + channel * narrowWidth)
                        }
                        vertical.withRow(rowsAdded) { place in
                            for at in 0..<narrowWidth * channels { place[2 * at] = narrow[at] }
                        }
                    }
                }
            }
        }
        rowsAdded += 1
        while targetRow < target.height, vertical.axis.end(targetRow) <= rowsAdded {
            closeRow(rows: Int(vertical.axis.taps[targetRow]))
        }
    }

    /// Returns the image: target rows with at least half of their weight are normalised, the others are transparent.
    package consuming func finish() -> PixelBuffer {
        while targetRow < target.height {
            let rows = max(rowsAdded - Int(vertical.axis.first[targetRow]), 0)
            guard vertical.weight(targetRow, rows: rows) * 2 >= Double(1 << vertical.axis.bits) else { break }
            closeRow(rows: rows)
        }
        let missing = target.pixelCount * PixelBuffer.bytesPerPixel - bytes.count
        if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
        return PixelBuffer(size: target, bytes: bytes)
    }

    private mutating func closeRow(rows: Int) {
        let (channels, layout, width) = (layout.channels, layout, target.width)
        let (wideWidth, narrowWidth) = (wideWidth, narrowWidth)
        wide.withUnsafeMutableBufferPointer { wide in
            narrow.withUnsafeMutableBufferPointer { narrow in
                guard let wide = wide.baseAddress, let narrow = narrow.baseAddress else { return }
                if isVerticalFirst {
                    vertical.weigh(targetRow, rows: rows, into: wide)
                    for channel in 0..<channels {
                        horizontal.weigh(wide + channel * wideWidth, into: narrow + channel * narrowWidth)
                    }
                } else {
                    vertical.weigh(targetRow, rows: rows, into: narrow)
                }
                bytes.append(addingCapacity: width * PixelBuffer.bytesPerPixel) { output in
                    LanczosLight.encode(narrow, layout, width, plane: narrowWidth, into: &output)
                }
            }
        }
        targetRow += 1
    }
}

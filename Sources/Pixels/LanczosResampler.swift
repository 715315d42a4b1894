/// Makes a smaller or larger picture of rows as they arrive, by Lanczos with three lobes.
///
///     var resampler = LanczosResampler(from: source, to: target, layout: .rgb)
///     while let row = decoder.nextRow() { resampler.add(row) }
///     let picture = resampler.finish()
///
/// Light is linear and premultiplied by alpha; what the negative lobes bring above white or below black is cut, and no colour
/// is more than its alpha. At the edges the window is cut, and what is left of it weighs as much as the whole. All sums are of whole
/// numbers: the same rows give the same bytes everywhere. Light is rounded to 14 bits on the way, of which the darkest two
/// eight-bit values lie five steps apart.
///
/// Memory is the target's pixels and the rows that a target row needs, six for each row that becomes one, at two bytes a sample.
/// Rows may come at a reduced scale, as for `AreaResampler`. A resampler is not shared between threads.
public struct LanczosResampler: ~Copyable {
    private let layout: RowLayout
    private let target: PixelSize
    private let light: LanczosLight
    private let across: LanczosHorizontal
    private var down: LanczosVertical
    /// Pixels of a row.
    private let samples: Int
    /// Whether rows are weighed into target rows at their full width, and then across.
    private let isDownFirst: Bool
    /// A full row, one plane a channel.
    private var wide: [Int16]
    /// A row as wide as the target, the same.
    private var narrow: [Int16]
    private var targetRow = 0
    private var bytes: [UInt8] = []

    /// Down first has less to do, for as long as the rows stay in a core's cache; else the narrow ones are kept.
    private static let maxRingBytes = 512 * 1024

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
        light = LanczosLight(transfer)
        let columns = LanczosAxis(from: source.width, step: step, to: target.width)
        let rows = LanczosAxis(from: source.height, step: step, to: target.height)
        samples = columns.samples
        across = LanczosHorizontal(columns)
        let planeWidth = Self.padded(columns.samples + across.padding)
        let narrowWidth = Self.padded(across.count)
        wide = [Int16](repeating: 0, count: planeWidth * layout.channels)
        narrow = [Int16](repeating: 0, count: narrowWidth * layout.channels)
        isDownFirst = wide.count * MemoryLayout<Int16>.size * rows.maxTaps <= Self.maxRingBytes
        down = LanczosVertical(rows, count: isDownFirst ? wide.count : narrow.count)
        bytes.reserveCapacity(target.pixelCount * PixelBuffer.bytesPerPixel)
    }

    private static func padded(_ count: Int) -> Int {
        (count + LanczosVertical.group - 1) / LanczosVertical.group * LanczosVertical.group
    }

    private var wideWidth: Int { wide.count / layout.channels }
    private var narrowWidth: Int { narrow.count / layout.channels }

    /// Takes the next row from the top; rows beyond the source's height are ignored.
    ///
    /// - Precondition: `row` has a pixel for every `step` pixels of the source's width, and for the rest.
    public mutating func add(_ row: Span<UInt8>) {
        guard rowsAdded < down.axis.samples else { return }
        let (layout, wideWidth, narrowWidth) = (layout, wideWidth, narrowWidth)
        let (light, across, channels, samples) = (light, across, layout.channels, samples)
        precondition(row.count >= samples * channels, "a whole row")
        row.withUnsafeBufferPointer { row in
            guard let row = row.baseAddress else { return }
            if isDownFirst {
                down.withRow(rowsAdded) {
                    light.decode(row, layout, samples, into: $0, plane: wideWidth * 2, spacing: 2)
                }
            } else {
                wide.withUnsafeMutableBufferPointer { wide in
                    narrow.withUnsafeMutableBufferPointer { narrow in
                        guard let wide = wide.baseAddress, let narrow = narrow.baseAddress else { return }
                        light.decode(row, layout, samples, into: wide, plane: wideWidth, spacing: 1)
                        for channel in 0..<channels {
                            across.weigh(
                                wide + channel * wideWidth, into: narrow + channel * narrowWidth)
                        }
                        down.withRow(rowsAdded) { place in
                            for at in 0..<narrowWidth * channels { place[2 * at] = narrow[at] }
                        }
                    }
                }
            }
        }
        rowsAdded += 1
        while targetRow < target.height, down.axis.end(targetRow) <= rowsAdded {
            closeRow(rows: Int(down.axis.taps[targetRow]))
        }
    }

    /// The picture: target rows of which half the light came are made of that, and the others are transparent.
    public consuming func finish() -> PixelBuffer {
        while targetRow < target.height {
            let rows = max(rowsAdded - Int(down.axis.first[targetRow]), 0)
            guard down.weight(targetRow, rows: rows) * 2 >= Double(1 << down.axis.bits) else { break }
            closeRow(rows: rows)
        }
        let missing = target.pixelCount * PixelBuffer.bytesPerPixel - bytes.count
        if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
        return PixelBuffer(size: target, bytes: bytes)
    }

    private mutating func closeRow(rows: Int) {
        let (channels, layout, width) = (layout.channels, layout, target.width)
        let (wideWidth, narrowWidth, across) = (wideWidth, narrowWidth, across)
        wide.withUnsafeMutableBufferPointer { wide in
            narrow.withUnsafeMutableBufferPointer { narrow in
                guard let wide = wide.baseAddress, let narrow = narrow.baseAddress else { return }
                if isDownFirst {
                    down.weigh(targetRow, rows: rows, into: wide)
                    for channel in 0..<channels {
                        across.weigh(
                            wide + channel * wideWidth, into: narrow + channel * narrowWidth)
                    }
                } else {
                    down.weigh(targetRow, rows: rows, into: narrow)
                }
                bytes.append(addingCapacity: width * PixelBuffer.bytesPerPixel) { output in
                    LanczosLight.encode(narrow, layout, width, plane: narrowWidth, into: &output)
                }
            }
        }
        targetRow += 1
    }
}

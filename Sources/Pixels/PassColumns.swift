/// Sums one row of a pass horizontally: light x width for each target column, premultiplied by alpha.
struct PassColumns {
    /// The first target column that a pixel overlaps, and by how much; the rest lies further right.
    private struct Overlap {
        var column: Int32
        var width: UInt32
    }

    let pass: Adam7Pass
    private let layout: RowLayout
    private let overlaps: [Overlap]
    /// Widths of a source pixel and a target column, in units that make both integers.
    private let pixelWidth: Int
    private let columnWidth: Int
    private var sums: [UInt64]
    private let widths: [UInt64]

    init(of pass: Adam7Pass, from source: PixelSize, to target: PixelSize, layout: RowLayout) {
        self.pass = pass
        self.layout = layout
        pixelWidth = target.width
        columnWidth = source.width
        var overlaps: [Overlap] = []
        var widths = [UInt64](repeating: 0, count: target.width)
        for pixel in 0..<pass.columns(of: source.width) {
            var left = (pass.firstColumn + pixel * pass.columnStep) * target.width
            let right = left + target.width
            let first = left / source.width
            for column in first... where left < right {
                let end = min(right, (column + 1) * source.width)
                if column == first { overlaps.append(Overlap(column: Int32(column), width: UInt32(end - left))) }
                widths[column] += UInt64(end - left)
                left = end
                if left == right { break }
            }
        }
        self.overlaps = overlaps
        self.widths = widths
        sums = [UInt64](repeating: 0, count: target.width * layout.channels)
    }

    mutating func sum(_ row: Span<UInt8>, light: [UInt16]) {
        precondition(row.count >= overlaps.count * layout.channels, "a whole row")
        let (layout, pixelWidth, columnWidth) = (layout, pixelWidth, columnWidth)
        row.withUnsafeBufferPointer { row in
            light.withUnsafeBufferPointer { light in
                overlaps.withUnsafeBufferPointer { overlaps in
                    sums.withUnsafeMutableBufferPointer { sums in
                        sums.update(repeating: 0)
                        guard let row = row.baseAddress, let light = light.baseAddress, let sums = sums.baseAddress
                        else { return }
                        switch layout {
                        case .gray: Self.sum(row, light, overlaps, pixelWidth, columnWidth, sums, 1, hasAlpha: false)
                        case .grayAlpha:
                            Self.sum(row, light, overlaps, pixelWidth, columnWidth, sums, 1, hasAlpha: true)
                        case .rgb: Self.sum(row, light, overlaps, pixelWidth, columnWidth, sums, 3, hasAlpha: false)
                        case .rgba: Self.sum(row, light, overlaps, pixelWidth, columnWidth, sums, 3, hasAlpha: true)
                        }
                    }
                }
            }
        }
    }

    @inline(always)
    private static func sum(
        _ row: UnsafePointer<UInt8>, _ light: UnsafePointer<UInt16>, _ overlaps: UnsafeBufferPointer<Overlap>,
        _ pixelWidth: Int, _ columnWidth: Int, _ sums: UnsafeMutablePointer<UInt64>, _ lightChannels: Int,
        hasAlpha: Bool
    ) {
        let channels = hasAlpha ? lightChannels &+ 1 : lightChannels
        var pixel = row
        for overlap in overlaps {
            var output = sums + Int(overlap.column) &* channels
            var width = UInt64(overlap.width)
            var left = pixelWidth
            while true {
                if !hasAlpha || pixel[lightChannels] == 255 {
                    for channel in 0..<lightChannels {
                        output[channel] &+= UInt64(light[Int(pixel[channel])]) &* width
                    }
                    if hasAlpha { output[lightChannels] &+= 65_535 &* width }
                } else if pixel[lightChannels] > 0 {
                    let alpha = UInt64(pixel[lightChannels])
                    for channel in 0..<lightChannels {
                        output[channel] &+= (UInt64(light[Int(pixel[channel])]) &* alpha &+ 127) / 255 &* width
                    }
                    output[lightChannels] &+= alpha &* 257 &* width
                }
                left &-= Int(width)
                guard left > 0 else { break }
                width = UInt64(min(left, columnWidth))
                output += channels
            }
            pixel += channels
        }
    }

    func add(to total: inout [UInt64], areas: inout [UInt64], row: Int, height: UInt64) {
        let (firstSum, firstArea) = (row * sums.count, row * widths.count)
        precondition(total.count >= firstSum + sums.count && areas.count >= firstArea + widths.count)
        total.withUnsafeMutableBufferPointer { total in
            for at in sums.indices { total[firstSum + at] &+= sums[at] &* height }
        }
        areas.withUnsafeMutableBufferPointer { areas in
            for at in widths.indices { areas[firstArea + at] &+= widths[at] &* height }
        }
    }
}

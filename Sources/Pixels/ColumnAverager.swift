/// Averages one row horizontally: light x width for each target column, premultiplied by alpha.
struct ColumnAverager {
    /// The source pixels under a target column: one in part, some whole, one in part.
    private struct Column {
        var first: Int32
        var whole: Int32
        var firstWeight: UInt32
        var lastWeight: UInt32
    }

    private let layout: RowLayout
    private let rowWidth: Int
    private let light: [UInt16]
    private let columns: [Column]
    private let wholeWeight: UInt64
    /// The weights of a column add up to the length of a target pixel.
    private var sums: [UInt64]

    init(
        from source: Int, step: Int, left: Int, to target: Int, units: AreaUnits, layout: RowLayout, light: [UInt16]
    ) {
        self.layout = layout
        self.light = light
        let unit = step * units.pixel
        rowWidth = (left + source + step - 1) / step
        wholeWeight = UInt64(unit)
        sums = [UInt64](repeating: 0, count: target * layout.channels)
        columns = (0..<target).map { column in
            let start = left * units.pixel + column * units.target
            let end = start + units.target
            let first = start / unit
            let firstEnd = (first + 1) * unit
            guard firstEnd < end else {
                return Column(first: Int32(first), whole: 0, firstWeight: UInt32(units.target), lastWeight: 0)
            }
            let whole = (end - firstEnd) / unit
            return Column(
                first: Int32(first), whole: Int32(whole), firstWeight: UInt32(firstEnd - start),
                lastWeight: UInt32(end - firstEnd - whole * unit))
        }
    }

    mutating func average(_ row: Span<UInt8>) {
        precondition(row.count >= rowWidth * layout.channels, "a whole row")
        let (layout, wholeWeight) = (layout, wholeWeight)
        row.withUnsafeBufferPointer { row in
            light.withUnsafeBufferPointer { light in
                columns.withUnsafeBufferPointer { columns in
                    sums.withUnsafeMutableBufferPointer { sums in
                        guard let row = row.baseAddress, let light = light.baseAddress, let sums = sums.baseAddress
                        else { return }
                        switch layout {
                        case .gray: Self.averageGray(row, light, columns, wholeWeight, sums)
                        case .rgb: Self.averageRGB(row, light, columns, wholeWeight, sums)
                        case .grayAlpha: Self.averageAlpha(row, light, columns, wholeWeight, sums, lightChannels: 1)
                        case .rgba: Self.averageAlpha(row, light, columns, wholeWeight, sums, lightChannels: 3)
                        }
                    }
                }
            }
        }
    }

    func add(to total: inout [UInt64], weight: UInt64) {
        precondition(total.count == sums.count)
        total.withUnsafeMutableBufferPointer { total in
            sums.withUnsafeBufferPointer { sums in
                for at in 0..<sums.count { total[at] &+= sums[at] &* weight }
            }
        }
    }

    @inline(always)
    private static func averageGray(
        _ row: UnsafePointer<UInt8>, _ light: UnsafePointer<UInt16>, _ columns: UnsafeBufferPointer<Column>,
        _ wholeWeight: UInt64, _ sums: UnsafeMutablePointer<UInt64>
    ) {
        for (at, column) in columns.enumerated() {
            var pixel = row + Int(column.first)
            var sum = UInt64(light[Int(pixel[0])]) &* UInt64(column.firstWeight)
            var whole: UInt64 = 0
            for _ in 0..<column.whole {
                pixel += 1
                whole &+= UInt64(light[Int(pixel[0])])
            }
            sum &+= whole &* wholeWeight
            if column.lastWeight > 0 { sum &+= UInt64(light[Int(pixel[1])]) &* UInt64(column.lastWeight) }
            sums[at] = sum
        }
    }

    @inline(always)
    private static func averageRGB(
        _ row: UnsafePointer<UInt8>, _ light: UnsafePointer<UInt16>, _ columns: UnsafeBufferPointer<Column>,
        _ wholeWeight: UInt64, _ sums: UnsafeMutablePointer<UInt64>
    ) {
        var output = sums
        for column in columns {
            var pixel = row + Int(column.first) * 3
            let first = UInt64(column.firstWeight)
            var (red, green, blue): (UInt64, UInt64, UInt64) = (0, 0, 0)
            let (red0, green0, blue0) = (light[Int(pixel[0])], light[Int(pixel[1])], light[Int(pixel[2])])
            for _ in 0..<column.whole {
                pixel += 3
                red &+= UInt64(light[Int(pixel[0])])
                green &+= UInt64(light[Int(pixel[1])])
                blue &+= UInt64(light[Int(pixel[2])])
            }
            red = red &* wholeWeight &+ UInt64(red0) &* first
            green = green &* wholeWeight &+ UInt64(green0) &* first
            blue = blue &* wholeWeight &+ UInt64(blue0) &* first
            if column.lastWeight > 0 {
                let last = UInt64(column.lastWeight)
                red &+= UInt64(light[Int(pixel[3])]) &* last
                green &+= UInt64(light[Int(pixel[4])]) &* last
                blue &+= UInt64(light[Int(pixel[5])]) &* last
            }
            output[0] = red
            output[1] = green
            output[2] = blue
            output += 3
        }
    }

    @inline(always)
    private static func averageAlpha(
        _ row: UnsafePointer<UInt8>, _ light: UnsafePointer<UInt16>, _ columns: UnsafeBufferPointer<Column>,
        _ wholeWeight: UInt64, _ sums: UnsafeMutablePointer<UInt64>, lightChannels: Int
    ) {
        let channels = lightChannels + 1
        for (at, column) in columns.enumerated() {
            let output = sums + at * channels
            for channel in 0..<channels { output[channel] = 0 }
            var pixel = row + Int(column.first) * channels
            let last = column.lastWeight > 0 ? 1 : 0
            for index in 0...(Int(column.whole) + last) {
                let weight =
                    index == 0
                    ? UInt64(column.firstWeight) : index <= Int(column.whole) ? wholeWeight : UInt64(column.lastWeight)
                let alpha = UInt64(pixel[lightChannels])
                if alpha == 255 {
                    for channel in 0..<lightChannels {
                        output[channel] &+= UInt64(light[Int(pixel[channel])]) &* weight
                    }
                    output[lightChannels] &+= 65_535 &* weight
                } else if alpha > 0 {
                    for channel in 0..<lightChannels {
                        let premultiplied = (UInt64(light[Int(pixel[channel])]) &* alpha &+ 127) / 255
                        output[channel] &+= premultiplied &* weight
                    }
                    output[lightChannels] &+= alpha &* 257 &* weight
                }
                pixel += channels
            }
        }
    }
}

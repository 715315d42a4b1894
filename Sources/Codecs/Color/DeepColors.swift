internal import SpyglassPixels

/// Converts rows of 16 bits a sample to sRGB of eight bits, before they are resampled: rounded first, PQ would show bands.
struct DeepColors {
    /// The light of each value, from 0 to 65,535.
    private let light: [UInt16]
    /// From light to that of sRGB's primaries, by rows, times 65,536; empty for grey.
    private let matrix: [Int]

    private static let one = 65_536

    /// Costs 65,536 evaluations of the curve, about 5 ms for PQ.
    init(_ points: CodePoints) {
        light = (0...LinearLight.maximum).map { value in
            UInt16(points.curve(Double(value) / Double(LinearLight.maximum)) * Double(LinearLight.maximum) + 0.5)
        }
        matrix = points.toSRGB.flatMap { $0.map { Int(($0 * Double(Self.one)).rounded()) } }
    }

    /// Converts native samples; grey may be in three channels.
    func convert(_ row: Span<UInt8>, _ layout: RowLayout, to output: inout [UInt8]) {
        let colors = layout.hasAlpha ? layout.channels - 1 : layout.channels
        precondition(output.count >= row.count / 2, "room for the row")
        row.withUnsafeBytes { row in
            func sample(_ index: Int) -> Int { Int(row.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)) }
            for start in stride(from: 0, to: row.count / 2, by: layout.channels) {
                if colors == 3, !matrix.isEmpty {
                    let (red, green) = (Int(light[sample(start)]), Int(light[sample(start + 1)]))
                    let blue = Int(light[sample(start + 2)])
                    for channel in 0..<3 {
                        let sum =
                            matrix[3 * channel] * red + matrix[3 * channel + 1] * green + matrix[3 * channel + 2] * blue
                        output[start + channel] = LinearLight.sRGB((sum + Self.one / 2) / Self.one)
                    }
                } else {
                    for at in start..<start + colors { output[at] = LinearLight.sRGB(Int(light[sample(at)])) }
                }
                if layout.hasAlpha { output[start + colors] = UInt8((sample(start + colors) + 128) / 257) }
            }
        }
    }
}

extension RowLayout {
    /// Returns native samples of 16 bits, with straight alpha, of a row of 9 to 16 bits, or of bytes.
    func deepened(_ row: Span<UInt8>, bits: Int, isPremultiplied: Bool) -> [UInt8] {
        let (bytes, max) = (bits > 8 ? 2 : 1, 1 << bits - 1)
        return row.withUnsafeBytes { row in
            func sample(_ index: Int) -> Int {
                bytes == 1 ? Int(row[index]) : Int(row.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
            }
            return [UInt8](unsafeUninitializedCapacity: row.count / bytes * 2) { output, count in
                count = row.count / bytes * 2
                for index in 0..<row.count / bytes {
                    let alphaAt = index / channels * channels + channels - 1
                    let whole = isPremultiplied && index != alphaAt ? Swift.max(sample(alphaAt), 1) : max
                    let value = min((sample(index) * 65_535 + whole / 2) / whole, 65_535)
                    (output[2 * index], output[2 * index + 1]) = (UInt8(value & 255), UInt8(value >> 8))
                }
            }
        }
    }
}

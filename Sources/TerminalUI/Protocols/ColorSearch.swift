/// Finds the nearest of at most 256 colours by squared distance, four at a time.
struct ColorSearch {
    private var red: [SIMD4<Float>]
    private var green: [SIMD4<Float>]
    private var blue: [SIMD4<Float>]

    init(_ colors: [SIMD4<Float>]) {
        let groups = (colors.count + 3) / 4
        // Padding is far from every colour.
        red = [SIMD4<Float>](repeating: SIMD4(repeating: 1e6), count: groups)
        green = red
        blue = red
        for (at, color) in colors.enumerated() {
            red[at / 4][at % 4] = color.x
            green[at / 4][at % 4] = color.y
            blue[at / 4][at % 4] = color.z
        }
    }

    /// Returns the index of the nearest colour, exact to 1/32,768 of the distance.
    func nearest(_ color: SIMD4<Float>) -> UInt8 {
        var best = SIMD4<Float>(repeating: .greatestFiniteMagnitude)
        var index = SIMD4<UInt32>(0, 1, 2, 3)
        for at in red.indices {
            let (r, g, b) = (red[at] - color.x, green[at] - color.y, blue[at] - color.z)
            let distance = r * r + g * g + b * b
            // The index replaces the low bits of the distance, so that one comparison selects both.
            let bits = unsafeBitCast(distance, to: SIMD4<UInt32>.self) & 0xFFFF_FF00 | index
            let marked = unsafeBitCast(bits, to: SIMD4<Float>.self)
            best = best.replacing(with: marked, where: marked .< best)
            index &+= 4
        }
        return UInt8(truncatingIfNeeded: best.min().bitPattern)
    }
}

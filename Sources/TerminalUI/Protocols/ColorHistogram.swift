/// The colours of an image in bins of six bits a channel.
struct ColorHistogram {
    /// By `PackedPixel.sixBitKey`: the number of a bin plus 1, or 0.
    private(set) var slots = [UInt32](repeating: 0, count: 1 << (3 * bits))
    private(set) var keys: [UInt32] = []
    /// The sums of red, green, blue and alpha, which is 255 a pixel.
    private(set) var bins: [SIMD4<Int32>] = []

    static let bits: UInt32 = 6
    /// The maximum of pixels whose sums fit 32 bits; of a larger image only every n-th pixel is counted.
    private static let maxPixels = 1 << 22

    /// Counts pixels, except transparent ones; the others are opaque.
    init(_ pixels: [UInt32]) {
        for at in stride(from: 0, to: pixels.count, by: pixels.count / Self.maxPixels + 1) {
            let pixel = pixels[at]
            guard pixel >> 24 != 0 else { continue }
            let key = PackedPixel(number: pixel).sixBitKey
            if slots[Int(key)] == 0 {
                keys.append(key)
                bins.append(.zero)
                slots[Int(key)] = UInt32(bins.count)
            }
            let color = unsafeBitCast(pixel, to: SIMD4<UInt8>.self)
            bins[Int(slots[Int(key)]) - 1] &+= SIMD4<Int32>(truncatingIfNeeded: color)
        }
    }

    static func mean(_ sum: SIMD4<Int32>) -> SIMD4<Float> { SIMD4<Float>(sum) * (255 / Float(sum.w)) }

    /// Returns `PackedPixel.sixBitKey` of a colour in steps of 1/16.
    static func key(of color: SIMD4<Int16>) -> Int {
        Int(color.x >> 6) | Int(color.y >> 6) << 6 | Int(color.z >> 6) << 12
    }

    static func center(of key: Int) -> SIMD4<Float> {
        SIMD4(Float(key & 0x3F), Float(key >> 6 & 0x3F), Float(key >> 12), 0) * 4 + 1.5
    }
}

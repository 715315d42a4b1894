/// Converts CMYK to RGB without a profile: each ink absorbs its share of the light that black leaves.
enum CMYK {
    static let bytesIn = 4
    static let bytesOut = 3

    static func convert(_ cmyk: Span<UInt8>, isInverted: Bool, pixels: Int, into rgb: inout [UInt8]) {
        precondition(cmyk.count >= pixels * bytesIn && rgb.count >= pixels * bytesOut)
        let flip: UInt8 = isInverted ? 0 : 255
        var output = rgb.mutableSpan
        for pixel in 0..<pixels {
            let from = pixel * bytesIn
            let to = pixel * bytesOut
            let black = UInt32(cmyk[from + 3] ^ flip)
            output[to] = product(UInt32(cmyk[from] ^ flip), black)
            output[to + 1] = product(UInt32(cmyk[from + 1] ^ flip), black)
            output[to + 2] = product(UInt32(cmyk[from + 2] ^ flip), black)
        }
    }

    /// Returns `a * b / 255`, rounded.
    @inline(always)
    private static func product(_ a: UInt32, _ b: UInt32) -> UInt8 {
        let scaled = a &* b &+ 128
        return UInt8(truncatingIfNeeded: (scaled &+ scaled >> 8) >> 8)
    }
}

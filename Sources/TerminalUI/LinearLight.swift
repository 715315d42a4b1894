import Glibc

/// The sRGB transfer curve (IEC 61966-2-1) between encoded bytes and linear light from 0 to 1.
enum LinearLight {
    /// Linear light of each encoded byte.
    static let decoded: [Float] = (0..<256).map { Float(decode(Double($0) / 255)) }

    /// From which linear light on the byte after the index is nearer; the last one is never reached.
    private static let thresholds: [Float] = (0..<255).map { Float(decode((Double($0) + 0.5) / 255)) } + [.infinity]

    /// The byte nearest to a linear light in encoded space, so that `encode` undoes `decoded`.
    ///
    /// A search by halves in eight steps; only blended pixels need it.
    static func encode(_ light: Float) -> UInt8 {
        var byte = 0
        var step = 128
        while step > 0 {
            byte += light >= thresholds[byte + step - 1] ? step : 0
            step /= 2
        }
        return UInt8(truncatingIfNeeded: byte)
    }

    /// Relative luminance (IEC 61966-2-1, the Y row of the matrix) of linear channels.
    static func luminance(_ light: SIMD3<Float>) -> Float {
        0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
    }

    /// How light a luminance looks, from 0 to 1: CIE 1976 lightness over 100.
    static func lightness(_ luminance: Float) -> Float {
        let epsilon: Float = 216.0 / 24389  // CIE 15:2004, the end of the linear part
        let kappa: Float = 24389.0 / 27
        return (luminance > epsilon ? 116 * cbrtf(luminance) - 16 : kappa * luminance) / 100
    }

    private static func decode(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
}

/// A pixel as it lies in a `PixelBuffer`, read as one little-endian number: red in the low byte, alpha in the high one.
typealias PackedPixel = UInt32

extension PackedPixel {
    static let opaque: PackedPixel = 0xFF00_0000

    init(_ color: RGB) {
        self = Self.opaque | UInt32(color.red) | UInt32(color.green) << 8 | UInt32(color.blue) << 16
    }

    var redByte: Int { Int(self & 0xFF) }
    var greenByte: Int { Int(self >> 8 & 0xFF) }
    var blueByte: Int { Int(self >> 16 & 0xFF) }
    var alphaByte: UInt32 { self >> 24 }

    /// The channels in linear light, alpha left out.
    var linear: SIMD3<Float> {
        SIMD3(
            LinearLight.decoded[redByte], LinearLight.decoded[greenByte], LinearLight.decoded[blueByte])
    }

    init(linear: SIMD3<Float>) {
        self.init(RGB(LinearLight.encode(linear.x), LinearLight.encode(linear.y), LinearLight.encode(linear.z)))
    }

    /// This pixel over an opaque background, in linear light.
    func linear(over background: PackedPixel) -> SIMD3<Float> {
        if alphaByte == 255 { return linear }
        if alphaByte == 0 { return background.linear }
        let coverage = Float(alphaByte) / 255
        return linear * coverage + background.linear * (1 - coverage)
    }
}

internal import Glibc
internal import SpyglassPixels

/// A pixel of a `PixelBuffer` as one little-endian number: red in the low byte, alpha in the high one.
struct PackedPixel {
    let number: UInt32
    static let transparent = PackedPixel(number: 0)
    private static let opaque: UInt32 = 0xFF00_0000

    init(number: UInt32) { self.number = number }

    init(_ color: RGB) {
        number = Self.opaque | UInt32(color.red) | UInt32(color.green) << 8 | UInt32(color.blue) << 16
    }

    /// The upper six bits of red, green and blue, side by side from bit 0.
    @inline(__always) var sixBitKey: UInt32 { number >> 2 & 0x3F | number >> 4 & 0xFC0 | number >> 6 & 0x3F000 }

    /// The colour without its alpha.
    var color: RGB { RGB(UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number >> 16 & 0xFF)) }
    private var alphaByte: UInt32 { number >> 24 }
    var isOpaque: Bool { number >= Self.opaque }
    var isTransparent: Bool { alphaByte == 0 }

    /// The channels in linear light from 0 to 1, without alpha.
    var linear: SIMD3<Float> {
        let light = LinearLight.ofSRGB
        func channel(_ shift: UInt32) -> Float { Float(light[Int(number >> shift & 0xFF)]) }
        return SIMD3(channel(0), channel(8), channel(16)) / Float(LinearLight.maximum)
    }

    /// The sRGB values from 0 to 255, without alpha.
    var values: SIMD4<Float> { SIMD4(Float(color.red), Float(color.green), Float(color.blue), 0) }

    init(linear: SIMD3<Float>) {
        let light = SIMD3<Int>(clamping: SIMD3<Int32>(linear * Float(LinearLight.maximum), rounding: .toNearestOrEven))
        self.init(RGB(LinearLight.sRGB(light.x), LinearLight.sRGB(light.y), LinearLight.sRGB(light.z)))
    }

    func linear(over background: PackedPixel) -> SIMD3<Float> {
        if isOpaque { return linear }
        if isTransparent { return background.linear }
        let coverage = Float(alphaByte) / 255
        return linear * coverage + background.linear * (1 - coverage)
    }
}

extension PixelBuffer {
    /// Returns a pixel by its index from the upper left corner, row by row.
    @inline(__always)
    func pixel(at index: Int) -> PackedPixel {
        let number = bytes.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: index * Self.bytesPerPixel, as: UInt32.self)
        }
        return PackedPixel(number: UInt32(littleEndian: number))
    }
}

extension [UInt8] {
    /// Replaces a pixel of a `PixelBuffer`'s bytes.
    @inline(__always)
    mutating func set(_ pixel: PackedPixel, at index: Int) {
        withUnsafeMutableBytes {
            $0.storeBytes(
                of: pixel.number.littleEndian, toByteOffset: index * PixelBuffer.bytesPerPixel, as: UInt32.self)
        }
    }
}

/// The perceived lightness of linear channels, from 0 to 1: CIE 1976 lightness over 100.
func lightness(_ light: SIMD3<Float>) -> Float {
    // IEC 61966-2-1, the Y row of the matrix.
    let luminance = 0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
    let epsilon: Float = 216.0 / 24389  // CIE 15:2004, the end of the linear part
    let kappa: Float = 24389.0 / 27
    return (luminance > epsilon ? 116 * cbrtf(luminance) - 16 : kappa * luminance) / 100
}

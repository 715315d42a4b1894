internal import SpyglassPixels

/// A pixel as it lies in a `PixelBuffer`, read as one little-endian number: red in the low byte, alpha in the high one.
struct PackedPixel {
    let number: UInt32

    static let transparent = PackedPixel(number: 0)
    private static let opaque: UInt32 = 0xFF00_0000

    init(number: UInt32) {
        self.number = number
    }

    init(_ color: RGB) {
        number = Self.opaque | UInt32(color.red) | UInt32(color.green) << 8 | UInt32(color.blue) << 16
    }

    var redByte: Int { Int(number & 0xFF) }
    var greenByte: Int { Int(number >> 8 & 0xFF) }
    var blueByte: Int { Int(number >> 16 & 0xFF) }
    var alphaByte: UInt32 { number >> 24 }
    var isOpaque: Bool { number >= Self.opaque }
    var isTransparent: Bool { alphaByte == 0 }

    /// The channels in linear light from 0 to 1, alpha left out.
    var linear: SIMD3<Float> {
        let light = LinearLight.ofSRGB
        return SIMD3(Float(light[redByte]), Float(light[greenByte]), Float(light[blueByte]))
            / Float(LinearLight.maximum)
    }

    init(linear: SIMD3<Float>) {
        let light = SIMD3<Int>(clamping: SIMD3<Int32>(linear * Float(LinearLight.maximum), rounding: .toNearestOrEven))
        self.init(RGB(LinearLight.sRGB(light.x), LinearLight.sRGB(light.y), LinearLight.sRGB(light.z)))
    }

    /// This pixel over an opaque background, in linear light.
    func linear(over background: PackedPixel) -> SIMD3<Float> {
        if isOpaque { return linear }
        if isTransparent { return background.linear }
        let coverage = Float(alphaByte) / 255
        return linear * coverage + background.linear * (1 - coverage)
    }
}

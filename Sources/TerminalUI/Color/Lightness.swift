internal import Glibc

/// How light a colour looks, from its linear channels, 0 to 1.
enum Lightness {
    /// Relative luminance (IEC 61966-2-1, the Y row of the matrix) of linear channels.
    static func luminance(_ light: SIMD3<Float>) -> Float {
        0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
    }

    /// How light a luminance looks, from 0 to 1: CIE 1976 lightness over 100.
    static func of(_ luminance: Float) -> Float {
        let epsilon: Float = 216.0 / 24389  // CIE 15:2004, the end of the linear part
        let kappa: Float = 24389.0 / 27
        return (luminance > epsilon ? 116 * cbrtf(luminance) - 16 : kappa * luminance) / 100
    }
}

internal import Glibc
internal import SpyglassTerminalUI

/// The contrast ratio of two colours (WCAG 2.2).
enum Contrast {
    /// WCAG's constant for light reflected by the screen.
    private static let flare = 0.05

    /// From 1 for equal colours to 21 for black and white.
    static func ratio(_ first: RGB, _ second: RGB) -> Double {
        let one = luminance(first)
        let other = luminance(second)
        return (max(one, other) + flare) / (min(one, other) + flare)
    }

    /// Whether black has more contrast than white.
    static func isLight(_ color: RGB) -> Bool { ratio(color, .black) > ratio(color, RGB(255, 255, 255)) }

    private static func luminance(_ color: RGB) -> Double {
        0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }

    /// The sRGB transfer curve (IEC 61966-2-1).
    private static func linear(_ channel: UInt8) -> Double {
        let value = Double(channel) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
}

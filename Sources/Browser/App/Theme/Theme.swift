internal import Glibc
internal import SpyglassTerminalUI

/// Colours, marks and margins of the browser, from a data file.
///
///     let theme = try Theme(parsing: bytes, file: "mine.json")
///     let theme = Theme()  // light or dark, as the terminal is
///
/// A built-in theme of `Preferences.theme` overrides it.
package struct Theme: Hashable, Sendable {
    /// `nil` depends on the terminal's background.
    private let sheet: ThemeSheet?

    package static let names = ["dark", "light", "neutral"]
    package static let byteLimit = 256 << 10

    /// Light or dark by the terminal's background; while that is unknown, dark in truecolor, else neutral.
    package init() { sheet = nil }

    package init?(named name: String) {
        guard let sheet = Self.builtIn(name) else { return nil }
        self.sheet = sheet
    }

    /// Parses a theme file; missing members are those of the built-in theme for its background.
    ///
    /// JSON with `name`, `background` (`dark`, `light` or `unknown`), `colors`, `colors16`, `marks`, `marksASCII` and `margins`.
    ///
    /// - Throws: `BrowserError` with one line: file, place, error, expected values.
    package init(parsing bytes: [UInt8], file: String) throws(BrowserError) {
        sheet = try ThemeSheet(parsing: bytes, file: file)
    }

    func sheet(for traits: TerminalTraits, chosen name: String?) -> ThemeSheet {
        if let chosen = name.flatMap(Self.builtIn) { return chosen }
        if let sheet { return sheet }
        guard let background = traits.background else { return traits.depth == .truecolor ? .dark : .neutral }
        return Contrast.isLight(background) ? .light : .dark
    }

    private static func builtIn(_ name: String) -> ThemeSheet? {
        switch name {
        case "dark": .dark
        case "light": .light
        case "neutral": .neutral
        default: nil
        }
    }
}

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

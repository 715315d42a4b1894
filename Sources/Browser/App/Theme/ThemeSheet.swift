internal import SpyglassTerminalUI

/// The contents of a theme file.
struct ThemeSheet: Hashable, Sendable {
    enum Background: String, CaseIterable, Sendable {
        case dark, light, unknown

        /// The colour where the terminal does not tell it.
        var assumedColor: RGB { self == .light ? RGB(255, 255, 255) : .black }
    }

    var name: String
    var background: Background
    /// For truecolor, and the nearest of 256 colours.
    var colors: ThemeStyles
    /// For the sixteen colours of the terminal's own palette.
    var colors16: ThemeStyles
    var marks: ThemeSymbols
    var marksASCII: ThemeSymbols
    var margins = ThemeMargins()

    /// An empty sheet, the base of `neutral`.
    static let blank = ThemeSheet(
        name: "", background: .unknown, colors: .plain, colors16: .plain,
        marks: ThemeSymbols([:], spinner: []), marksASCII: ThemeSymbols([:], spinner: []))

    func styles(at depth: ColorDepth) -> ThemeStyles {
        switch depth {
        case .monochrome: .plain
        case .palette16: colors16
        case .palette256, .truecolor: colors
        }
    }

    func marks(in glyphs: GlyphSet) -> ThemeSymbols { glyphs == .ascii ? marksASCII : marks }
}

extension ThemeSheet {
    /// Attributes and two palette colours that are visible on black and on white.
    static let neutral = builtIn(PackageResources.neutral_json, "neutral.json", over: .blank)
    static let dark = builtIn(PackageResources.dark_json, "dark.json", over: neutral)
    static let light = builtIn(PackageResources.light_json, "light.json", over: neutral)

    private static func builtIn(_ bytes: [UInt8], _ file: String, over base: ThemeSheet) -> ThemeSheet {
        do {
            var sheet = base
            try sheet.read(bytes, file: file)
            return sheet
        } catch {
            // A test reads all three.
            preconditionFailure(error.description)
        }
    }
}

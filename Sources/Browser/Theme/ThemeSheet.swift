internal import SpyglassTerminalUI

/// One theme as its file says it: colours, marks, margins.
struct ThemeSheet: Hashable, Sendable {
    /// What a theme's text is meant to stand on.
    enum Background: String, CaseIterable, Sendable {
        case dark, light, unknown
    }

    var name: String
    var background: Background
    /// For 24 bits; where there are 256 colours the nearest of them are taken.
    var colors: ThemeStyles
    /// For the sixteen colours of the terminal's own palette.
    var colors16: ThemeStyles
    var marks: ThemeMarks
    var marksASCII: ThemeMarks
    var margins = ThemeMargins()

    /// A sheet that says nothing, for `neutral` to be read over.
    static let blank = ThemeSheet(
        name: "", background: .unknown, colors: .plain, colors16: .plain,
        marks: ThemeMarks([:], spinner: []), marksASCII: ThemeMarks([:], spinner: []))

    /// How roles look where there are so many colours; without colour nothing is styled at all.
    func styles(at depth: ColorDepth) -> ThemeStyles {
        switch depth {
        case .monochrome: .plain
        case .palette16: colors16
        case .palette256, .truecolor: colors
        }
    }

    func marks(in glyphs: GlyphSet) -> ThemeMarks { glyphs == .ascii ? marksASCII : marks }
}

extension ThemeSheet {
    /// Attributes, and for what is no running text two colours of the terminal's own palette that can be told from black and from white:
    /// readable on every background.
    static let neutral = builtIn(PackageResources.neutral_json, "neutral.json", over: .blank)
    static let dark = builtIn(PackageResources.dark_json, "dark.json", over: neutral)
    static let light = builtIn(PackageResources.light_json, "light.json", over: neutral)

    private static func builtIn(_ bytes: [UInt8], _ file: String, over base: ThemeSheet) -> ThemeSheet {
        do {
            var sheet = base
            try sheet.read(bytes, file: file)
            return sheet
        } catch {
            // A test reads all three; a mistake in one never leaves it.
            preconditionFailure(error.description)
        }
    }
}

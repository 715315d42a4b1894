internal import SpyglassTerminalUI

/// How the browser looks: colours, marks and margins, from a data file.
///
///     let theme = try Theme(parsing: bytes, file: "mine.json")
///     let theme = Theme()  // light or dark, as the terminal is
///
/// What the user's preferences name (`Preferences.theme`) comes first when it is a built-in theme, then this one.
package struct Theme: Hashable, Sendable {
    /// `nil` is by the terminal's background.
    private let sheet: ThemeSheet?

    /// The names that need no file, in the order in which settings offer them.
    package static let names = ["dark", "light", "neutral"]
    /// The longest file that is read.
    package static let byteLimit = 256 << 10

    /// Light or dark by the terminal's background; while that is not known, the neutral one.
    package init() { sheet = nil }

    /// A built-in theme.
    package init?(named name: String) {
        guard let sheet = Self.builtIn(name) else { return nil }
        self.sheet = sheet
    }

    /// Reads a theme's file: JSON with `name`, `background` (`dark`, `light` or `unknown`), `colors`, `colors16`, `marks`,
    /// `marksASCII` and `margins`, all of which may be left out.
    ///
    /// What is not said is as in the built-in theme for the same background.
    ///
    /// - Throws: one line: which file, where, what is wrong, and what would be right.
    package init(parsing bytes: [UInt8], file: String) throws(ThemeError) {
        sheet = try ThemeSheet(parsing: bytes, file: file)
    }

    /// The sheet for a terminal, and for what its user chose.
    func sheet(for traits: TerminalTraits, chosen name: String?) -> ThemeSheet {
        if let chosen = name.flatMap(Self.builtIn) { return chosen }
        if let sheet { return sheet }
        guard let background = traits.background else { return .neutral }
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

/// What is wrong with a theme's file.
package struct ThemeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One line: the file, the place in it, what is wrong and what would be right.
    package let description: String
}

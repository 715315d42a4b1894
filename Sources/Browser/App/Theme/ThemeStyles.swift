internal import SpyglassTerminalUI

/// The parts of the screen that a theme styles; the case names are those in theme files.
enum ThemeRole: Int, CaseIterable, Sendable {
    case text, title
    /// Less important text, and everything behind a panel.
    case dim
    case accent, selected, key
    /// The box of a missing image.
    case placeholder
    case field, error, warning, good
    /// Letters that a filter found.
    case match
}

/// A style for each role.
struct ThemeStyles: Hashable, Sendable {
    private var styles: [CellStyle]

    static let plain = ThemeStyles()

    private init() { styles = [CellStyle](repeating: .plain, count: ThemeRole.allCases.count) }

    subscript(role: ThemeRole) -> CellStyle {
        get { styles[role.rawValue] }
        set { styles[role.rawValue] = newValue }
    }
}

/// Parses the styles of theme files: `bold #rrggbb on blue`.
enum StyleText {
    private static let attributes: [String: TextStyle.Attributes] = [
        "bold": .bold, "dim": .dim, "underline": .underline, "reverse": .reverse,
    ]
    /// SGR 30–37 and 90–97, by palette index.
    private static let palette = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "brightBlack", "brightRed",
        "brightGreen", "brightYellow", "brightBlue", "brightMagenta", "brightCyan", "brightWhite",
    ]

    /// Attributes and at most one colour; after `on` the background colour.
    static func style(_ text: String, allowsRGB: Bool) throws(BrowserError) -> CellStyle {
        var style = CellStyle.plain
        var isBackground = false
        for word in text.split(separator: " ").map(String.init) {
            if word == "on", !isBackground {
                isBackground = true
            } else if let attribute = attributes[word], !isBackground {
                style.attributes.insert(attribute)
            } else if isBackground {
                style.background = try color(word, allowsRGB: allowsRGB)
            } else {
                style.foreground = try color(word, allowsRGB: allowsRGB)
            }
        }
        return style
    }

    private static func color(_ word: String, allowsRGB: Bool) throws(BrowserError) -> CellColor {
        if word == "default" { return .terminalDefault }
        if let index = palette.firstIndex(of: word) { return .palette(UInt8(index)) }
        if allowsRGB, let color = RGB(parsing: word) { return .rgb(color) }
        let forms = (allowsRGB ? ["#rrggbb"] : []) + ["default"] + palette
        throw BrowserError("'\(word)' is not a colour; expected \(forms.joined(separator: ", "))")
    }
}

internal import SpyglassTerminalUI

/// A style as a theme writes it: `bold #7cc4ec`, `red`, `#a7b0bd on #2c313b`.
enum StyleText {
    /// Why a text is no style.
    struct Problem: Error {
        let message: String
    }

    private static let attributes: [String: TextStyle.Attributes] = [
        "bold": .bold, "dim": .dim, "underline": .underline, "reverse": .reverse,
    ]
    /// SGR 30–37 and 90–97, by their places in the palette.
    private static let palette = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "brightBlack", "brightRed",
        "brightGreen", "brightYellow", "brightBlue", "brightMagenta", "brightCyan", "brightWhite",
    ]

    /// Attributes and at most one colour; behind `on` the colour of the background.
    static func style(_ text: String, allowsRGB: Bool) throws(Problem) -> CellStyle {
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

    private static func color(_ word: String, allowsRGB: Bool) throws(Problem) -> CellColor {
        if word == "default" { return .terminalDefault }
        if let index = palette.firstIndex(of: word) { return .palette(UInt8(index)) }
        if allowsRGB, let color = RGB(parsing: word) { return .rgb(color) }
        let forms = (allowsRGB ? ["#rrggbb"] : []) + ["default"] + palette
        throw Problem(message: "'\(word)' is no colour; what is one: \(forms.joined(separator: ", "))")
    }
}

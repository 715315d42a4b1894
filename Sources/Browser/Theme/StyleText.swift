internal import SpyglassTerminalUI

enum StyleText {
    struct SyntaxError: Error {
        let message: String
    }

    private static let attributes: [String: TextStyle.Attributes] = [
        "bold": .bold, "dim": .dim, "underline": .underline, "reverse": .reverse,
    ]
    /// SGR 30–37 and 90–97, by palette index.
    private static let palette = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "brightBlack", "brightRed",
        "brightGreen", "brightYellow", "brightBlue", "brightMagenta", "brightCyan", "brightWhite",
    ]

    /// Attributes and at most one colour; after `on` the background colour.
    static func style(_ text: String, allowsRGB: Bool) throws(SyntaxError) -> CellStyle {
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

    private static func color(_ word: String, allowsRGB: Bool) throws(SyntaxError) -> CellColor {
        if word == "default" { return .terminalDefault }
        if let index = palette.firstIndex(of: word) { return .palette(UInt8(index)) }
        if allowsRGB, let color = RGB(parsing: word) { return .rgb(color) }
        let forms = (allowsRGB ? ["#rrggbb"] : []) + ["default"] + palette
        throw SyntaxError(message: "'\(word)' is not a colour; expected \(forms.joined(separator: ", "))")
    }
}

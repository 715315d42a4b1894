internal import SpyglassTerminalUI

/// What a key is called on the screen: `Enter`, `Ctrl-L`, `↓`.
///
/// The names are those that stand on keyboards, which are the same in most countries.
enum KeyName {
    static func text(of key: Key, _ strings: UIStrings, _ glyphs: GlyphSet) -> String {
        var name = name(of: key.code, strings, glyphs)
        if key.modifiers.contains(.shift) { name = "Shift-" + name }
        if key.modifiers.contains(.alt) { name = "Alt-" + name }
        if key.modifiers.contains(.control) {
            // As it stands on the key; Shift is not held down.
            if case .character = key.code { name = name.uppercased() }
            name = "Ctrl-" + name
        }
        return name
    }

    private static func name(of code: Key.Code, _ strings: UIStrings, _ glyphs: GlyphSet) -> String {
        let hasArrows = glyphs == .utf8
        return switch code {
        case .character(" "): strings.help.space
        case .character(let character): String(character)
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .insert: "Ins"
        case .up: hasArrows ? "↑" : "Up"
        case .down: hasArrows ? "↓" : "Down"
        case .left: hasArrows ? "←" : "Left"
        case .right: hasArrows ? "→" : "Right"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .function(let number): "F\(number)"
        }
    }
}

extension Key {
    /// Whether it puts a character into a field.
    var isTyped: Bool {
        guard case .character = code else { return false }
        return modifiers.isSubset(of: .shift)
    }
}

/// The sequences of pixel protocols.
enum GraphicsSequence {
    /// APC G ... ST.
    case kittyGraphics
    /// OSC 1337 ; ... BEL.
    case iTerm
}

extension [UInt8] {
    /// Appends a sequence: keys, then data in base64.
    ///
    /// Inside tmux it is wrapped in `ESC P tmux;` with each ESC doubled. tmux passes it through if `allow-passthrough` is
    /// on (tmux(1)).
    mutating func append(
        _ kind: GraphicsSequence, _ keys: String, base64 data: Span<UInt8> = Span(), isInsideTmux: Bool
    ) {
        if isInsideTmux { append("\u{1B}Ptmux;\u{1B}" as StaticString) }
        switch kind {
        case .kittyGraphics: append("\u{1B}_G" as StaticString)
        case .iTerm: append("\u{1B}]1337;" as StaticString)
        }
        append(contentsOf: keys.utf8)
        append(base64: data)
        switch kind {
        case .kittyGraphics: append(isInsideTmux ? "\u{1B}\u{1B}\\" : "\u{1B}\\" as StaticString)
        case .iTerm: append(0x07)
        }
        if isInsideTmux { append("\u{1B}\\" as StaticString) }
    }
}

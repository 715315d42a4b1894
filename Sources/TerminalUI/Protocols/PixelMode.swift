/// How images are drawn: as characters, or as pixels by a protocol.
public enum PixelMode: String, Hashable, Sendable, CaseIterable {
    /// `SymbolSet.half`.
    case half
    /// `SymbolSet.quadrant`.
    case quadrant
    /// `SymbolSet.sextant`.
    case sextant
    /// `SymbolSet.octant`.
    case octant
    /// Kitty's graphics protocol.
    case kitty
    /// iTerm2's inline images (OSC 1337).
    case iterm2
    /// DEC's sixel graphics.
    case sixel

    /// The characters; `nil` for a protocol.
    package var symbols: SymbolSet? { SymbolSet(rawValue: rawValue) }
}

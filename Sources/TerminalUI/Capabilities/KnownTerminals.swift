/// The features of terminals, by name and version.
enum KnownTerminals {
    enum Feature: Hashable {
        case draws(PixelMode)
        /// Kitty images drawn by placeholders (U+10EEEE).
        case placeholders
        /// Animations whose frames are sent once (`a=f`, `a=a`); no query tells.
        case animations
        /// The version that is assumed if a terminal reports only its name: that of Ubuntu 22.04, or the first one.
        case oldest
    }

    /// The first version of a terminal that has a feature; without one, some have it, and reply so.
    ///
    /// Symbols count only where the terminal draws them itself, whatever its font has. Sources: kitty `docs/changelog.rst` and
    /// `docs/graphics-protocol.rst`; ghostty's release notes; foot `CHANGELOG.md`; WezTerm `docs/changelog.md`; VTE
    /// `src/minifont.cc` with its tags; Konsole's and Contour's change logs; Rio's and Alacritty's `CHANGELOG.md`;
    /// iTerm2's version history; mintty's release notes; Warp's change log; Windows Terminal's release notes (1.22);
    /// xterm's `ctlseqs` (sixel with `-ti vt340` alone); VS Code 1.80 (`terminal.integrated.enableImages`).
    static let features: [(name: String, since: String?, what: Feature)] = [
        ("kitty", "0.19.3", .draws(.kitty)), ("kitty", "0.28", .placeholders),
        ("kitty", "0.20", .animations),
        ("kitty", "0.19.3", .draws(.sextant)), ("kitty", "0.40", .draws(.octant)), ("kitty", "0.21.2", .oldest),
        ("ghostty", "1.0", .draws(.kitty)), ("ghostty", "1.0", .placeholders),
        ("ghostty", "1.0", .draws(.sextant)), ("ghostty", "1.1.1", .draws(.octant)), ("ghostty", "1.0", .oldest),
        ("foot", "1.2", .draws(.sixel)), ("foot", "1.7", .draws(.sextant)), ("foot", "1.20", .draws(.octant)),
        ("foot", "1.11", .oldest),
        ("wezterm", "20220101", .draws(.kitty)), ("wezterm", "20200620", .draws(.iterm2)),
        ("wezterm", "20200620", .draws(.sixel)), ("wezterm", "20210814", .draws(.sextant)),
        // Not in a release by 2026: nightlies only.
        ("wezterm", "20250208", .draws(.octant)),
        ("vte", "0.60", .draws(.sextant)), ("vte", "0.78", .draws(.octant)),
        ("konsole", "22.4", .draws(.kitty)), ("konsole", "22.4", .draws(.iterm2)),
        ("konsole", "22.4", .draws(.sixel)), ("konsole", "22.4", .draws(.sextant)),
        ("rio", "0.3", .draws(.kitty)), ("rio", "0.3", .placeholders), ("rio", "0.2.13", .draws(.sextant)),
        ("rio", "0.2.21", .draws(.octant)),
        ("contour", "0.7", .draws(.kitty)), ("contour", nil, .draws(.sixel)), ("contour", "0.2.1", .draws(.sextant)),
        ("alacritty", "0.13.2", .draws(.sextant)),
        ("iterm2", "3.5.5", .draws(.kitty)), ("iterm2", "3.6.6", .placeholders), ("iterm2", "3.0", .draws(.iterm2)),
        ("iterm2", nil, .draws(.sixel)), ("iterm2", "3.0", .oldest),
        ("mintty", "3.6.5", .draws(.iterm2)), ("mintty", nil, .draws(.sixel)), ("mintty", "3.6.5", .draws(.quadrant)),
        ("warp", "0.2025.3", .draws(.kitty)),
        ("mlterm", "3.1.9", .draws(.sixel)), ("mlterm", "3.9.0", .oldest),
        ("windows terminal", nil, .draws(.sixel)), ("vscode", nil, .draws(.sixel)), ("xterm", nil, .draws(.sixel)),
    ]

    /// Values of TERM that a terminal sets for itself alone.
    private static let terms = [
        ("xterm-kitty", "kitty"), ("xterm-ghostty", "ghostty"), ("ghostty", "ghostty"), ("foot", "foot"),
        ("wezterm", "wezterm"), ("alacritty", "alacritty"), ("contour", "contour"), ("rio", "rio"),
        ("mlterm", "mlterm"), ("mintty", "mintty"), ("konsole", "konsole"), ("iTerm2.app", "iterm2"),
    ]

    /// Returns the terminal that sets this TERM, also with a suffix: `foot-extra`.
    static func name(ofTerm term: String) -> String? {
        terms.first { term == $0.0 || term.hasPrefix("\($0.0)-") }?.1
    }

    /// Returns a terminal's name by TERM_PROGRAM or LC_TERMINAL.
    static func name(ofProgram program: String) -> String {
        let name = String(program.lowercased().prefix(40))
        return ["iterm.app": "iterm2", "warpterminal": "warp"][name] ?? name
    }

    /// Returns the first version with a feature; `.some(nil)` if only replies tell.
    static func start(of what: Feature, in name: String) -> String?? {
        features.first { $0.name == name && $0.what == what }?.since
    }

    /// Whether some features show only in its replies.
    static func mustBeAsked(_ name: String) -> Bool {
        features.contains { $0.name == name && $0.since == nil }
    }
}

internal import SpyglassTerminalUI

/// What a piece of the screen is for; a theme says how each looks.
enum ThemeRole: String, CaseIterable, Sendable {
    /// Ordinary text.
    case text
    /// What a photo or a panel is called.
    case title
    /// What matters less: places, hints, what is behind a panel.
    case dim
    /// What draws the eye: marks, progress, what can be chosen.
    case accent
    /// The title of what is chosen.
    case selected
    /// The name of a key.
    case key
    /// The box of a picture that is not there.
    case placeholder
    /// The line that is typed into.
    case field
    case error, warning, good
}

/// How every role looks at one depth of colour.
struct ThemeStyles: Hashable, Sendable {
    /// By the roles' ordinals.
    private var styles: [CellStyle]

    /// No colours and no attributes: for a terminal that is told none.
    static let plain = ThemeStyles()

    private init() { styles = [CellStyle](repeating: .plain, count: ThemeRole.allCases.count) }

    subscript(role: ThemeRole) -> CellStyle {
        get { styles[role.ordinal] }
        set { styles[role.ordinal] = newValue }
    }
}

extension ThemeRole {
    /// Its place among all roles, without a look-up: frames ask this for every piece of text.
    fileprivate var ordinal: Int {
        switch self {
        case .text: 0
        case .title: 1
        case .dim: 2
        case .accent: 3
        case .selected: 4
        case .key: 5
        case .placeholder: 6
        case .field: 7
        case .error: 8
        case .warning: 9
        case .good: 10
        }
    }
}

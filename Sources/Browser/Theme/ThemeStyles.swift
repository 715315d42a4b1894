internal import SpyglassTerminalUI

enum ThemeRole: String, CaseIterable, Sendable {
    case text
    case title
    /// Less important text, and everything behind a panel.
    case dim
    case accent
    case selected
    case key
    /// The box of a missing image.
    case placeholder
    case field
    case error, warning, good
}

struct ThemeStyles: Hashable, Sendable {
    private var styles: [CellStyle]

    static let plain = ThemeStyles()

    private init() { styles = [CellStyle](repeating: .plain, count: ThemeRole.allCases.count) }

    subscript(role: ThemeRole) -> CellStyle {
        get { styles[role.ordinal] }
        set { styles[role.ordinal] = newValue }
    }
}

extension ThemeRole {
    /// An index without hashing, since every piece of text needs it.
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

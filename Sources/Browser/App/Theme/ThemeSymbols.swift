internal import SpyglassTerminalUI

/// The characters that mark something: `marks` in theme files.
struct ThemeSymbols: Hashable, Sendable {
    enum Name: String, CaseIterable, Sendable {
        case selection
        /// Before the title of a marked photo.
        case marked
        /// In the box of a loading image.
        case picture
        /// In the box of a failed image.
        case broken
        /// Beside a stale image.
        case stale
        /// Fills boxes without a background colour.
        case shade
        case barFull, barEmpty
        /// More text below, and above.
        case more, less
        /// On each side of a setting's value.
        case previous, next
    }

    private var marks: [Name: TerminalText]
    var spinner: [TerminalText]

    init(_ marks: [Name: TerminalText], spinner: [TerminalText]) {
        self.marks = marks
        self.spinner = spinner
    }

    subscript(name: Name) -> TerminalText {
        get { marks[name] ?? " " }
        set { marks[name] = newValue }
    }

    func spinner(at phase: Int) -> TerminalText {
        guard !spinner.isEmpty else { return " " }
        return spinner[Int(phase.magnitude % UInt(spinner.count))]
    }
}

/// Columns that stay free.
struct ThemeMargins: Hashable, Sendable {
    enum Name: String, CaseIterable, Sendable {
        /// At the sides of the screen.
        case side
        /// Between an image and its text, and between columns.
        case gap
        /// Inside a panel.
        case panel
    }

    static let maxColumns = 8

    var side = 1
    var gap = 2
    var panel = 2

    /// Before the text of a screen; one column less is free behind it.
    func leading(on columns: Int) -> Int { columns < 5 ? 0 : min(side + 1, max(columns / 10, 1)) }
}

internal import SpyglassTerminalUI

/// Characters that are not words, each one column wide.
struct ThemeMarks: Hashable, Sendable {
    /// One mark, by the name that a theme's file has for it.
    enum Name: String, CaseIterable, Sendable {
        /// Beside what is chosen.
        case selection
        /// In the box of a picture that is on its way.
        case picture
        /// In the box of a picture that could not be had.
        case broken
        /// Beside a picture that may be out of date.
        case stale
        /// What fills such a box where no background colour does.
        case shade
        case barFull, barEmpty
        /// There is more below, and above.
        case more, less
        /// On each side of a value that can be changed.
        case previous, next
    }

    private var marks: [Name: TerminalText]
    /// One picture of the spinner after the other; never empty.
    private(set) var spinner: [TerminalText]

    init(_ marks: [Name: TerminalText], spinner: [TerminalText]) {
        self.marks = marks
        self.spinner = spinner
    }

    subscript(name: Name) -> TerminalText {
        get { marks[name] ?? " " }
        set { marks[name] = newValue }
    }

    /// The spinner at a moment.
    func spinner(at phase: Int) -> TerminalText {
        guard !spinner.isEmpty else { return " " }
        return spinner[Int(phase.magnitude % UInt(spinner.count))]
    }

    mutating func setSpinner(_ frames: [TerminalText]) { spinner = frames }
}

/// Empty columns that a theme asks for.
struct ThemeMargins: Hashable, Sendable {
    enum Name: String, CaseIterable, Sendable {
        /// At the sides of the screen.
        case side
        /// Between a picture and its text, and between columns.
        case gap
        /// Inside a panel.
        case panel
    }

    /// More than this is no margin.
    static let largest = 8

    var side = 1
    var gap = 2
    var panel = 2

    subscript(name: Name) -> Int {
        get {
            switch name {
            case .side: side
            case .gap: gap
            case .panel: panel
            }
        }
        set {
            switch name {
            case .side: side = newValue
            case .gap: gap = newValue
            case .panel: panel = newValue
            }
        }
    }
}

package import SpyglassCatalog
package import SpyglassTerminalUI

/// How one run of the browser begins.
package struct BrowserSetup: Sendable {
    package var traits: TerminalTraits
    package var theme = Theme()
    package var preferences = Preferences()
    package var options = BrowserOptions()
    /// Searches of the past, the newest first.
    package var history: [String] = []
    /// Where the last run was left.
    package var place: SavedPlace?
    /// The search to begin with; `nil` begins on the home screen.
    package var query: PhotoQuery?
    /// Where in its results to begin.
    package var start = PhotoStart.first
    package var fidelity = Fidelity.auto
    package var usesScrollRegion = true
    /// Finds out what the archive holds that is shown, if one is; the first frame does not wait for it.
    package var archived: (@Sendable () async -> [String])?
    /// The size that was asked for: the screen is no larger, and no larger than the terminal.
    package var maxSize: CellSize?

    package init(traits: TerminalTraits) { self.traits = traits }
}

/// Why the browser ended.
package enum BrowserEnd: Hashable, Sendable {
    /// The user wanted it.
    case quit
    /// A signal asks the process to end; what is to be kept has been.
    case signal(Int32)
    /// The terminal is gone.
    case closed
}

package import SpyglassCatalog
package import SpyglassTerminalUI

/// The initial state and the options of one run.
package struct BrowserSetup: Sendable {
    package var traits: TerminalTraits
    package var theme = Theme()
    package var preferences = Preferences()
    package var options = BrowserOptions()
    /// Past searches, the newest first.
    package var history: [String] = []
    /// Where the last run ended.
    package var place: SavedPlace?
    /// The search to begin with; `nil` begins on the home screen.
    package var query: PhotoQuery?
    /// Where in its results to begin.
    package var start = PhotoStart.first
    package var fidelity = Fidelity.auto
    package var usesScrollRegion = true
    /// Returns the searches of the archive; the first frame does not wait for it.
    package var archived: (@Sendable () async -> [String])?
    /// Limits the screen to less than the terminal's size.
    package var maxSize: CellSize?

    package init(traits: TerminalTraits) { self.traits = traits }
}

/// Why the browser ended.
package enum BrowserEnd: Hashable, Sendable {
    case quit
    /// A termination signal; state has been stored.
    case signal(Int32)
    /// The terminal closed.
    case closed
}

package import SpyglassCatalog
package import SpyglassTerminalUI

/// The user's settings, stored between runs.
package struct Preferences: Hashable, Sendable {
    package enum Arrangement: String, Hashable, Sendable, CaseIterable {
        /// Text beside each thumbnail.
        case list
        /// Text below each thumbnail.
        case grid
    }

    /// The source of searches.
    package var source = "nasa"
    package var arrangement = Arrangement.list
    /// An index of `ListGeometry.densities`.
    package var density = ListGeometry.defaultDensity
    /// `nil` fits the screen.
    package var gridColumns: Int?
    /// `nil` is the terminal's depth.
    package var color: ColorDepth?
    /// `nil` is light or dark, by the terminal's background.
    package var theme: String?
    /// `nil` is the locale's.
    package var language: Language?
    /// Bytes of the memory cache; `nil` is the default.
    package var memoryLimit: Int?
    /// Bytes of the disk cache; `nil` is the default.
    package var diskLimit: Int?
    /// Whether the browser takes clicks and wheel.
    package var usesMouse = true

    package init() {}
}

/// Where a run ended, to continue from.
package struct SavedPlace: Hashable, Sendable {
    package var search: String
    /// The position in the results, from 0.
    package var position: Int
    /// The source, or `archivePrefix` and the folder of an archive.
    package var source: String

    package static let archivePrefix = "archive:"

    package init(search: String, position: Int, source: String) {
        self.search = search
        self.position = position
        self.source = source
    }
}

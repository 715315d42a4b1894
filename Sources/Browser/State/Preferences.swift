package import SpyglassCatalog
package import SpyglassTerminalUI

/// What the user chose on the settings screen or with keys; kept from run to run.
package struct Preferences: Hashable, Sendable {
    /// How a list's photos stand.
    package enum Arrangement: String, Hashable, Sendable, CaseIterable {
        /// One below the other, text beside each.
        case list
        /// Side by side, a title below each.
        case grid
    }

    /// Where photos are searched.
    package var source = "nasa"
    package var arrangement = Arrangement.list
    /// How much room one photo has in a list: 0 is one line, `ListGeometry.densities.count - 1` the largest picture.
    package var density = ListGeometry.defaultDensity
    /// Columns of the grid; `nil` is as many as are good for the screen.
    package var gridColumns: Int?
    /// `nil` is what the terminal can.
    package var color: ColorDepth?
    /// The name of the theme; `nil` is light or dark, by the terminal's background.
    package var theme: String?
    /// `nil` is the locale's.
    package var language: Language?
    /// Bytes of pictures in memory; `nil` is the program's choice.
    package var memoryLimit: Int?
    /// Bytes of the disk cache; `nil` is the program's choice.
    package var diskLimit: Int?
    /// Whether the mouse's clicks and wheel are ours.
    package var usesMouse = true

    package init() {}
}

/// Where a run was left, to go on from.
package struct SavedPlace: Hashable, Sendable {
    /// The search as it was typed.
    package var search: String
    /// The photo's place in the results, from 0.
    package var position: Int
    /// The source that was searched, or `archivePrefix` and the folder of an archive.
    package var source: String

    package static let archivePrefix = "archive:"

    package init(search: String, position: Int, source: String) {
        self.search = search
        self.position = position
        self.source = source
    }
}

package import SpyglassCatalog
package import SpyglassTerminalUI

/// The choices of the user, which are stored.
package struct Preferences: Hashable, Sendable {
    package enum Arrangement: String, Hashable, Sendable, CaseIterable {
        case list
        case grid
    }

    package var source = "nasa"
    package var arrangement = Arrangement.list
    /// An index of `ListGeometry.densities`.
    package var density = ListGeometry.defaultDensity
    package var gridColumns: Int?
    /// Whether the pictures of a grid are cropped to fill their boxes.
    package var cropsGrid = false
    package var color: ColorDepth?
    /// How images are drawn; `nil` is the best that the terminal is known to support.
    package var pixels: PixelMode?
    /// Which animations play, until `a` stops or starts them.
    package var animates = AnimationChoice.selected
    /// How long a slideshow shows a photo.
    package var slideSeconds = Self.defaultSlideSeconds
    /// A built-in theme; `nil` is light or dark, by the terminal's background.
    package var theme: String?
    package var language: Language?
    /// Bytes of the memory cache; `nil` is the default.
    package var memoryLimit: Int?
    /// Bytes of the disk cache; `nil` is the default.
    package var diskLimit: Int?
    /// Whether sources leave out mature results.
    package var isSafe = true
    package var usesMouse = true
    /// The folder of the last save, from the root; `nil` before the first.
    package var saveFolder: String?
    /// The size and the format of resized copies.
    package var exportSize = "1600"
    package var exportFormat = ExportFormat.same

    package static let defaultSlideSeconds = 5

    package init() {}
}

package import SpyglassCatalog
package import SpyglassTerminalUI

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
    /// `nil` is light or dark, by the terminal's background.
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
    /// Of resized copies.
    package var exportSize = "1600"
    package var exportFormat = ExportFormat.same

    package static let defaultSlideSeconds = 5

    package init() {}
}

/// A search that was made, with its filters among the words.
package struct RecentSearch: Hashable, Sendable {
    package var text: String
    /// The source, or an archive as in `SavedPlace`; `nil` in files of earlier versions: any source.
    package var source: String?

    package init(_ text: String, source: String? = nil) {
        self.text = text
        self.source = source
    }
}

package struct SavedPlace: Hashable, Sendable {
    package var search: String
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

extension Preferences {
    /// Choices in bytes; `nil` is the default.
    private static let memoryLimits: [Int?] = [nil, 32 << 20, 64 << 20, 128 << 20, 256 << 20, 512 << 20, 1 << 30]
    private static let diskLimits: [Int?] = [nil, 128 << 20, 256 << 20, 512 << 20, 1 << 30, 2 << 30, 5 << 30]

    private static let slideTimes = [2, 3, 5, 10, 15, 30, 60]

    mutating func step(_ row: SettingsScreen.Row, by step: Int, options: BrowserOptions) {
        switch row {
        case .source: source = Self.neighbour(of: source, in: options.sources, step)
        case .arrangement: arrangement = Self.neighbour(of: arrangement, in: Arrangement.allCases, step)
        case .density: density = Self.neighbour(of: density, in: Array(ListGeometry.densities.indices), step)
        case .color:
            color = Self.neighbour(of: color, in: [nil, .truecolor, .palette256, .palette16, .monochrome], step)
        case .pixels: pixels = Self.neighbour(of: pixels, in: [nil] + PixelMode.allCases, step)
        case .animations: animates = Self.neighbour(of: animates, in: AnimationChoice.allCases, step)
        case .slideshow: slideSeconds = Self.neighbour(of: slideSeconds, in: Self.slideTimes, step)
        case .theme: theme = Self.neighbour(of: theme, in: [nil] + options.themes, step)
        case .language: language = Self.neighbour(of: language, in: [nil] + Language.allCases, step)
        case .memoryLimit: memoryLimit = Self.neighbour(of: memoryLimit, in: Self.memoryLimits, step)
        case .diskLimit: diskLimit = Self.neighbour(of: diskLimit, in: Self.diskLimits, step)
        case .safeSearch: isSafe.toggle()
        case .mouse: usesMouse.toggle()
        }
    }

    /// An unlisted value, as a file may have, is followed by the first.
    private static func neighbour<Value: Equatable>(of value: Value, in values: [Value], _ step: Int) -> Value {
        guard let first = values.first else { return value }
        guard let index = values.firstIndex(of: value) else { return first }
        return values[(index + step + values.count) % values.count]
    }
}

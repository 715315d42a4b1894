package import SpyglassCatalog
package import SpyglassFetching
internal import SpyglassTerminalUI

/// The searches and photos that the home screen offers.
struct HomeState: Sendable {
    /// The newest search first.
    var history: [RecentSearch] = []
    var place: SavedPlace?
    /// The photos that were seen last.
    var seenPhotos: [HomePhoto] = []
    /// The picture of the day, and pictures that came with the program.
    var offers: [HomePhoto] = []
}

/// The search field, at home or over a list.
struct SearchScreen: Hashable, Sendable {
    /// A change also deselects the line and removes the mistake.
    var field = TextField() {
        didSet { (choice, mistake) = (nil, nil) }
    }
    /// The text that was typed before an older search replaced it.
    var draft = ""
    /// The chosen line under the field; `nil` while the caret is in the field.
    var choice: Int?
    var mistake: SearchSyntaxError?
}

/// A line under the search field, or a picture above it.
enum SearchChoice: Hashable, Sendable {
    case resume(SavedPlace)
    case recent(RecentSearch)
    case suggestion(String)
    /// A picture above the field; these are the last.
    case photo(HomePhoto)

    var isPhoto: Bool { if case .photo = self { true } else { false } }
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

/// A position in a search.
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

extension BrowserOptions {
    /// Returns the source name of a `SavedPlace`; each archive is its own source.
    package func placeSource(_ source: String) -> String { archive.map { SavedPlace.archivePrefix + $0 } ?? source }

    /// Returns whether a source, or an archive as in `SavedPlace`, can be searched; `nil` is any source.
    func canSearch(_ source: String?) -> Bool {
        guard archive == nil else { return source == placeSource("") }
        return source.map(sources.contains) ?? true
    }
}

/// A picture on the home screen, and the search that it is of.
package struct HomePhoto: Hashable, Sendable {
    /// The maximum number of photos that are kept.
    package static let maxSeen = 6

    /// Has only id, title and preview.
    package let photo: Photo
    package let place: SavedPlace
    /// Whether the photo is the picture of the day of its source.
    package let isToday: Bool

    package init(
        id: String, title: String, thumbnail: WebAddress, trust: AddressTrust, place: SavedPlace, isToday: Bool = false
    ) {
        var photo = Photo(id: id, source: place.source)
        photo.title = title
        photo.thumbnail = thumbnail
        photo.trust = trust
        self.photo = photo
        self.place = place
        self.isToday = isToday
    }

    /// Returns `nil` without a preview on the web, or if its address holds a secret.
    package init?(_ photo: Photo, at place: SavedPlace, isToday: Bool = false) {
        guard let address = photo.thumbnail, photo.file == nil, "\(address)" == address.text else { return nil }
        self.init(
            id: photo.id, title: photo.title, thumbnail: address, trust: photo.trust, place: place, isToday: isToday)
    }
}

/// The row of pictures on the home screen: as many as fit beside each other, above its text.
struct HomeGeometry: Hashable {
    /// The size of each picture; `nil` if the screen is too small.
    let thumbnail: CellSize?
    let count: Int

    static let gap = 2
    static let captionRows = 1
    /// Rows of the screen for each row of a picture.
    private static let share = 4
    private static let rows = 4...12
    /// The shape of a picture of 3:2 in cells of 1:2.
    private static let columnsPerRow = 3

    init(content: CellArea) {
        let rows = min(content.rows / Self.share, Self.rows.upperBound)
        let columns = rows * Self.columnsPerRow
        count = rows >= Self.rows.lowerBound ? (content.columns + Self.gap) / (columns + Self.gap) : 0
        thumbnail = count > 0 ? CellSize(clamping: columns, rows) : nil
    }

    /// The rows of pictures, captions and the gap below.
    var rowsInAll: Int { thumbnail.map { $0.rows + Self.captionRows + 1 } ?? 0 }

    /// Returns the area of a picture and its caption.
    ///
    /// As many as fit are centred; fewer begin in the same column.
    func area(of index: Int, in content: CellArea) -> CellArea? {
        guard let thumbnail else { return nil }
        let width = count * (thumbnail.columns + Self.gap) - Self.gap
        let start = content.column + max((content.columns - width) / 2, 0)
        return CellArea(
            column: start + index * (thumbnail.columns + Self.gap), row: content.row, columns: thumbnail.columns,
            rows: thumbnail.rows + Self.captionRows)
    }
}

package import SpyglassCatalog
package import SpyglassFetching
internal import SpyglassTerminalUI

/// A picture on the home screen, and the search that it is of.
package struct HomePhoto: Hashable, Sendable {
    /// The photos that are kept for the home screen.
    package static let maxSeen = 6

    /// With id, title and preview alone.
    package let photo: Photo
    package let place: SavedPlace
    /// Whether it is the day's picture of its source.
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

    /// `nil` without a preview on the web, or if its address holds a secret.
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
    /// Rows of the screen for one of a picture.
    private static let share = 4
    private static let rows = 4...12
    /// Of a picture of 3:2 in cells of 1:2.
    private static let columnsPerRow = 3

    init(content: CellArea) {
        let rows = min(content.rows / Self.share, Self.rows.upperBound)
        let columns = rows * Self.columnsPerRow
        count = rows >= Self.rows.lowerBound ? (content.columns + Self.gap) / (columns + Self.gap) : 0
        thumbnail = count > 0 ? CellSize(clamping: columns, rows) : nil
    }

    /// The rows of pictures, captions and the gap below.
    var rowsInAll: Int { thumbnail.map { $0.rows + Self.captionRows + 1 } ?? 0 }

    /// In the middle if there are as many as fit; fewer begin in the same column.
    func area(of index: Int, in content: CellArea) -> CellArea? {
        guard let thumbnail else { return nil }
        let width = count * (thumbnail.columns + Self.gap) - Self.gap
        let start = content.column + max((content.columns - width) / 2, 0)
        return CellArea(
            column: start + index * (thumbnail.columns + Self.gap), row: content.row, columns: thumbnail.columns,
            rows: thumbnail.rows + Self.captionRows)
    }
}

package import SpyglassCatalog
package import SpyglassFetching
internal import SpyglassTerminalUI

struct HomeState: Sendable {
    /// The newest search first.
    var history: [RecentSearch] = []
    var place: SavedPlace?
    var seenPhotos: [HomePhoto] = []
    /// The picture of the day, and pictures that came with the program.
    var offers: [HomePhoto] = []
}

struct SearchScreen: Hashable, Sendable {
    /// A change also deselects the line and removes the mistake.
    var field = TextField() { didSet { (choice, mistake) = (nil, nil) } }
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

    package init(_ text: String, source: String? = nil) { (self.text, self.source) = (text, source) }

    /// The source of a folder, whose text is its path.
    static let folder = "folder"
    var isFolder: Bool { source == Self.folder }
}

package struct SavedPlace: Hashable, Sendable {
    package var search: String
    package var position: Int
    /// The source, or `archivePrefix` and the folder of an archive.
    package var source: String
    package static let archivePrefix = "archive:"

    package init(search: String, position: Int, source: String) {
        (self.search, self.position, self.source) = (search, position, source)
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
    package static let maxSeen = 6
    /// Has only id, title and preview.
    package let photo: Photo
    package let place: SavedPlace
    /// Whether the photo is the picture of the day of its source.
    package let isToday: Bool

    package init(
        id: String, title: String, thumbnail: WebAddress, trust: NetworkReach, place: SavedPlace, isToday: Bool = false
    ) {
        var photo = Photo(id: id, source: place.source)
        (photo.title, photo.thumbnail, photo.trust) = (title, thumbnail, trust)
        (self.photo, self.place, self.isToday) = (photo, place, isToday)
    }

    /// Returns `nil` without a preview on the web, or if its address holds a secret.
    package init?(_ photo: Photo, at place: SavedPlace, isToday: Bool = false) {
        guard let address = photo.thumbnail, photo.file == nil, "\(address)" == address.text else { return nil }
        self.init(
            id: photo.id, title: photo.title, thumbnail: address, trust: photo.trust, place: place, isToday: isToday)
    }
}

/// The row of pictures on the home screen: as many as fit beside each other, under the title.
struct HomeGeometry: Hashable {
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

    /// The columns of a row of pictures.
    func columns(of count: Int) -> Int {
        thumbnail.map { max(count * ($0.columns + Self.gap) - Self.gap, 0) } ?? 0
    }

    /// The area of a picture and its caption in a row that begins where `row` does.
    func area(of index: Int, in row: CellArea) -> CellArea? {
        thumbnail.map {
            CellArea(
                column: row.column + index * ($0.columns + Self.gap), row: row.row, columns: $0.columns,
                rows: $0.rows + Self.captionRows)
        }
    }
}

/// Parses the text of the search field: words, and filters of the source among them.
///
///     try SearchText(filters: NASASource.filters).query(of: "moon center:JSC year:1969-1972 photographer:\"Bill Ingalls\"")
///
/// A word of letters, a colon and a value is a filter; one that the source lacks is an error. Everything else (`12:30`,
/// `Apollo 11: the landing`, `"foo:bar"`, `https://a.example`) is words.
package struct SearchText {
    /// The filters of the source that is searched, in the order in which they are offered.
    let filters: [PhotoFilter]

    package init(filters: [PhotoFilter]) { self.filters = filters }

    package func query(of text: String) throws(SearchSyntaxError) -> PhotoQuery {
        var query = PhotoQuery()
        var words: [Substring] = []
        for word in Self.words(of: text) {
            guard let (filter, value) = try filter(in: word) else {
                words.append(word)
                continue
            }
            do throws(CatalogError) { try query.add(value, to: filter) } catch {
                throw filter.values(of: value)?.isEmpty == true
                    ? .emptyFilter(filter.name) : .badValue(value, filter: filter.name, examples: filter.examples)
            }
        }
        query.text = words.joined(separator: " ")
        return query
    }

    /// Filters come first: an open quotation mark among the words would swallow them.
    func text(of query: PhotoQuery) -> String {
        var parts: [String] = []
        for filter in filters where query[filter.name] != filter.defaultValues {
            let value = query[filter.name].joined(separator: ",").filter { $0 != "\"" }
            if !value.isEmpty { parts.append(Self.text(of: value, filter)) }
        }
        if !query.text.isEmpty { parts.append(query.text) }
        return parts.joined(separator: " ")
    }

    var hint: String {
        filters.prefix(3).compactMap { filter in filter.examples.first.map { Self.text(of: $0, filter) } }
            .joined(separator: "  ")
    }

    /// `category:"Lighthouses in Brittany"`: quotation marks keep the words of a value together.
    private static func text(of value: String, _ filter: PhotoFilter) -> String {
        value.contains(where: \.isWhitespace) ? "\(filter.name):\"\(value)\"" : "\(filter.name):\(value)"
    }

    /// Splits a text at spaces outside quotation marks; an open one reaches to the end.
    private static func words(of text: String) -> [Substring] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character.isWhitespace && !isQuoted
        }
    }

    /// Returns a filter and its value, without quotation marks; `nil` for a word.
    private func filter(in word: Substring) throws(SearchSyntaxError) -> (PhotoFilter, String)? {
        guard let colon = word.firstIndex(of: ":"), colon != word.startIndex else { return nil }
        let (name, text) = (word[..<colon].lowercased(), word[word.index(after: colon)...])
        guard name.allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        guard let filter = filters.first(where: { $0.name == name }) else {
            // Without a value, the colon ends a clause: "Centre: the inner stars".
            guard !text.isEmpty, !text.hasPrefix("//"), name.count > 1 else { return nil }
            throw .unknownFilter(name, known: filters.map(\.name))
        }
        let value = text.dropFirst(text.first == "\"" ? 1 : 0)
        return (filter, String(value.dropLast(value.last == "\"" ? 1 : 0)))
    }
}

package enum SearchSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `colour:red`: not a filter of the source.
    case unknownFilter(String, known: [String])
    /// `year:soon`: not a value of the filter.
    case badValue(String, filter: String, examples: [String])
    /// `center:` without a value.
    case emptyFilter(String)

    package var description: String { UIStrings(.english).text(of: self) }
}

internal import SpyglassFetching
internal import SpyglassJSON

/// One item of a page, `{"href": …, "data": [{…}], "links": […]}`: all but the id may be missing, `null` or of another type.
struct NASAItem {
    private let data: JSONValue
    private let files: [NASAFile]
    private let href: String
    let id: String

    init?(_ item: JSONValue, in base: WebAddress) {
        guard let data = (item["data"]?.elements ?? []).first(where: { Self.id(of: $0) != nil }),
            let id = Self.id(of: data)
        else { return nil }
        self.data = data
        self.id = id
        href = item["href"]?.text ?? ""
        var seen: Set<WebAddress> = []
        files = (item["links"]?.elements ?? []).prefix(Self.maxLinks).compactMap { NASAFile($0, in: base) }
            .filter { $0.isPicture && seen.insert($0.rendition.address).inserted }
    }

    /// Version 1.1 has five.
    private static let maxLinks = 200
    /// Up to 35 keywords have been recorded.
    private static let maxListCount = 200

    /// The id, unchanged: NASA matches it exactly, with spaces and in any script.
    private static func id(of data: JSONValue) -> String? {
        guard let id = data["nasa_id"]?.text, id.utf8.count <= PlainText.lineLimit,
            id.contains(where: { !$0.isWhitespace })
        else { return nil }
        return id
    }

    func photo(source: String) -> Photo {
        var photo = Photo(id: id, source: source)
        photo.title = line("title") ?? PlainText.oneLine(id, limit: PlainText.lineLimit)
        photo.photographer = line("photographer")
        photo.secondaryCreator = line("secondary_creator")
        photo.date = line("date_created")
        photo.center = line("center")
        photo.location = line("location")
        photo.description = paragraphs("description") ?? paragraphs("description_508")
        photo.keywords = list("keywords")
        photo.albums = list("album")
        photo.mediaType = mediaType
        photo.renditions = files.map(\.rendition)
        photo.thumbnail = PreviewChoice.best(of: photo.renditions)
        photo.page = WebAddress("https://images.nasa.gov/details/\(PercentEncoding.component(id))")
        photo.credit = Self.credit(of: photo)
        return photo
    }

    /// The credit line that NASA's media guidelines require: the makers that the item names, else NASA and the centre.
    private static func credit(of photo: Photo) -> String {
        switch (photo.photographer, photo.secondaryCreator) {
        case (let photographer?, let other?):
            let photographerNamesBoth = photographer.lowercased().containsBytes(of: other.lowercased())
            let otherNamesBoth = other.lowercased().containsBytes(of: photographer.lowercased())
            return photographerNamesBoth ? photographer : otherNamesBoth ? other : "\(photographer); \(other)"
        case (let name?, nil), (nil, let name?): return name
        case (nil, nil): return photo.center.map { "NASA/\($0)" } ?? "NASA"
        }
    }

    private var mediaType: MediaType {
        if let named = data["media_type"]?.text.flatMap({ MediaType(rawValue: $0.lowercased()) }) { return named }
        return MediaType.published.first { href.containsBytes(of: "/\($0.rawValue)/") } ?? .image
    }

    private func line(_ name: String) -> String? { data[name]?.text.flatMap { PlainText.line($0).nonEmpty } }

    private func paragraphs(_ name: String) -> String? {
        data[name]?.text.flatMap { PlainText.paragraphs($0).nonEmpty }
    }

    /// A list of strings, or a single one; "Washington, DC" is one keyword.
    private func list(_ name: String) -> [String] {
        (data[name]?.elements ?? []).prefix(Self.maxListCount).compactMap { element in
            element.text.flatMap { PlainText.line($0).nonEmpty }
        }
    }
}

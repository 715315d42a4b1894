internal import SpyglassFetching
internal import SpyglassJSON

/// One item of a page, `{"href": …, "data": [{…}], "links": […]}`: all but the id may be missing, `null` or of another type.
struct NASAItem {
    private let data: JSONValue
    private let files: [NASAFile]
    private let href: String
    let id: String

    init?(_ item: JSONValue, in base: WebAddress) {
        guard let data = (item["data"]?.elements ?? []).first(where: { $0.id("nasa_id") != nil }),
            let id = data.id("nasa_id")
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

    func photo(source: String) -> Photo {
        var photo = Photo(id: id, source: source)
        photo.title = data.line("title") ?? PlainText.oneLine(id, limit: PlainText.lineLimit)
        photo.photographer = data.line("photographer")
        photo.secondaryCreator = data.line("secondary_creator")
        photo.date = data.line("date_created")
        photo.center = data.line("center")
        photo.location = data.line("location")
        photo.description = data.paragraphs("description") ?? data.paragraphs("description_508")
        photo.keywords = data.list("keywords")
        photo.albums = data.list("album")
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
}

internal import SpyglassFetching
internal import SpyglassJSON

/// One item of a page; all but the id may be missing or of another type.
struct NASAItem {
    private let data: JSONValue
    private let files: [NASAFile]
    private let href: String
    private let id: String

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

    var photo: Photo {
        var photo = Photo(id: id, source: NASASource.declaration.name, title: data.line("title"))
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

    /// As NASA's media guidelines require: the makers, else the centre.
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

/// One link of an item or one entry of a file list: an image, a video, a sound, subtitles or metadata.
struct NASAFile: Hashable {
    let rendition: Rendition
    /// True for an image; the extension has precedence over `rel`.
    let isPicture: Bool

    /// Parses `{"href": …, "rel": …, "render": …, "width": …, "height": …, "size": …}` or a bare string.
    init?(_ link: JSONValue, in base: WebAddress) {
        let href: JSONValue? = if case .string = link { link } else { link["href"] }
        // Relative to the response (RFC 3986 section 5.2).
        guard case .string(let href)? = href, !href.trimmed.isEmpty,
            let address = (try? base.resolving(href.trimmed))?.secureAtNASA
        else { return nil }
        let rel = link["rel"]?.text.map { PlainText.line($0, limit: 64).lowercased() }
        rendition = Rendition(
            address, width: link.positive("width"), height: link.positive("height"),
            bytes: link.positive("size"), rel: rel)
        let suffix = address.fileExtension
        isPicture =
            if Self.pictureExtensions.contains(suffix) {
                rel != "captions"
            } else if Self.otherExtensions.contains(suffix) {
                false
            } else {
                rel == "preview" || link["render"]?.text?.lowercased() == "image"
            }
    }

    private static let pictureExtensions: Set = ["jpg", "jpeg", "png", "gif", "tif", "tiff", "webp", "bmp"]
    private static let otherExtensions: Set = [
        "srt", "vtt", "mp4", "mov", "m4v", "avi", "webm", "mp3", "m4a", "wav", "json", "xml", "txt", "pdf", "html",
        "htm",
    ]
}

/// Chooses a photo's preview: by relation, then by width, then by file name.
enum PreviewChoice {
    /// Pixels across that suffice for a thumbnail; NASA's previews have 640.
    static let minWidth = 320
    /// The renditions by name, best first; `~thumb_1` is a video's first still.
    private static let names = ["~thumb", "~small", "~medium", "~large", "~preview", "~orig"]
    private static let unreadable: Set = ["tif", "tiff", "webp"]

    static func best(of renditions: [Rendition]) -> WebAddress? {
        let readable = renditions.filter { !unreadable.contains($0.address.fileExtension) }
        let previews = readable.filter { $0.rel == "preview" }
        let candidates = previews.isEmpty ? readable : previews
        let wideEnough = candidates.filter { ($0.width ?? 0) >= minWidth }
        let smallest = wideEnough.min { left, right in
            (left.width ?? 0, priority(left)) < (right.width ?? 0, priority(right))
        }
        return (smallest ?? candidates.min { priority($0) < priority($1) })?.address
    }

    private static func priority(_ rendition: Rendition) -> Int {
        let file = rendition.address.lastComponent
        return names.firstIndex { name in
            guard let range = file.byteRange(of: name) else { return false }
            let following = file[range.upperBound...].first
            return following == "." || following == "_" || following == nil
        } ?? names.count
    }
}

extension WebAddress {
    fileprivate var lastComponent: Substring { path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...] }

    fileprivate var fileExtension: String {
        guard let dot = lastComponent.lastIndex(of: ".") else { return "" }
        return lastComponent[dot...].dropFirst().lowercased()
    }
}

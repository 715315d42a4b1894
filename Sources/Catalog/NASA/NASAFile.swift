internal import SpyglassFetching
internal import SpyglassJSON

/// One link of an item or one entry of a file list: a picture, or a film, a sound, subtitles, metadata.
struct NASAFile: Hashable {
    let rendition: Rendition
    /// Whether it can be shown: subtitles, films, sounds and metadata cannot, whatever their `rel` says.
    let isPicture: Bool

    /// Reads `{"href": …, "rel": …, "render": …, "width": …, "height": …, "size": …}`, or a bare string; `nil` without an
    /// address that can be fetched.
    init?(_ link: JSONValue, in base: WebAddress) {
        let href: JSONValue? = if case .string = link { link } else { link["href"] }
        guard case .string(let href)? = href, let address = base.following(href: href) else { return nil }
        let rel = link["rel"]?.text.map { PlainText.line($0, limit: 64).lowercased() }
        rendition = Rendition(
            address, width: link["width"].flatMap(Self.positive), height: link["height"].flatMap(Self.positive),
            bytes: link["size"].flatMap(Self.positive), rel: rel)
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

    private static func positive(_ value: JSONValue) -> Int? { value.integer.flatMap { $0 > 0 ? $0 : nil } }

    /// What NASA's originals and renditions of pictures are.
    private static let pictureExtensions: Set = ["jpg", "jpeg", "png", "gif", "tif", "tiff", "webp", "bmp"]
    /// What stands beside them in the lists.
    private static let otherExtensions: Set = [
        "srt", "vtt", "mp4", "mov", "m4v", "avi", "webm", "mp3", "m4a", "wav", "json", "xml", "txt", "pdf", "html",
        "htm",
    ]
}

/// Chooses the picture to show small: by relation, then by width, then by file name, never by place.
enum PreviewChoice {
    /// Pixels across that are enough for a thumbnail in any terminal; NASA's own previews have 640.
    static let wantedWidth = 320
    /// The scaled pictures by name, in the order of preference; `~thumb_1` is a film's first still.
    private static let names = ["~thumb", "~small", "~medium", "~large", "~preview", "~orig"]

    /// What is no JPEG or PNG by its name.
    private static let unreadable: Set = ["tif", "tiff", "gif", "webp", "bmp"]

    /// The address of the best preview, or `nil` when there is none that a JPEG or PNG decoder could read.
    static func best(of renditions: [Rendition]) -> WebAddress? {
        let readable = renditions.filter { !unreadable.contains($0.address.fileExtension) }
        let previews = readable.filter { $0.rel == "preview" }
        let candidates = previews.isEmpty ? readable : previews
        let wideEnough = candidates.filter { ($0.width ?? 0) >= wantedWidth }
        let smallest = wideEnough.min { left, right in
            (left.width ?? 0, rank(left)) < (right.width ?? 0, rank(right))
        }
        return (smallest ?? candidates.min { rank($0) < rank($1) })?.address
    }

    private static func rank(_ rendition: Rendition) -> Int {
        let file = rendition.address.lastComponent
        return names.firstIndex { name in
            guard let place = file.place(of: name) else { return false }
            let following = file[place.upperBound...].first
            return following == "." || following == "_" || following == nil
        } ?? names.count
    }
}

extension WebAddress {
    /// What stands behind the path's last slash.
    fileprivate var lastComponent: Substring { path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...] }

    /// The extension of the path, lower case; a query is not part of it.
    fileprivate var fileExtension: String {
        guard let dot = lastComponent.lastIndex(of: ".") else { return "" }
        return lastComponent[dot...].dropFirst().lowercased()
    }
}

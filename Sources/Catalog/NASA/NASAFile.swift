internal import SpyglassFetching
internal import SpyglassJSON

/// One link of an item or one entry of a file list: an image, a video, a sound, subtitles or metadata.
struct NASAFile: Hashable {
    let rendition: Rendition
    /// True for an image; the extension has precedence over `rel`.
    let isPicture: Bool

    /// Parses `{"href": …, "rel": …, "render": …, "width": …, "height": …, "size": …}` or a bare string.
    init?(_ link: JSONValue, in base: WebAddress) {
        let href: JSONValue? = if case .string = link { link } else { link["href"] }
        guard case .string(let href)? = href, let address = base.following(href: href) else { return nil }
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

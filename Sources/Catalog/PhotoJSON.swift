internal import SpyglassFetching
internal import SpyglassJSON

/// Writes a photo as `list --json` prints it: one object on one line.
///
///     print(PhotoJSON.line(for: photo))
///     // {"id":"PIA12345","title":"Dunes","photographer":null,…,"source":"nasa"}
///
/// The members stand in this order: `id title photographer date center location description keywords album media_type
/// thumbnail renditions page_url credit source`, and in a rendition `url width height bytes rel`. What is unknown is `null`,
/// a list without members `[]`.
public enum PhotoJSON {
    /// The object, without a line break at its end.
    ///
    /// Control characters, DEL, U+0080 to U+009F, line separators, and the characters that change the direction of writing
    /// are escaped as `\uXXXX`; everything else stands as UTF-8.
    public static func line(for photo: Photo) -> String {
        JSONText.object([
            ("id", JSONText.string(photo.id)),
            ("title", JSONText.string(photo.title)),
            ("photographer", JSONText.string(photo.photographer)),
            ("date", JSONText.string(photo.date)),
            ("center", JSONText.string(photo.center)),
            ("location", JSONText.string(photo.location)),
            ("description", JSONText.string(photo.description)),
            ("keywords", JSONText.array(photo.keywords.map(JSONText.string))),
            ("album", JSONText.array(photo.albums.map(JSONText.string))),
            ("media_type", JSONText.string(photo.mediaType.rawValue)),
            ("thumbnail", JSONText.string(photo.thumbnail?.text)),
            ("renditions", JSONText.array(photo.renditions.map(rendition))),
            ("page_url", JSONText.string(photo.page?.text)),
            ("credit", JSONText.string(photo.credit)),
            ("source", JSONText.string(photo.source)),
        ])
    }

    private static func rendition(_ rendition: Rendition) -> String {
        JSONText.object([
            ("url", JSONText.string(rendition.address.text)),
            ("width", JSONText.number(rendition.width)),
            ("height", JSONText.number(rendition.height)),
            ("bytes", JSONText.number(rendition.bytes)),
            ("rel", JSONText.string(rendition.rel)),
        ])
    }
}

internal import SpyglassFetching
internal import SpyglassFiles
internal import SpyglassJSON

/// Writes a photo as one JSON object on one line, for `list --json`.
///
///     print(PhotoJSON.line(for: photo))
///     // {"id":"PIA12345","title":"Dunes","photographer":null,…,"source":"nasa"}
///
/// The order of the members: `id title photographer date center location description keywords album media_type thumbnail renditions
/// page_url credit license license_url source`, then `file` and `camera` for a file or folder on disk, and in a rendition `url width height bytes rel`. Unknown values are `null`, empty lists `[]`.
package enum PhotoJSON {
    /// The object, without a line break at its end.
    ///
    /// Control characters, line separators and characters that change the writing direction are escaped as `\uXXXX`.
    package static func line(for photo: Photo) -> String {
        var members = [
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
            ("license", JSONText.string(photo.license)),
            ("license_url", JSONText.string(photo.licenseURL?.text)),
            ("source", JSONText.string(photo.source)),
        ]
        if let file = photo.file {
            members += [("file", JSONText.string(file.path.shown)), ("camera", JSONText.string(photo.camera))]
        }
        return JSONText.object(members)
    }

    private static func rendition(_ rendition: Rendition) -> String {
        JSONText.object([
            ("url", JSONText.string(rendition.address.text)), ("width", JSONText.number(rendition.width)),
            ("height", JSONText.number(rendition.height)), ("bytes", JSONText.number(rendition.bytes)),
            ("rel", JSONText.string(rendition.rel)),
        ])
    }
}

internal import SpyglassFetching
internal import SpyglassJSON

/// One picture of a post, in the sizes that Tumblr gives.
///
/// The address of each size has a hash of its own, so that no other size can be derived.
struct TumblrPicture {
    /// Width of a list's preview; a GIF without a still image is smaller, since every frame is transferred.
    private static let previewWidth = (still: 400, animated: 250)
    /// Files of this width are square crops.
    private static let cropWidth = 75
    /// Maximum sizes of a picture; 10 have been recorded.
    fileprivate static let maxSizes = 30

    /// At least one.
    private let files: [Rendition]
    /// Still images of an animation.
    private let posters: [Rendition]
    /// The author's description.
    let text: String?

    private init?(_ files: [Rendition], posters: [Rendition] = [], text: String?) {
        let uncropped = files.filter { $0.width != Self.cropWidth }
        self.files = Array((uncropped.isEmpty ? files : uncropped).prefix(Self.maxSizes))
        guard !self.files.isEmpty else { return nil }
        self.posters = posters
        self.text = text
    }

    /// An image block: `{"media": [{"url": …, "width": …, "poster": …}], "alt_text": …}`.
    init?(block: JSONValue, in base: WebAddress) {
        let media = (block["media"]?.elements ?? []).prefix(Self.maxSizes)
        let posters = [block["poster"]] + media.map { $0["poster"] }
        self.init(
            media.filter { !$0.isTrue("cropped") }.compactMap { Self.file($0, in: base) },
            posters: posters.flatMap { $0?.elements ?? [] }.compactMap { Self.file($0, in: base) },
            text: block.line("alt_text") ?? block.line("caption"))
    }

    /// A photo of a legacy post: `{"original_size": {…}, "alt_sizes": [{…}], "caption": …}`.
    init?(photo: JSONValue, in base: WebAddress) {
        let original = photo["original_size"].flatMap { Self.file($0, in: base) }
        let others = (photo["alt_sizes"]?.elements ?? []).prefix(Self.maxSizes).compactMap { Self.file($0, in: base) }
        self.init(
            (original.map { [$0] } ?? []) + others.filter { $0.address != original?.address },
            text: photo.line("caption"))
    }

    /// The attributes of an `img` element.
    init?(image: [String: String], in base: WebAddress) {
        let width = image["data-orig-width"]?.decimal ?? 0
        let height = image["data-orig-height"]?.decimal ?? 0
        var files = HTMLImages.candidates(in: image["srcset"] ?? "").prefix(Self.maxSizes).compactMap { candidate in
            WebAddress(written: candidate.address, in: base).map { address in
                let isKnown = width > 0 && height > 0
                let share = isKnown ? Double(candidate.width ?? 0) * Double(height) / Double(width) : 0
                return Rendition(
                    address, width: candidate.width, height: Int(exactly: share.rounded()).flatMap { $0 > 0 ? $0 : nil }
                )
            }
        }
        if let source = image["src"].flatMap({ WebAddress(written: $0, in: base) }),
            !files.contains(where: { $0.address == source })
        {
            files.append(Rendition(source))
        }
        let text = image["alt"].flatMap { PlainText.line($0).nonEmpty }
        self.init(files, text: text == "image" ? nil : text)
    }

    private static func file(_ value: JSONValue, in base: WebAddress) -> Rendition? {
        value.address("url", in: base).map { address in
            // Then the size is a default.
            guard !value.isTrue("original_dimensions_missing") else { return Rendition(address) }
            return Rendition(address, width: value.positive("width"), height: value.positive("height"))
        }
    }

    /// The first of the widest ones.
    var largest: Rendition { Self.widest(of: files) ?? files[0] }

    var preview: WebAddress {
        let isAnimated = posters.isEmpty && largest.address.path.lowercased().hasSuffix(".gif")
        let width = isAnimated ? Self.previewWidth.animated : Self.previewWidth.still
        let candidates = posters.isEmpty ? files : posters
        let enough = candidates.filter { $0.width ?? 0 >= width }.min { $0.width ?? 0 < $1.width ?? 0 }
        return (enough ?? Self.widest(of: candidates) ?? largest).address
    }

    private static func widest(of files: [Rendition]) -> Rendition? {
        files.max { $0.width ?? 0 < $1.width ?? 0 }
    }

    /// All sizes as given, then the still image, without a size: no animation is to be replaced by it.
    var renditions: [Rendition] {
        let preview = preview
        let original = largest.address
        let sized = files.map { file in
            var file = file
            file.rel = file.address == original ? "canonical" : file.address == preview ? "preview" : "alternate"
            return file
        }
        return posters.isEmpty ? sized : sized + [Rendition(preview, rel: "preview")]
    }
}

internal import SpyglassFetching
internal import SpyglassJSON

/// A post in the Neue Post Format or in the legacy one, with the pictures of its reblog trail.
struct TumblrPost {
    /// Maximum pictures of a post; the editor allows 30.
    private static let maxPictures = 100
    /// Maximum earlier posts of a reblog.
    private static let maxTrail = 100

    /// In the order of the post, the earliest poster first.
    private(set) var pictures: [TumblrPicture] = []
    private let post: JSONValue
    private let base: WebAddress
    /// The blog that posted the first picture.
    private var owner: String?
    private var text: [String] = []

    init(_ post: JSONValue, in base: WebAddress) {
        self.post = post
        self.base = base
        let trail = (post["trail"]?.elements ?? []).prefix(Self.maxTrail)
        if case .array(let content)? = post["content"] {
            for part in trail { readBlocks(part["content"]?.elements ?? [], of: Self.author(of: part)) }
            readBlocks(content, of: post.line("blog_name"))
        } else {
            readLegacy(trail: trail)
        }
        var seen: Set<WebAddress> = []
        pictures = Array(pictures.filter { seen.insert($0.largest.address).inserted }.prefix(Self.maxPictures))
    }

    /// Blocks of unknown types are left out.
    private mutating func readBlocks(_ blocks: [JSONValue], of author: String?) {
        for block in blocks {
            switch block["type"]?.text {
            case "image":
                guard let picture = TumblrPicture(block: block, in: base) else { continue }
                if pictures.isEmpty { owner = author }
                pictures.append(picture)
            case "text": if let text = block["text"]?.text { self.text.append(text) }
            default: continue
            }
        }
    }

    /// The markup of a legacy post contains that of its trail, unless it is cut.
    private mutating func readLegacy(trail: ArraySlice<JSONValue>) {
        owner = trail.first.flatMap(Self.author)
        let markup = ["body", "answer", "caption", "description"].compactMap { post[$0]?.text }
        text = Array(markup.prefix(1))
        pictures = (post["photos"]?.elements ?? []).compactMap { TumblrPicture(photo: $0, in: base) }
        for part in markup + trail.compactMap({ ($0["content_raw"] ?? $0["content"])?.text }) where pictures.isEmpty {
            pictures = HTMLImages.attributes(in: part).compactMap { TumblrPicture(image: $0, in: base) }
        }
    }

    /// A deleted blog has only its name.
    private static func author(of part: JSONValue) -> String? {
        part["blog"]?.line("name") ?? part.line("broken_blog_name")
    }

    /// One photo for all pictures; `nil` without one.
    func photo(of source: String) -> Photo? {
        guard let first = pictures.first, let id = post.id("id_string") ?? post.id("id") else { return nil }
        var photo = Photo(id: id, source: source)
        let blog = post.line("blog_name") ?? post["blog"]?.line("name")
        photo.photographer = owner ?? blog
        photo.center = photo.photographer == blog ? nil : blog
        photo.credit = photo.photographer.map { "\($0) on Tumblr" }
        photo.date = post.line("date")
        photo.description = PlainText.paragraphs(text.joined(separator: "\n\n")).nonEmpty ?? first.text
        photo.keywords = post.list("tags")
        let firstLine = photo.description?.split(separator: "\n").first.map(String.init)
        photo.title =
            post.line("title") ?? post.line("summary") ?? first.text
            ?? PlainText.oneLine(firstLine ?? photo.keywords.first ?? blog ?? id, limit: PlainText.lineLimit)
        photo.page = post.address("post_url", in: base) ?? post.address("short_url", in: base)
        photo.thumbnail = first.preview
        photo.renditions = first.renditions
        for (index, picture) in pictures.enumerated().dropFirst() {
            var rendition = picture.largest
            rendition.rel = Rendition.rel(ofPicture: index + 1)
            photo.renditions.append(rendition)
        }
        photo.width = first.largest.width
        photo.height = first.largest.height
        return photo
    }
}

/// One picture of a post, in the sizes that Tumblr gives.
///
/// The address of each size has a hash of its own, so that no other size can be derived.
struct TumblrPicture {
    /// Width of a list's preview; a GIF without a still image is smaller, since every frame is transferred.
    private static let previewWidth = (still: 400, animated: 250)
    /// Files of this width are square crops.
    private static let cropWidth = 75
    /// Maximum sizes of a picture; 10 have been recorded.
    private static let maxSizes = 30

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

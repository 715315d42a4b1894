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
        photo.title =
            post.line("title") ?? post.line("summary") ?? first.text
            ?? PlainText.oneLine(id, limit: PlainText.lineLimit)
        photo.photographer = owner ?? blog
        photo.center = photo.photographer == blog ? nil : blog
        photo.credit = photo.photographer.map { "\($0) on Tumblr" }
        photo.date = post.line("date")
        photo.description = PlainText.paragraphs(text.joined(separator: "\n\n")).nonEmpty ?? first.text
        photo.keywords = post.list("tags")
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

internal import SpyglassFetching
internal import SpyglassJSON

/// Wikimedia Commons (`commons.wikimedia.org`, MediaWiki's action API): freely licensed files, in pages of 50.
///
/// The API asks for one request after another, a `User-Agent` with a contact, and a pause where its databases lag. Its
/// search shows the first 10,000 results. Errors come with status 200.
struct WikimediaService: PhotoService {
    private static let pageSize = 50
    /// CirrusSearch refuses results beyond this one.
    private static let resultCeiling = 10_000
    /// Widths of thumbnails in pixels; the servers refuse other than the standard ones (w.wiki/GHai).
    private static let thumbnailWidth = 330
    private static let screenWidth = 1280
    /// Without SVG, PDF, video and sound.
    private static let bitmaps = "filetype:bitmap"
    private static let maxKeywords = 200

    let declaration = SourceDeclaration(
        name: "wikimedia", title: "Wikimedia Commons", summary: "freely licensed photos and drawings of Wikipedia",
        example: "lighthouse width:1920",
        filters: [
            PhotoFilter(
                "category", placeholder: "NAME", help: "a category, by its exact name",
                examples: ["Lighthouses in Brittany"]),
            .minWidth,
        ],
        endpoint: WebAddress(constant: "https://commons.wikimedia.org/"),
        license: "each file has its own licence, shown with it; most demand the name of the author")

    func request(for page: PageRequest) throws(CatalogError) -> ServiceRequest {
        guard let cursor = page.cursor else { return request(for: page.query, nil) }
        guard let continuation = Continuation(cursor) else { throw .foreignCursor(of: declaration.name) }
        return request(for: page.query, continuation)
    }

    func request(after answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> ServiceRequest? {
        guard let last = answers.last, !Self.isComplete(last), let next = Continuation(last) else { return nil }
        let sent = answers.dropLast().last.map { Continuation($0) } ?? page.cursor.flatMap(Continuation.init)
        return next == sent ? nil : request(for: page.query, next)
    }

    private func request(for query: PhotoQuery, _ continuation: Continuation?) -> ServiceRequest {
        var search = Self.bitmaps
        if let category = query["category"].first { search += " incategory:\"\(category.filter { $0 != "\"" })\"" }
        // CirrusSearch compares strictly.
        if let width = query["width"].first?.decimal { search += " filew:>\(width - 1)" }
        if !query.text.isEmpty { search += " \(query.text)" }
        let files = [
            ("generator", "search"), ("gsrsearch", search), ("gsrnamespace", "6"), ("gsrlimit", "\(Self.pageSize)"),
        ]
        return request(
            for: files, "url|size|mime|extmetadata", width: Self.thumbnailWidth, continuation?.members ?? [])
    }

    /// The thumbnail for a whole screen, as originals have tens of megabytes.
    ///
    /// Only the API may name it: the servers refuse addresses that a client has built (T66214, T414805).
    func request(forFilesOf photo: Photo) -> ServiceRequest? {
        photo.id.decimal == nil ? nil : request(for: [("pageids", photo.id)], "url|size", width: Self.screenWidth)
    }

    private func request(
        for files: [(String, String)], _ properties: String, width: Int, _ continuation: [(String, String)] = []
    ) -> ServiceRequest {
        let parameters =
            [("action", "query"), ("format", "json"), ("formatversion", "2")] + files + [
                ("prop", "imageinfo"), ("iiprop", properties), ("iiurlwidth", "\(width)"),
                // Seconds; the value that the API's etiquette recommends.
                ("maxlag", "5"),
            ]
        return ServiceRequest(
            path: "w/api.php", parameters: parameters + continuation,
            headers: [("User-Agent", SpyglassVersion.userAgentWithContact)])
    }

    /// Searches with filters have no words to type.
    func search(at address: WebAddress) -> String? {
        let search = address.queryItems.first { $0.name == "gsrsearch" }?.value
        guard let words = search?.trimmed, words.hasPrefix("\(Self.bitmaps) ") else { return nil }
        let text = words.dropFirst(Self.bitmaps.count + 1)
        return text.contains(":") ? nil : String(text)
    }

    func cursor(for start: PhotoStart) -> PageCursor? {
        let lastPage = Self.resultCeiling / Self.pageSize
        let page = PageCursor(start, pageSize: Self.pageSize, lastPage: lastPage)?.page
        guard let page, page <= lastPage else { return nil }
        return Continuation(offset: (page - 1) * Self.pageSize).cursor
    }

    /// `{"batchcomplete": true, "continue": {…}, "query": {"pages": […]}}`; pages are an object in version 1 of the format.
    ///
    /// Parts of one page repeat its files, each with some of their properties. Nothing found: no `query`.
    func page(of answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> PhotoPage {
        guard let last = answers.last else { return PhotoPage(photos: []) }
        for answer in answers where !Self.isComplete(answer) && answer.json["query"] == nil {
            guard answer.json["continue"] != nil else {
                throw .invalid(from: answer.address.host, "no list of files", at: .endpoint)
            }
        }
        var seen: Set<String> = []
        var files: [(rank: Int, photo: Photo)] = []
        for answer in answers {
            for file in Self.files(of: answer.json) {
                guard let photo = photo(file, in: answer.address), seen.insert(photo.id).inserted else { continue }
                files.append((file["index"]?.integer ?? .max, photo))
            }
        }
        let ranked = files.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
        let next = Continuation(last)
        let offset = page.cursor.map { Continuation($0)?.offset } ?? 0
        return PhotoPage(
            photos: ranked.map(\.element.photo), position: offset,
            next: (next?.offset ?? 0) < Self.resultCeiling ? next?.cursor : nil,
            previous: offset.flatMap { $0 > 0 ? Continuation(offset: max(0, $0 - Self.pageSize)).cursor : nil })
    }

    private static func isComplete(_ answer: ServiceAnswer) -> Bool {
        answer.json["batchcomplete"].map { $0 != .bool(false) } ?? false
    }

    private static func files(of answer: JSONValue) -> [JSONValue] {
        switch answer["query"]?["pages"] {
        case .object(let members): members.map(\.value)
        case .array(let files): files
        default: []
        }
    }

    /// `nil` without `imageinfo`: a later part has it, or the file is missing.
    private func photo(_ file: JSONValue, in base: WebAddress) -> Photo? {
        guard let info = file["imageinfo"]?[0], let id = file.id("pageid") else { return nil }
        let metadata = info["extmetadata"]
        func line(_ name: String) -> String? { metadata?[name]?.line("value") }
        var photo = Photo(id: id, source: declaration.name, title: file.line("title").map(Self.title))
        photo.photographer = line("Artist")
        photo.date = line("DateTimeOriginal")
        photo.description = metadata?["ImageDescription"]?.paragraphs("value")
        let categories = metadata?["Categories"]?["value"]?.text ?? ""
        photo.keywords = categories.split(separator: "|", maxSplits: Self.maxKeywords).prefix(Self.maxKeywords)
            .compactMap { PlainText.line(String($0)).nonEmpty }
        photo.page = info.address("descriptionurl", in: base)
        photo.license = line("LicenseShortName")
        photo.licenseURL = metadata?["LicenseUrl"]?.address("value", in: base)
        photo.credit = line("Attribution") ?? Self.credit(of: photo)
        switch info.line("mime")?.prefix(6) {
        case "video/": photo.mediaType = .video
        case "audio/": photo.mediaType = .audio
        default: break
        }
        photo.width = info.positive("width")
        photo.height = info.positive("height")
        let isImage = photo.mediaType == .image
        let thumbnail = Self.thumbnail(info, rel: "preview", in: base)
        photo.lacksFiles = isImage && thumbnail != nil && photo.width ?? 0 > Self.screenWidth
        photo.addFiles(
            preview: thumbnail, original: isImage ? info.address("url", in: base) : nil, bytes: info.positive("size"))
        return photo
    }

    /// The file that the API has made for the width of the request; `nil` if it is the original.
    private static func thumbnail(_ info: JSONValue, rel: String, in base: WebAddress) -> Rendition? {
        guard let address = info.address("thumburl", in: base), address != info.address("url", in: base) else {
            return nil
        }
        return Rendition(address, width: info.positive("thumbwidth"), height: info.positive("thumbheight"), rel: rel)
    }

    func photo(_ photo: Photo, withFilesIn answer: ServiceAnswer) -> Photo {
        let info = Self.files(of: answer.json).first { $0.id("pageid") == photo.id }?["imageinfo"]?[0]
        guard let info, let file = Self.thumbnail(info, rel: "alternate", in: answer.address),
            !photo.renditions.contains(where: { $0.address == file.address })
        else { return photo }
        var photo = photo
        photo.renditions.insert(file, at: min(1, photo.renditions.count))
        return photo
    }

    /// `Night in Nice (1891)` for `File:Night in Nice (1891).jpg`.
    private static func title(_ page: String) -> String {
        let name = page.hasPrefix("File:") ? page.dropFirst(5) : page[...]
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count <= 5,
            !name[dot...].contains(" ")
        else { return String(name) }
        return String(name[..<dot])
    }

    /// As Commons proposes it: `Pascal Seibt, CC BY-SA 4.0, via Wikimedia Commons`.
    private static func credit(of photo: Photo) -> String {
        [photo.photographer, photo.license, "via Wikimedia Commons"].compactMap(\.self).joined(separator: ", ")
    }

    /// `{"error": {"code": "maxlag", "info": "Waiting for …"}}`, with status 200.
    func failure(in answer: ServiceAnswer, for page: PageRequest) -> ServiceFailure? {
        guard let error = answer.json["error"] ?? answer.json["errors"]?[0] else { return nil }
        let code = error["code"]?.text ?? ""
        // Transports retry other statuses.
        let isBusy = ["maxlag", "ratelimited"].contains(code) && (200...299).contains(answer.status)
        return ServiceFailure(
            reason: error["info"]?.text ?? error["text"]?.text ?? error.text ?? code.nonEmpty,
            subject: code.hasSuffix("too-long") ? .text : nil, retryDelay: isBusy ? .seconds(5) : nil)
    }
}

/// The part of an answer that the next request repeats: `{"gsroffset": 50, "continue": "gsroffset||"}`.
private struct Continuation: Equatable {
    /// Bytes of all members; those of searches have 40.
    private static let limit = 2_000

    let members: [(name: String, value: String)]

    init(offset: Int) { members = [("gsroffset", "\(offset)"), ("continue", "gsroffset||")] }

    init?(_ answer: ServiceAnswer) { self.init(answer.json["continue"]) }

    init?(_ cursor: PageCursor) { self.init(try? JSONValue(parsing: Array(cursor.token.utf8))) }

    /// No other names: an answer must not change the search.
    private init?(_ json: JSONValue?) {
        guard case .object(let members)? = json else { return nil }
        self.members = members.compactMap { member in
            guard member.name == "gsroffset" || member.name.hasSuffix("continue"),
                member.name.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
            else { return nil }
            return member.value.text.map { (member.name, $0) }
        }
        let size = self.members.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard !self.members.isEmpty, size <= Self.limit else { return nil }
    }

    static func == (left: Self, right: Self) -> Bool { left.members.elementsEqual(right.members, by: ==) }

    var cursor: PageCursor {
        PageCursor(token: JSONText.object(members.map { ($0.name, JSONText.string($0.value)) }))
    }

    /// The number of results before the page; `nil` if the service does not tell.
    var offset: Int? { members.last { $0.name == "gsroffset" }?.value.decimal }
}

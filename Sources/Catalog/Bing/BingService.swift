internal import SpyglassFetching
internal import SpyglassJSON

/// Bing Image Search (`api.bing.microsoft.com`, version 7), which ended on 11 August 2025: for archives and mirrors.
///
/// A page may skip or repeat results, and `totalEstimatedMatches` changes between pages. Only `nextOffset` leads to the next
/// page.
struct BingService: PhotoService {
    /// The API returned at most 150 results a page.
    private static let pageSize = 100
    /// The service gave about 1,000 results a search.
    private static let maxOffset = 1_000_000

    private static let filters = [
        choice("imageType", "type", ["Photo", "AnimatedGif", "Clipart", "Line", "Transparent"], "kinds of images"),
        choice("size", "size", ["Small", "Medium", "Large", "Wallpaper"], "sizes of images"),
        choice("aspect", "aspect", ["Square", "Wide", "Tall"], "shapes of images"),
        choice(
            "license", "license", ["Public", "Share", "ShareCommercially", "Modify", "ModifyCommercially"],
            "what the licence allows"),
        ServiceFilter(parameter: "minWidth", filter: .minWidth),
    ]

    private static func choice(
        _ parameter: String, _ name: String, _ values: [String], _ help: String
    ) -> ServiceFilter {
        let choices = PhotoFilter.Form.choices(values.map { $0.lowercased() })
        let filter = PhotoFilter(name, form: choices, placeholder: "NAMES", help: help)
        return ServiceFilter(parameter: parameter, filter: filter, spellings: values)
    }

    let declaration = SourceDeclaration(
        name: "bing", title: "Bing Image Search", summary: "images of the web, from recorded searches only",
        example: "lighthouse", filters: Self.filters.map(\.filter) + [.safeSearch],
        endpoint: WebAddress(constant: "https://api.bing.microsoft.com/v7.0/"),
        key: SourceKey(
            variable: "SPYGLASS_BING_KEY", place: .header("Ocp-Apim-Subscription-Key"),
            help: "only for a mirror that asks for one"),
        license: "each image belongs to the owner of its page",
        retirement: "Bing Image Search ended on 11 August 2025; try --source openverse")

    func request(for page: PageRequest) throws(CatalogError) -> ServiceRequest {
        let rest = [
            ("safeSearch", page.query.isUnsafe ? "Off" : "Moderate"), ("count", "\(Self.pageSize)"),
            ("offset", "\(try offset(of: page))"),
        ]
        return ServiceRequest(
            path: "images/search", parameters: page.words + Self.filters.parameters(of: page.query) + rest)
    }

    func cursor(for start: PhotoStart) -> PageCursor? {
        switch start {
        case .page(let number):
            guard (1...Self.maxOffset / Self.pageSize).contains(number) else { return nil }
            return PageCursor(offset: (number - 1) * Self.pageSize)
        case .position(let position): return PageCursor(offset: min(max(position, 0), Self.maxOffset))
        case .photo: return nil
        }
    }

    private func offset(of page: PageRequest) throws(CatalogError) -> Int {
        guard let cursor = page.cursor else { return 0 }
        guard let offset = cursor.offset, offset <= Self.maxOffset else {
            throw .foreignCursor(of: declaration.name)
        }
        return offset
    }

    /// Reads `{"_type": "Images", "totalEstimatedMatches": …, "nextOffset": …, "value": […]}`.
    func page(of answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> PhotoPage {
        let offset = try offset(of: page)
        let answer = answers[0]
        guard case .array(let values)? = answer.json["value"] else {
            throw .invalid(from: answer.address.host, "no list of images", at: .endpoint)
        }
        // At the end of the results the next offset stops growing.
        let next = answer.json.positive("nextOffset").flatMap { next in
            next > offset && next <= Self.maxOffset && !values.isEmpty ? PageCursor(offset: next) : nil
        }
        let photos = values.filter { page.query.isUnsafe || $0.isMissing("isFamilyFriendly", or: true) }
            .compactMap { photo($0, in: answer.address) }
        return PhotoPage(
            photos: photos, position: offset, next: next,
            previous: offset > 0 ? PageCursor(offset: max(0, offset - Self.pageSize)) : nil,
            total: answer.json.count("totalEstimatedMatches").map { .estimate($0) })
    }

    private func photo(_ value: JSONValue, in base: WebAddress) -> Photo? {
        guard let id = value.id("imageId") ?? value.id("contentUrl") ?? value.id("thumbnailUrl") else { return nil }
        var photo = Photo(id: id, source: declaration.name, title: value.line("name"))
        photo.date = value.line("datePublished") ?? value.line("hostPageDiscoveredDate")
        photo.page = value.address("hostPageUrl", in: base)
        photo.center = value.line("hostPageDomainFriendlyName") ?? photo.page?.host
        photo.credit = photo.center
        photo.license = value.line("creativeCommons").map(Self.license)
        photo.width = value.positive("width")
        photo.height = value.positive("height")
        let size = value["thumbnail"]
        photo.addFiles(
            preview: value.address("thumbnailUrl", in: base).map {
                Rendition($0, width: size?.positive("width"), height: size?.positive("height"), rel: "preview")
            },
            original: value.address("contentUrl", in: base), bytes: Self.bytes(value["contentSize"]))
        return photo
    }

    /// The number of `464634 B`.
    private static func bytes(_ size: JSONValue?) -> Int? {
        guard let text = size?.text, text.utf8.count <= 30 else { return nil }
        let number = text.hasSuffix("B") ? String(text.dropLast()).trimmed : text
        return number.decimal.flatMap { $0 > 0 ? $0 : nil }
    }

    /// `CC BY-NC-SA` for `AttributionNonCommercialShareAlike`; other names unchanged.
    private static func license(_ name: String) -> String {
        let parts = [
            ("Attribution", "BY"), ("NonCommercial", "NC"), ("NoDerivatives", "ND"), ("NoDerivs", "ND"),
            ("ShareAlike", "SA"),
        ]
        var rest = name[...]
        var terms: [String] = []
        while let part = parts.first(where: { rest.hasPrefix($0.0) }) {
            rest = rest.dropFirst(part.0.count)
            terms.append(part.1)
        }
        return rest.isEmpty && !terms.isEmpty ? "CC \(terms.joined(separator: "-"))" : name
    }

    /// Reads `{"_type": "ErrorResponse", "errors": [{"code": …, "message": …, "moreDetails": …, "parameter": …}]}`.
    func failure(in answer: ServiceAnswer, for page: PageRequest) -> ServiceFailure? {
        guard answer.json["value"] == nil, let error = answer.json["errors"]?.elements.first else { return nil }
        let message = error.line("message")
        let details = error.line("moreDetails").flatMap { $0 == message ? nil : $0 }
        let words = [message, details].compactMap(\.self).joined(separator: " ")
        var failure = ServiceFailure(reason: words.nonEmpty ?? error.line("code"))
        guard error.line("code") == "InvalidRequest" else { return failure }
        failure.subject = Self.filters.subject(of: error.line("parameter"), in: page)
        if error.line("parameter") == "q" {
            // The words are to blame unless the request had some: a mirror has lost them.
            failure.subject = error.line("subCode") == "ParameterMissing" && !page.query.text.isEmpty ? nil : .text
        }
        return failure
    }
}

extension PageCursor {
    fileprivate init(offset: Int) { self.init(token: "offset \(offset)") }

    fileprivate var offset: Int? { token.hasPrefix("offset ") ? String(token.dropFirst(7)).decimal : nil }
}

package import SpyglassFetching
internal import SpyglassJSON

/// Openverse (`api.openverse.org`, version 1): openly licensed images, in pages of 20.
///
/// Without an account the API gives at most 20 results a page and 240 a search, to 20 requests a minute and 200 a day.
struct OpenverseService: PhotoService {
    private static let pageSize = 20
    private static let lastPage = 12

    private static let filters = [
        ServiceFilter(
            parameter: "license",
            filter: PhotoFilter(
                "license", form: .choices(["by", "by-sa", "by-nc", "by-nd", "by-nc-sa", "by-nc-nd", "cc0", "pdm"]),
                placeholder: "NAMES", help: "licences, separated by commas")),
        ServiceFilter(
            parameter: "creator",
            filter: PhotoFilter("creator", help: "words in the name of the creator", examples: ["Moran"])),
        ServiceFilter(
            parameter: "source",
            filter: PhotoFilter(
                "provider", form: .words, placeholder: "NAMES", help: "where the image is from, separated by commas",
                examples: ["flickr", "nasa", "wikimedia"])),
        ServiceFilter(
            parameter: "aspect_ratio",
            filter: PhotoFilter(
                "aspect", form: .choices(["tall", "wide", "square"]), placeholder: "SHAPES",
                help: "tall, wide or square")),
        ServiceFilter(
            parameter: "extension",
            filter: PhotoFilter(
                "extension", form: .words, placeholder: "NAMES", help: "formats, separated by commas",
                examples: ["jpg", "png", "gif"])),
    ]

    let declaration = SourceDeclaration(
        name: "openverse", title: "Openverse", summary: "openly licensed images of museums, archives and Flickr",
        example: "lighthouse license:cc0", filters: Self.filters.map(\.filter) + [.minWidth, .safeSearch],
        endpoint: WebAddress(constant: "https://api.openverse.org/v1/"), requestsPerMinute: 20,
        license: "each image has its own licence, shown with it; most demand its credit line")

    func request(for page: PageRequest) throws(CatalogError) -> ServiceRequest {
        let number = try page.number(for: declaration.name)
        var parameters = page.words + Self.filters.parameters(of: page.query)
        if page.query.isUnsafe { parameters.append(("mature", "true")) }
        parameters += [("page", "\(number)"), ("page_size", "\(Self.pageSize)")]
        // Without the slash the API redirects.
        return ServiceRequest(path: "images/", parameters: parameters)
    }

    func cursor(for start: PhotoStart) -> PageCursor? {
        PageCursor(start, pageSize: Self.pageSize, lastPage: Self.lastPage)
    }

    /// Reads `{"result_count": …, "page_count": …, "results": […]}`.
    func page(of answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> PhotoPage {
        let number = try page.number(for: declaration.name)
        let answer = answers[0]
        guard case .array(let results)? = answer.json["results"] else {
            throw .invalid(from: answer.address.host, "no list of results", at: .endpoint)
        }
        let total = answer.json.count("result_count")
        let pages = answer.json["page_count"]?.integer ?? .max
        let continues = !results.isEmpty && number < pages && number * Self.pageSize < total ?? .max
        // The API has no parameter for it.
        let minWidth = page.query[PhotoFilter.minWidth.name].first?.decimal ?? 0
        let photos = results.filter { page.query.isUnsafe || $0.isMissing("mature", or: false) }
            .compactMap { photo($0, in: answer.address) }
            .filter { ($0.width ?? .max) >= minWidth }
        return PhotoPage(
            photos: photos, position: (number - 1) * Self.pageSize,
            next: continues ? PageCursor(page: number + 1) : nil, previous: page.previous,
            total: total.map { .estimate($0) })
    }

    private func photo(_ result: JSONValue, in base: WebAddress) -> Photo? {
        guard let id = result.id("id") else { return nil }
        var photo = Photo(id: id, source: declaration.name, title: result.line("title"))
        photo.photographer = result.line("creator")
        photo.center = result.line("source") ?? result.line("provider")
        photo.keywords = (result["tags"]?.elements ?? []).prefix(200).compactMap { $0.line("name") }
        photo.width = result.positive("width")
        photo.height = result.positive("height")
        photo.addFiles(
            preview: result.address("thumbnail", in: base).map { Rendition($0, rel: "preview") },
            original: result.address("url", in: base), bytes: result.positive("filesize"))
        photo.page = result.address("foreign_landing_url", in: base)
        photo.license = Self.license(of: result)
        photo.licenseURL = result.address("license_url", in: base)
        photo.credit = result.line("attribution") ?? Self.credit(of: photo)
        return photo
    }

    /// `CC BY-SA 2.0` for `by-sa` and `2.0`.
    private static func license(of result: JSONValue) -> String? {
        guard let name = result.line("license")?.uppercased() else { return nil }
        let full = name == "PDM" ? "Public Domain Mark" : name == "CC0" ? name : "CC \(name)"
        return result.line("license_version").map { "\(full) \($0)" } ?? full
    }

    private static func credit(of photo: Photo) -> String {
        let maker = photo.photographer.map { " by \($0)" } ?? ""
        return "\"\(photo.title)\"\(maker)\(photo.license.map { ", \($0)" } ?? "")"
    }

    /// `{"detail": "…"}`, or lists of reasons by parameter.
    func failure(in answer: ServiceAnswer, for page: PageRequest) -> ServiceFailure? {
        guard answer.json["results"] == nil else { return nil }
        let details = answer.json["detail"] ?? answer.json
        let isPastLastPage = answer.status != 200 && (page.cursor?.page ?? 1) > Self.lastPage
        let isEnd = isPastLastPage && [400, 401, 404].contains(answer.status)
        if let reason = details.text { return ServiceFailure(reason: reason, isEndOfResults: isEnd) }
        guard answer.status != 200, case .object(let members) = details,
            let member = members.first(where: { $0.value.text != nil })
        else { return nil }
        return ServiceFailure(
            reason: "\(member.name): \(member.value.text ?? "")",
            subject: answer.status == 400 ? Self.filters.subject(of: member.name, in: page) : nil,
            isEndOfResults: isEnd)
    }
}

extension Photo {
    /// The replacement of a thumbnail that fails: Openverse makes thumbnails on demand, which often fails.
    package var spareThumbnail: WebAddress? {
        source == "openverse" ? renditions.last { $0.address != thumbnail }?.address : nil
    }
}

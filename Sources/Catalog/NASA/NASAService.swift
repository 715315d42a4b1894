internal import SpyglassFetching
internal import SpyglassJSON

/// NASA's API in Collection+JSON: `{"collection": {"items": […], "metadata": {"total_hits": …}, "links": […]}}`.
struct NASAService: PhotoService {
    /// Items of a page: the API's default, sent explicitly so that each page has one address.
    private static let pageSize = 100
    /// Pages that end beyond this result get a 400.
    static let resultCeiling = 10_000
    private static let lastPage = resultCeiling / pageSize
    /// NASA's edge caches a 400 that another request caused for about 10 s, and returns it to valid requests.
    private static let errorCacheTime = Duration.seconds(11)
    private static let mediaType = "media_type"

    /// The filters of the API, in the order of help; an album is not searched.
    static let filters = [
        PhotoFilter(
            "center", form: .uppercaseText, placeholder: "NAME", help: "NASA centre: JSC, JPL, KSC, GSFC...",
            examples: ["JSC"]),
        PhotoFilter(
            "year", form: .years, placeholder: "YEAR[-YEAR]", help: "a year, or a range: 1969-1972",
            examples: ["1969-1972", "1969"]),
        PhotoFilter("photographer", help: "words in the photographer's name", examples: ["Ingalls"]),
        PhotoFilter("title", help: "words in the title"),
        PhotoFilter("location", help: "words in the location"),
        PhotoFilter("keywords", form: .words, placeholder: "WORDS", help: "keywords, separated by commas"),
        PhotoFilter("id", placeholder: "ID", help: "the exact id"),
        PhotoFilter("album", placeholder: "NAME", help: "an album, by its internal name"),
        PhotoFilter(
            "media", form: .choices(MediaType.published.map(\.rawValue)), placeholder: "TYPES",
            help: "image, video, audio, separated by commas", defaultValues: ["image"]),
    ]
    /// The parameters that are not named as their filters.
    private static let parameterNames = ["id": "nasa_id", "media": mediaType]

    var declaration: SourceDeclaration { NASASource.declaration }

    private struct Parameter {
        let name: String
        let value: String
        let subject: CatalogError.Subject?
    }

    /// An empty `q` differs from none.
    func request(for page: PageRequest) throws(CatalogError) -> ServiceRequest {
        let number = try number(of: page)
        var path = "search"
        if let album = page.query["album"].first {
            guard Self.searchParameters(page.query).allSatisfy({ $0.name == Self.mediaType }) else {
                throw CatalogError(
                    .invalidQuery, "an album cannot be searched: remove all words and other filters",
                    at: .filter("album"))
            }
            path = "album/\(PercentEncoding.component(album))"
        }
        return ServiceRequest(path: path, parameters: Self.parameters(of: page, number).map { ($0.name, $0.value) })
    }

    func request(forFilesOf photo: Photo) -> ServiceRequest? {
        ServiceRequest(path: "asset/\(PercentEncoding.component(photo.id))")
    }

    func cursor(for start: PhotoStart) -> PageCursor? {
        PageCursor(start, pageSize: Self.pageSize, lastPage: Self.lastPage)
    }

    private func number(of page: PageRequest) throws(CatalogError) -> Int {
        guard let cursor = page.cursor else { return 1 }
        guard let number = cursor.page else { throw .foreignCursor(of: declaration.name) }
        guard number <= Self.lastPage else {
            throw CatalogError(
                .invalidQuery,
                "NASA shows the first 10,000 results of a search: page \(number) is beyond the last, \(Self.lastPage);"
                    + " narrow the search", at: .page)
        }
        return number
    }

    private static func parameters(of page: PageRequest, _ number: Int) -> [Parameter] {
        let number = Parameter(name: "page", value: "\(number)", subject: .page)
        let size = Parameter(name: "page_size", value: "\(pageSize)", subject: nil)
        return page.query["album"].isEmpty ? searchParameters(page.query) + [number, size] : [number]
    }

    /// The words, the filters by NASA's names, the media types: caches and archives depend on this order.
    private static func searchParameters(_ query: PhotoQuery) -> [Parameter] {
        func key(_ parameter: String) -> (Int, String) { (parameter == mediaType ? 1 : 0, parameter) }
        let words = query.text.isEmpty ? [] : [Parameter(name: "q", value: query.text, subject: .text)]
        let named = filters.filter { $0.name != "album" }.map { (name: parameterNames[$0.name] ?? $0.name, filter: $0) }
        return words
            + named.sorted { key($0.name) < key($1.name) }.flatMap { parameters($0.name, $0.filter, of: query) }
    }

    /// Years become `_start` and `_end`; lists are joined with commas.
    private static func parameters(_ name: String, _ filter: PhotoFilter, of query: PhotoQuery) -> [Parameter] {
        let given = query[filter.name]
        var values = given.isEmpty ? filter.defaultValues : given
        guard let first = values.first else { return [] }
        let subject = CatalogError.Subject.filter(filter.name)
        if filter.form == .years {
            return [("start", first.prefix(4)), ("end", first.suffix(4))].map { edge, year in
                Parameter(name: "\(name)_\(edge)", value: String(year), subject: subject)
            }
        }
        // One order, so that equal searches have equal addresses.
        if !filter.choices.isEmpty { values = filter.choices.filter(values.contains) }
        return [Parameter(name: name, value: values.joined(separator: ","), subject: subject)]
    }

    func page(of answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> PhotoPage {
        let (answer, number) = (answers[0], page.cursor?.page ?? 1)
        let items = try Self.items(of: answer)
        guard items.isEmpty || items.contains(where: { $0["data"] != nil }) else {
            throw .invalid(from: answer.address.host, "\(items.count) items without data")
        }
        let collection = answer.json["collection"] ?? answer.json
        let hasNext = (collection["links"]?.elements ?? []).contains { $0["rel"]?.text?.lowercased() == "next" }
        let continues = hasNext && !items.isEmpty && number < Self.lastPage
        let photos = items.prefix(Self.resultCeiling).compactMap { NASAItem($0, in: answer.address)?.photo }
        return PhotoPage(
            photos: photos, position: (number - 1) * Self.pageSize,
            next: continues ? PageCursor(page: number + 1) : nil, previous: page.previous,
            total: Self.total(collection["metadata"]?["total_hits"], of: items.count, isOnly: number == 1 && !hasNext))
    }

    /// With or without the outer object.
    private static func items(of answer: ServiceAnswer) throws(CatalogError) -> [JSONValue] {
        guard case .array(let items)? = (answer.json["collection"] ?? answer.json)["items"] else {
            throw .invalid(from: answer.address.host, "no list of items", at: .endpoint)
        }
        return items
    }

    /// An integer is exact unless this page holds more.
    private static func total(_ hits: JSONValue?, of shown: Int, isOnly: Bool) -> PhotoPage.Total? {
        guard let count = hits?.integer, count >= 0 else { return isOnly ? .exact(shown) : nil }
        guard case .number(let digits)? = hits, Int(digits) != nil, count >= shown else {
            return .estimate(max(count, shown))
        }
        return .exact(count)
    }

    func photo(_ photo: Photo, withFilesIn answer: ServiceAnswer) throws(CatalogError) -> Photo {
        var photo = photo
        var known = Set(photo.renditions.map(\.address))
        photo.renditions += try Self.items(of: answer).prefix(Self.resultCeiling)
            .compactMap { NASAFile($0, in: answer.address) }
            .filter { $0.isPicture && known.insert($0.rendition.address).inserted }.map(\.rendition)
        photo.thumbnail = photo.thumbnail ?? PreviewChoice.best(of: photo.renditions)
        return photo
    }

    /// `{"reason": …}`, or `{}`.
    func failure(in answer: ServiceAnswer, for page: PageRequest) -> ServiceFailure? {
        guard !(200...299).contains(answer.status) else { return nil }
        let host = answer.address.host
        let reason = answer.json.reason.flatMap(CatalogError.reason)
        let why = reason.map { ": \($0)" } ?? ""
        var failure = ServiceFailure(reason: reason)
        func isEnd(_ start: String) -> Bool { page.previous != nil && reason?.hasPrefix(start) == true }
        switch answer.status {
        case 400:
            failure.isEndOfResults = isEnd("Maximum number of search results")
            if let blamed = Self.blamedParameter(in: reason ?? "", of: page) {
                failure.error = CatalogError(.invalidQuery, "\(host): search refused (400)\(why)", at: blamed.subject)
            } else if !failure.isEndOfResults {
                failure.retryDelay = Self.errorCacheTime
            }
        case 404:
            if let id = page.photoID {
                failure.error = CatalogError(.notFound, "\(host): unknown item \(id) (404)\(why)")
            } else if let album = page.query["album"].first, reason != nil {
                failure.isEndOfResults = isEnd("No assets found for album")
                failure.error = CatalogError(
                    .invalidQuery,
                    "\(host): unknown album '\(album)' (404); use its internal name in the right case,"
                        + " such as Mars_2020_Perseverance", at: .filter("album"))
            }
        default: break
        }
        return failure
    }

    /// The parameter in `Invalid search parameter: <name>` or `Invalid value <name>="<value>"`.
    private static func blamedParameter(in reason: String, of page: PageRequest) -> Parameter? {
        let parameters = page.photoID == nil ? parameters(of: page, page.cursor?.page ?? 1) : []
        func words(_ text: Substring) -> [Substring] {
            text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        }
        if let end = reason.byteRange(of: "Invalid search parameter:")?.upperBound {
            return parameters.first { words(reason[end...]).contains($0.name[...]) }
        }
        guard let end = reason.byteRange(of: "Invalid value")?.upperBound else { return nil }
        return parameters.first { parameter in
            let value = PlainText.oneLine(parameter.value, limit: CatalogError.maxReasonBytes / 2)
            return words(reason[end...]).contains(parameter.name[...]) && reason[end...].containsBytes(of: value)
        }
    }
}

extension WebAddress {
    /// Over https at NASA, whose responses still name `http://` files.
    var secureAtNASA: WebAddress {
        guard port == nil, host == "nasa.gov" || host.hasSuffix(".nasa.gov") else { return self }
        return upgradedToHTTPS
    }
}

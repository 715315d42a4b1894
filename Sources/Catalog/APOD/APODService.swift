internal import SpyglassFetching
internal import SpyglassJSON

/// NASA's Astronomy Picture of the Day (`api.nasa.gov/planetary/apod`), in pages of a calendar month, the newest first.
///
/// The first request has no date: the service answers with its newest day, as its day changes at midnight of US Eastern time
/// and its picture may be late. Pages of whole months keep their addresses, so that caches and archives have them.
struct APODService: PhotoService {
    private static let firstDay = "1995-06-16"
    /// Resolves relative addresses of the service, which copies them from the pages of its site.
    private static let site = WebAddress(constant: "https://science.nasa.gov/apod/")
    private static let date = PhotoFilter(
        "date", form: .days, placeholder: "DAY[..DAY]", help: "a day, or the first and the last of a range",
        examples: ["2019-12-01..2019-12-26"])
    private static let count = PhotoFilter(
        "count", form: .number(1...100), placeholder: "NUMBER", help: "a number of pictures from random days",
        examples: ["20"])

    let declaration = SourceDeclaration(
        name: "apod", title: "Astronomy Picture of the Day", summary: "NASA's picture of each day since 1995",
        operands: "nothing, or date:FIRST..LAST, or count:NUMBER", example: "date:2019-12-01..2019-12-26",
        filters: [Self.date, Self.count], endpoint: WebAddress(constant: "https://api.nasa.gov/"),
        key: SourceKey(
            variable: "SPYGLASS_APOD_KEY", place: .parameter("api_key"), help: "https://api.nasa.gov gives one",
            publicKey: "DEMO_KEY", publicKeyLimits: "DEMO_KEY allows 30 requests an hour and 50 a day"),
        license: "mostly in the public domain; a picture with a name belongs to that person")

    func request(for page: PageRequest) throws(CatalogError) -> ServiceRequest {
        guard page.query.text.isEmpty else {
            throw CatalogError(
                .invalidQuery,
                "apod cannot search for words; use date:2019-12-01..2019-12-26 or count:20, or leave the words out",
                at: .text)
        }
        if let count = page.query[Self.count.name].first {
            guard page.query[Self.date.name].isEmpty else {
                throw CatalogError(
                    .invalidQuery, "count and date cannot be combined: count chooses random days; use one of them",
                    at: .filter(Self.count.name))
            }
            return request([("count", count)])
        }
        let bounds = Self.bounds(of: page.query)
        guard bounds.first >= Self.firstDay else {
            throw CatalogError(
                .invalidQuery, "invalid date '\(bounds.first)': the first picture is of \(Self.firstDay)",
                at: .filter(Self.date.name))
        }
        return try request(month(of: page)?.parameters(within: bounds) ?? [])
    }

    /// The rest of the newest day's month.
    func request(after answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> ServiceRequest? {
        guard answers.count == 1, page == PageRequest(), let newest = Self.newestDay(in: answers),
            let month = Month(newest), month.first < newest
        else { return nil }
        return request(month.parameters(within: (Self.firstDay, newest)))
    }

    private func request(_ parameters: [(name: String, value: String)]) -> ServiceRequest {
        ServiceRequest(path: "planetary/apod", parameters: parameters, formerParameters: [("thumbs", "true")])
    }

    /// Without the months of a walk.
    func search(at address: WebAddress) -> String? {
        func value(_ name: String) -> String? { address.queryItems.first { $0.name == name }?.value }
        if let count = value("count") { return "\(Self.count.name):\(count)" }
        if let day = value("date") { return "\(Self.date.name):\(day)" }
        guard let first = value("start_date"), let last = value("end_date"), Month(first)?.last != last else {
            return nil
        }
        return "\(Self.date.name):\(first)..\(last)"
    }

    /// The month of the page; `nil` where the first answer names it.
    private func month(of page: PageRequest) throws(CatalogError) -> Month? {
        if let cursor = page.cursor {
            guard let month = Month(cursor.token), cursor == month.cursor, month.last >= Self.firstDay else {
                throw .foreignCursor(of: declaration.name)
            }
            return month
        }
        return page.query[Self.date.name].isEmpty ? nil : Month(Self.bounds(of: page.query).last)
    }

    /// The days of `date:FIRST..LAST`, which has been checked, or all.
    private static func bounds(of query: PhotoQuery) -> DayRange {
        query[date.name].first.map { (String($0.prefix(10)), String($0.suffix(10))) } ?? (firstDay, "9999-12-31")
    }

    /// `[{"date": "2019-12-26", "title": …}, …]`, or one such object.
    func page(of answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> PhotoPage {
        for answer in answers {
            if case .array = answer.json { continue }
            guard answer.json["date"] != nil else {
                throw .invalid(from: answer.address.host, "no list of days", at: .endpoint)
            }
        }
        let photos = answers.flatMap { answer in
            let isService = answer.address.host == declaration.endpoint?.host
            return answer.json.elements.compactMap { photo($0, in: isService ? Self.site : answer.address) }
        }
        guard page.query[Self.count.name].isEmpty else { return PhotoPage(photos: photos) }
        let month = try month(of: page) ?? Self.newestDay(in: answers).flatMap(Month.init)
        let continues = month.map { $0.first > Self.bounds(of: page.query).first } ?? false
        return PhotoPage(
            photos: photos.sorted { $0.id > $1.id }, position: page.cursor == nil ? 0 : nil,
            next: continues ? month?.previous.cursor : nil)
    }

    private static func newestDay(in answers: [ServiceAnswer]) -> String? {
        answers.flatMap(\.json.elements).compactMap { $0.id("date") }.filter { isDay($0) && $0 >= firstDay }.max()
    }

    private static func isDay(_ text: String) -> Bool {
        text.utf8.count == 10 && CalendarDay(iso8601: text)?.day != nil
    }

    /// `nil` for a day without a picture, such as a video without a thumbnail: the service names none any more.
    private func photo(_ day: JSONValue, in base: WebAddress) -> Photo? {
        guard let id = day.id("date") else { return nil }
        var photo = Photo(id: id, source: declaration.name, title: day.line("title"))
        photo.date = id
        photo.description = day.paragraphs("explanation")
        photo.photographer = day.line("copyright")
        photo.credit = photo.photographer.map { "© \($0)" }
        if Self.isDay(id) {
            let digits = id.utf8.dropFirst(2).filter { $0 != UInt8(ascii: "-") }
            photo.page = WebAddress("https://apod.nasa.gov/apod/ap\(String(decoding: digits, as: UTF8.self)).html")
        }
        let kind = day.line("media_type")?.lowercased() ?? "image"
        if kind == "video" { photo.mediaType = .video }
        // The `url` of a video is a web page or a film.
        let isImage = kind == "image"
        let preview = day.address(isImage ? "url" : "thumbnail_url", in: base)
        guard isImage || preview != nil else { return nil }
        let original = isImage ? day.address("hdurl", in: base) : nil
        photo.addFiles(preview: preview.map { Rendition($0, rel: "preview") }, original: original)
        return photo
    }

    /// `{"code": 400, "msg": …}` of the service, or `{"error": {"code": "API_KEY_INVALID", "message": …}}` of its gateway.
    func failure(in answer: ServiceAnswer, for page: PageRequest) -> ServiceFailure? {
        if let error = answer.json["error"] {
            return ServiceFailure(reason: error["message"]?.text ?? error["code"]?.text ?? error.text)
        }
        guard let reason = answer.json["msg"]?.text, answer.json["date"] == nil else { return nil }
        let filter = [Self.date, Self.count].first { !page.query[$0.name].isEmpty }?.name
        let isRefused = [400, 404].contains(answer.json["code"]?.integer ?? answer.status)
        return ServiceFailure(reason: reason, subject: isRefused ? filter.map { .filter($0) } : nil)
    }
}

private typealias DayRange = (first: String, last: String)

/// A calendar month; days are ISO 8601 texts, which sort by time.
private struct Month {
    let year, month: Int

    /// Years have four digits here.
    private var text: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }
    var first: String { "\(text)-01" }
    var last: String { "\(text)-\(CalendarDay.dayCount(of: month, in: year))" }
    var previous: Month { month > 1 ? Month(year: year, month: month - 1) : Month(year: year - 1, month: 12) }
    var cursor: PageCursor { PageCursor(token: text) }

    func parameters(within bounds: DayRange) -> [(name: String, value: String)] {
        let (first, last) = (max(first, bounds.first), min(last, bounds.last))
        return first == last ? [("date", first)] : [("start_date", first), ("end_date", last)]
    }
}

extension Month {
    /// The month of `2019-12-26`, or `2019-12`.
    init?(_ text: String) {
        guard let day = CalendarDay(iso8601: text), let month = day.month else { return nil }
        self.init(year: day.year, month: month)
    }
}

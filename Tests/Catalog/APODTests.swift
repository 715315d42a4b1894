import SpyglassFetching
import SpyglassJSON
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

@Suite("APODService", .timeLimit(.minutes(10)))
struct APODTests {
    /// Answers as the service does on its newest day, one picture a day.
    private static func service(newest: String) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            let items = Dictionary(request.address.queryItems.map { ($0.name, $0.value) }) { $1 }
            guard let first = items["start_date"], let last = items["end_date"] else {
                return FetchResponse(to: request, #"{"date":"\#(items["date"] ?? newest)"}"#)
            }
            let days = (1...31).map { "\(first.prefix(8))\($0 < 10 ? "0" : "")\($0)" }
            let found = days.filter { first <= $0 && $0 <= min(last, newest) }.map { #"{"date":"\#($0)"}"# }
            return FetchResponse(to: request, "[\(found.joined(separator: ","))]")
        }
    }

    private func ids(_ query: PhotoQuery, from transport: ScriptedTransport, limit: Int = .max) async throws -> [String]
    {
        var pages = PagedPhotos(query, from: WebSource(APODService(), transport: transport))
        return try await pages.ids(limit: limit)
    }

    private func page(_ body: String, _ query: PhotoQuery = PhotoQuery()) async throws -> PhotoPage {
        try await WebSource(APODService(), transport: ScriptedTransport(body)).page(of: query, at: nil)
    }

    private func error(
        _ status: Int, _ body: String, _ query: PhotoQuery = PhotoQuery(), key: String? = nil
    ) async throws -> CatalogError {
        let source = WebSource(APODService(), transport: ScriptedTransport(status: status, body), key: key)
        return try await catalogError { try await source.page(of: query, at: nil) }
    }

    // MARK: Paging

    @Test("The service names its newest day, and months follow, the newest first")
    func newestFirst() async throws {
        let transport = Self.service(newest: "2024-03-02")
        let ids = try await ids(PhotoQuery(), from: transport, limit: 40)
        #expect(Array(ids.prefix(4)) == ["2024-03-02", "2024-03-01", "2024-02-29", "2024-02-28"])
        #expect(ids.count == 40 && Set(ids).count == 40)
        #expect(
            transport.addresses == [
                "https://api.nasa.gov/planetary/apod?api_key=DEMO_KEY",
                "https://api.nasa.gov/planetary/apod?start_date=2024-03-01&end_date=2024-03-02&api_key=DEMO_KEY",
                "https://api.nasa.gov/planetary/apod?start_date=2024-02-01&end_date=2024-02-29&api_key=DEMO_KEY",
                "https://api.nasa.gov/planetary/apod?start_date=2024-01-01&end_date=2024-01-31&api_key=DEMO_KEY",
            ])
    }

    @Test("The walk ends on 16 June 1995")
    func end() async throws {
        let transport = Self.service(newest: "1996-01-03")
        let ids = try await ids(PhotoQuery(), from: transport)
        #expect(ids.last == "1995-06-16" && ids.count == 202)
        #expect(transport.addresses.last?.contains("start_date=1995-06-16&end_date=1995-06-30") == true)
    }

    @Test(
        "A range of days is read by months, within its bounds",
        arguments: [
            ("2019-12-01..2019-12-26", 26, ["start_date=2019-12-01&end_date=2019-12-26"]),
            (
                "2019-12-30..2020-02-02", 35,
                [
                    "start_date=2020-02-01&end_date=2020-02-02", "start_date=2020-01-01&end_date=2020-01-31",
                    "start_date=2019-12-30&end_date=2019-12-31",
                ]
            ),
            ("2020-01-31..2020-02-01", 2, ["date=2020-02-01", "date=2020-01-31"]),
            ("2020-02-29", 1, ["date=2020-02-29"]),
        ])
    func ranges(days: String, count: Int, requests: [String]) async throws {
        let transport = Self.service(newest: "2024-03-02")
        let ids = try await ids(PhotoQuery(filters: ["date": [days]]), from: transport)
        #expect(ids.count == count && ids == ids.sorted(by: >))
        #expect(
            transport.addresses
                == requests.map { "https://api.nasa.gov/planetary/apod?\($0)&api_key=DEMO_KEY" })
    }

    @Test("Random days come in the service's order, in one page")
    func random() async throws {
        let transport = ScriptedTransport(
            #"[{"date":"2001-01-02"},{"date":"2020-01-01"},{"date":"2001-01-02"},{"date":"1999-01-01"}]"#)
        let ids = try await ids(PhotoQuery(filters: ["count": ["4"]]), from: transport)
        #expect(ids == ["2001-01-02", "2020-01-01", "1999-01-01"])
        #expect(transport.addresses == ["https://api.nasa.gov/planetary/apod?count=4&api_key=DEMO_KEY"])
    }

    @Test(
        "The search of a recorded address is the filter that was typed",
        arguments: [
            ("date:2019-12-01..2019-12-26", ["date": ["2019-12-01..2019-12-26"]]),
            ("date:2019-12-26", ["date": ["2019-12-26"]]), ("count:7", ["count": ["7"]]),
            (nil, ["date": ["2019-12-01..2019-12-31"]]), (nil, [:]),
        ])
    func recordedSearch(search: String?, filters: [String: [String]]) async throws {
        let transport = ScriptedTransport("[]")
        _ = try await WebSource(APODService(), transport: transport).page(of: PhotoQuery(filters: filters), at: nil)
        let address = try #require(transport.requests.first).address
        #expect(APODService().search(at: address) == search)
    }

    // MARK: Errors

    @Test(
        "A query that the service cannot answer needs no request",
        arguments: [
            (PhotoQuery("moon"), "apod cannot search for words"),
            (PhotoQuery(filters: ["date": ["1995-06-15"]]), "the first picture is of 1995-06-16"),
            (PhotoQuery(filters: ["date": ["2020-01-01"], "count": ["3"]]), "cannot be combined"),
            (PhotoQuery(filters: ["date": ["2020-02-30"]]), "expected a day"),
            (PhotoQuery(filters: ["count": ["101"]]), "a number from 1 to 100"),
            (PhotoQuery(filters: ["year": ["2020"]]), "filters: date, count"),
        ])
    func invalidQuery(query: PhotoQuery, message: String) async throws {
        let transport = ScriptedTransport("[]")
        let source = WebSource(APODService(), transport: transport)
        let error = try await catalogError { try await source.page(of: query, at: nil) }
        #expect(error.kind == .invalidQuery && error.description.contains(message) && transport.requests.isEmpty)
    }

    @Test("Both shapes of errors give the service's own reason", arguments: [200, 400])
    func reasons(status: Int) async throws {
        let body = #"{"code":400,"msg":"Date must be between A and B.","service_version":"v1"}"#
        let blamed = try await error(status, body, PhotoQuery(filters: ["date": ["2099-01-01"]]))
        #expect(blamed.kind == .invalidQuery && blamed.subject == .filter("date"))
        #expect(blamed.description.contains("Date must be between A and B."))
        let gateway = try await error(status, #"{"error":{"code":"API_KEY_MISSING","message":"No api_key."}}"#)
        #expect(try await [error(status, body).kind, gateway.kind] == [.unavailable, .unavailable])
        #expect(gateway.description.contains("No api_key."))
        #expect(!gateway.description.contains("try again") || status == 400)
    }

    @Test("The limit of DEMO_KEY is explained; that of a key is not")
    func limits() async throws {
        let body = #"{"error":{"code":"OVER_RATE_LIMIT","message":"You have exceeded your rate limit."}}"#
        #expect(
            try await error(429, body).description
                == "api.nasa.gov: too many requests (429): You have exceeded your rate limit.; DEMO_KEY allows 30 requests"
                + " an hour and 50 a day; set SPYGLASS_APOD_KEY")
        let own = try await error(429, body, key: "s3cret").description
        #expect(!own.contains("DEMO_KEY") && !own.contains("s3cret"))
    }

    // MARK: Photos

    @Test("No address of a photo repeats the key of the request", arguments: ["#x", "", "?", "./a.jpg", "a/b.jpg"])
    func noKey(reference: String) async throws {
        let body = #"{"date":"2020-01-01","url":"\#(reference)","hdurl":"\#(reference)"}"#
        let source = WebSource(APODService(), transport: ScriptedTransport(body), key: "s3cret")
        let photos = try await source.page(of: PhotoQuery(filters: ["date": ["2020-01-01"]]), at: nil).photos
        #expect(photos.count == 1 && photos.allSatisfy { !PhotoJSON.line(for: $0).contains("s3cret") })
    }

    @Test("A video is shown by its thumbnail; a day without a picture is left out")
    func video() async throws {
        let body = #"""
            [{"date":"2024-04-14","media_type":"video","url":"//www.youtube.com/embed/x","thumbnail_url":"http://i/0.jpg"},
            {"date":"2024-04-13","media_type":"video","url":"https://h/film.mp4","thumbnail_url":""},
            {"date":"2024-04-12","media_type":"other"},{"date":"2024-04-11","media_type":"other","url":"https://h/a.html"},
            {"date":"2024-04-10","media_type":"image","url":"https://h/a.jpg"}]
            """#
        let photos = try await page(body, PhotoQuery(filters: ["count": ["5"]])).photos
        #expect(photos.map { $0.thumbnail?.text } == ["http://i/0.jpg", "https://h/a.jpg"])
        #expect(photos.map(\.mediaType) == [.video, .image] && photos.map(\.renditions.count) == [1, 1])
    }

    @Test("Days without a picture do not end the walk, and a month of them is passed")
    func videosOnly() async throws {
        let transport = ScriptedTransport { request, _ in
            let first = request.address.queryItems.first { $0.name == "start_date" }?.value ?? "2024-03-02"
            let kind = first.hasPrefix("2024-01") ? "image" : "video"
            return FetchResponse(
                to: request, #"{"date":"\#(first)","media_type":"\#(kind)","url":"https://h/\#(first)"}"#)
        }
        #expect(try await ids(PhotoQuery(), from: transport, limit: 1) == ["2024-01-01"])
    }

    @Test(
        "Relative addresses are those of the picture's site; other hosts are accepted",
        arguments: [
            ("image/2609/a b.jpg", "https://science.nasa.gov/apod/image/2609/a%20b.jpg"),
            ("/apod/image/2609/a.jpg", "https://science.nasa.gov/apod/image/2609/a.jpg"),
            ("//science.nasa.gov/apod/a.jpg", "https://science.nasa.gov/apod/a.jpg"),
            ("https://science.nasa.gov/apod/image/2609/a.jpg", "https://science.nasa.gov/apod/image/2609/a.jpg"),
            (
                "https://assets.science.nasa.gov/a.png?w=1275&h=1600",
                "https://assets.science.nasa.gov/a.png?w=1275&h=1600"
            ),
        ])
    func addresses(written: String, address: String) async throws {
        let body = #"{"date":"2026-09-28","media_type":"image","url":"\#(written)","hdurl":"\#(written)"}"#
        let photos = try await page(body, PhotoQuery(filters: ["date": ["2026-09-28"]])).photos
        #expect(photos.map(\.renditions) == [[Rendition(try #require(WebAddress(address)), rel: "preview")]])
    }

    @Test("Relative addresses of a mirror are the mirror's")
    func mirror() async throws {
        let mirror = try #require(WebAddress("http://127.0.0.1:9/"))
        let transport = ScriptedTransport(#"{"date":"2026-09-28","url":"/image/a.jpg"}"#)
        let source = WebSource(APODService(), transport: transport, endpoint: mirror)
        let photos = try await source.page(of: PhotoQuery(filters: ["date": ["2026-09-28"]]), at: nil).photos
        #expect(photos.map { $0.thumbnail?.text } == ["http://127.0.0.1:9/image/a.jpg"])
    }

    @Test("An archive or a cache of version 0.2 is replayed", arguments: [FetchError.Kind.notRecorded, .notCached])
    func earlier(kind: FetchError.Kind) async throws {
        let transport = ScriptedTransport { request, _ in
            guard request.address.query?.contains("thumbs=true") == true else {
                throw FetchError(kind, "nothing for \(request.address)")
            }
            return FetchResponse(to: request, #"{"date":"2020-01-05","url":"https://h/a.jpg"}"#)
        }
        let query = PhotoQuery(filters: ["date": ["2020-01-05"]])
        let source = WebSource(APODService(), transport: transport)
        #expect(try await source.page(of: query, at: nil).photos.map(\.id) == ["2020-01-05"])
        #expect(
            transport.addresses == [
                "https://api.nasa.gov/planetary/apod?date=2020-01-05&api_key=DEMO_KEY",
                "https://api.nasa.gov/planetary/apod?date=2020-01-05&thumbs=true&api_key=DEMO_KEY",
            ])
        // The error names what is asked for now; others are no reason to ask again.
        let empty = ScriptedTransport { request, _ in throw FetchError(kind, "nothing for \(request.address)") }
        let broken = ScriptedTransport { _, _ in throw FetchError(.unreachable, "no network") }
        for (transport, count) in [(empty, 2), (broken, 1)] {
            let error = await #expect(throws: FetchError.self) {
                try await WebSource(APODService(), transport: transport).page(of: query, at: nil)
            }
            #expect(error?.description.contains("thumbs") == false && transport.count == count)
        }
    }

    @Test("Odd fields do not lose the other days")
    func odd() async throws {
        let caption = String(repeating: "x", count: 100_000)
        let body = #"""
            [null,7,"a",[],{},{"date":null},{"date":{}},{"title":"no date"},
            {"date":"2020-01-05","title":["<b>A &amp; B</b>"],"url":"//h/a b.jpg","hdurl":"//h/a b.jpg","copyright":7},
            {"date":"2020-01-04","title":null,"url":7,"hdurl":null,"copyright":{},"media_type":[]},
            {"date":"2020-01-03","url":"javascript:alert(1)","copyright":"\u001b[31m<i>Jane\nDoe</i>"},
            {"date":20200102,"explanation":"\#(caption)"}]
            """#
        let photos = try await page(body, PhotoQuery(filters: ["count": ["9"]])).photos
        #expect(photos.map(\.id) == ["2020-01-05", "2020-01-04", "2020-01-03", "20200102"])
        #expect(photos.map(\.title) == ["A & B", "2020-01-04", "2020-01-03", "20200102"])
        #expect(photos.map { $0.thumbnail?.text } == ["https://h/a%20b.jpg", nil, nil, nil])
        #expect(photos[0].renditions.count == 1 && photos[0].photographer == "7")
        #expect(photos[2].photographer?.hasSuffix("Jane Doe") == true)
        #expect(photos[3].page == nil && photos[3].description?.count == 100_000)
    }
}

@Suite(
    "APODService: recorded responses", .timeLimit(.minutes(10)),
    .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"))
struct APODRecordedTests {

    @Test("A recorded month has all its days with a picture, the newest first")
    func month() async throws {
        let source = WebSource(APODService(), transport: recording("range-multiple", of: "apod"))
        let query = PhotoQuery(filters: ["date": ["2024-04-01..2024-04-30"]])
        let photos = try await source.page(of: query, at: nil).photos
        // On two days there was a video, without a thumbnail.
        let days = (1...30).reversed().filter { ![21, 14].contains($0) }
        #expect(photos.map(\.id) == days.map { "2024-04-\($0 < 10 ? "0" : "")\($0)" })
        #expect(photos.allSatisfy { $0.mediaType == .image && $0.thumbnail != nil })
        #expect(photos.allSatisfy { $0.title != $0.id && $0.description?.isEmpty == false })
        #expect(photos.count { $0.photographer != nil } == 22)
        #expect(photos[12].credit == "© Lin Zixuan (Tsinghua U.)")
        #expect(
            photos[10].renditions.map(\.address.text) == [
                "https://apod.nasa.gov/apod/image/2404/NGC3372_ETA%20CARINA_LOPES1024.jpg",
                "https://apod.nasa.gov/apod/image/2404/NGC3372_ETA%20CARINA_LOPES.jpg",
            ])
        #expect(photos[21].renditions.map(\.rel) == ["preview"], "both addresses are the same")
        #expect(photos[0].page?.text == "https://apod.nasa.gov/apod/ap240430.html")
    }
}

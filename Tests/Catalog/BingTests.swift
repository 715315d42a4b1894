import SpyglassFetching
import SpyglassJSON
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

@Suite("BingService", .timeLimit(.minutes(10)))
struct BingTests {
    private func source(_ transport: any Transport, key: String? = nil) -> WebSource {
        WebSource(BingService(), transport: transport, key: key, clock: TickingClock())
    }

    private func page(_ body: String, _ query: PhotoQuery = PhotoQuery("car"), at offset: Int = 0) async throws
        -> PhotoPage
    {
        try await source(ScriptedTransport(body)).page(of: query, at: PageCursor(token: "offset \(offset)"))
    }

    private func photo(_ fields: String) async throws -> Photo? {
        try await page(#"{"value":[{"imageId":"A",\#(fields)}]}"#).photos.first
    }

    /// Images with these numbers as ids.
    private static func images(_ ids: [Int], next: Int?, total: Int = 1000) -> String {
        let values = ids.map { #"{"imageId":"\#($0)","thumbnailUrl":"https://h/\#($0)"}"# }.joined(separator: ",")
        let nextOffset = next.map { #""nextOffset":\#($0),"# } ?? ""
        return #"{"_type":"Images","totalEstimatedMatches":\#(total),\#(nextOffset)"value":[\#(values)]}"#
    }

    private static func offset(of request: FetchRequest) -> Int {
        let parameter = (request.address.query ?? "").split(separator: "&").last ?? ""
        return Int(parameter.split(separator: "=").last ?? "") ?? -1
    }

    @Test("Words, filters and offset are parameters, the key is a header field")
    func request() async throws {
        let transport = ScriptedTransport(#"{"value":[]}"#)
        let source = source(transport, key: "s3cret")
        var query = PhotoQuery("red & blue", filters: ["type": ["animatedgif"], "size": ["large"], "safe": ["off"]])
        query["aspect"] = ["wide", "tall"]
        query["license"] = ["sharecommercially"]
        query["width"] = ["640"]
        _ = try await source.page(of: query, at: source.cursor(for: .position(173)))
        _ = try await source.page(of: PhotoQuery("car"), at: nil)
        #expect(
            transport.addresses == [
                "https://api.bing.microsoft.com/v7.0/images/search?q=red%20%26%20blue&imageType=AnimatedGif&size=Large"
                    + "&aspect=Wide%2CTall&license=ShareCommercially&minWidth=640&safeSearch=Off&count=100&offset=173",
                "https://api.bing.microsoft.com/v7.0/images/search?q=car&safeSearch=Moderate&count=100&offset=0",
            ])
        #expect(transport.requests.allSatisfy { $0.headers["ocp-apim-subscription-key"] == "s3cret" })
    }

    @Test("A list starts at any page and at any position")
    func starts() {
        let starts: [PhotoStart] = [.page(3), .position(-7), .position(.max), .page(0), .page(.max)]
        let tokens = starts.map { BingService().cursor(for: $0)?.token }
        #expect(tokens == ["offset 200", "offset 0", "offset 1000000", nil, nil])
    }

    @Test("The next offset leads on, also when it skips or repeats results")
    func offsets() async throws {
        let pages = [
            0: Self.images([1, 2, 2, 3], next: 5), 5: Self.images([3, 4, 1], next: 6, total: 900),
            6: Self.images([5], next: 6),
        ]
        let transport = ScriptedTransport { request, _ in
            FetchResponse(to: request, pages[Self.offset(of: request)] ?? "{}")
        }
        var photos = PagedPhotos(PhotoQuery("car"), from: source(transport))
        #expect(try await photos.ids() == ["1", "2", "3", "4", "5"])
        #expect(transport.requests.map(Self.offset) == [0, 5, 6])
    }

    @Test(
        "A list ends where the next offset does not grow, or without images",
        arguments: [
            ("6", true), ("1", true), ("0", false), ("-5", false), ("null", false), (#""6""#, true), ("1e99", false),
            ("9007199254740993", false), ("[]", false), (#""six""#, false),
        ])
    func ends(next: String, continues: Bool) async throws {
        let page = try await page(#"{"nextOffset":\#(next),"value":[{"imageId":"A"}]}"#)
        #expect((page.next != nil) == continues)
        #expect(try await self.page(#"{"nextOffset":\#(next),"value":[]}"#).next == nil)
        #expect(try await self.page(#"{"value":[{"imageId":"A"}]}"#, at: 6).next == nil)
    }

    @Test("A list that starts in the middle leads back to its start")
    func backward() async throws {
        let transport = ScriptedTransport { request, _ in
            let offset = Self.offset(of: request)
            return FetchResponse(to: request, Self.images(Array(offset..<(offset + 100)), next: offset + 100))
        }
        var photos = PagedPhotos(PhotoQuery("car"), from: source(transport), startingAt: .position(150))
        #expect(try await photos.nextPage()?.first?.id == "150")
        #expect(try await photos.previousPage()?.map(\.id) == (50..<150).map { "\($0)" })
        #expect(try await photos.previousPage()?.map(\.id) == (0..<50).map { "\($0)" })
        #expect(try await photos.previousPage() == nil)
        #expect(photos.startPosition == 150 && photos.total == .estimate(1000))
    }

    @Test(
        "What may not be family-friendly is left out unless the search asks for it",
        arguments: [
            ("true", 1), ("null", 1), (#""true""#, 1), ("false", 0), (#""false""#, 0), ("0", 0), ("[]", 0),
            (#""""#, 0),
        ])
    func mature(value: String, count: Int) async throws {
        let body = #"{"value":[{"imageId":"A","isFamilyFriendly":\#(value)},{"imageId":"B"}]}"#
        let all = try await page(body, PhotoQuery("car", filters: ["safe": ["off"]]))
        #expect(try await [page(body), all].map(\.photos.count) == [count + 1, 2])
    }

    @Test(
        "A size is a number of bytes in a string",
        arguments: [
            (#""464634 B""#, 464_634), (#""7""#, 7), ("12", 12), (#""1.7 MB""#, nil), (#""-3 B""#, nil),
            (#""0 B""#, nil), (#""B""#, nil), (#""99999999999999999999 B""#, nil), ("null", nil), ("{}", nil),
        ])
    func sizes(size: String, bytes: Int?) async throws {
        let photo = try await photo(#""contentUrl":"http://h/a.jpg","contentSize":\#(size)"#)
        #expect(photo?.renditions.first?.bytes == bytes)
    }

    @Test("A date with seven fractional digits is a day")
    func dates() async throws {
        let photo = try #require(try await photo(#""datePublished":"2018-10-10T21:55:00.0000000Z""#))
        #expect(photo.date == "2018-10-10T21:55:00.0000000Z")
        #expect(PhotoFormatter().date(of: photo) == "10 October 2018")
    }

    @Test("A thumbnail is the address as given, or that of the image")
    func thumbnails() async throws {
        for (fields, thumbnail) in [
            (#""thumbnailUrl":"http://h/t","contentUrl":"//h/a b.jpg""#, "http://h/t"),
            (#""contentUrl":"//h/a b.jpg""#, "https://h/a%20b.jpg"),
            (#""contentUrl":"h.example/é.jpg""#, "https://h.example/%C3%A9.jpg"),
            (#""thumbnailUrl":"ftp://h/t","contentUrl":7"#, nil),
        ] { #expect(try await photo(fields)?.thumbnail?.text == thumbnail) }
    }

    @Test("A title is plain text, or the id")
    func titles() async throws {
        #expect(try await photo(#""name":"<b>x</b> y""#)?.title == "x y")
        #expect(try await photo(#""name":"<i></i>""#)?.title == "A")
    }

    @Test(
        "A Creative Commons licence has its short name",
        arguments: [
            ("Attribution", "CC BY"), ("AttributionNonCommercialShareAlike", "CC BY-NC-SA"),
            ("AttributionNoDerivatives", "CC BY-ND"), ("PublicNoRightsReserved", "PublicNoRightsReserved"),
            ("AttributionSometimes", "AttributionSometimes"),
        ])
    func licenses(name: String, license: String) async throws {
        #expect(try await photo(#""creativeCommons":"\#(name)""#)?.license == license)
    }

    @Test("An image without an id is known by its address")
    func ids() async throws {
        let body =
            #"{"value":[{"contentUrl":"http://h/a"},{"imageId":null,"thumbnailUrl":"http://h/b"},{"imageId":" "},{},7]}"#
        #expect(try await page(body).photos.map(\.id) == ["http://h/a", "http://h/b"])
    }

    @Test(
        "An error has the service's words and blames what was sent",
        arguments: [
            ("InvalidAuthorization", "", 401, CatalogError.Kind.unavailable, nil),
            ("RateLimitExceeded", "", 429, .unavailable, nil), ("ServerError", "", 200, .unavailable, nil),
            ("InvalidRequest", "offset", 400, .invalidQuery, .page),
            ("InvalidRequest", "q", 400, .invalidQuery, .text),
            ("InvalidRequest", "imageType", 200, .invalidQuery, .filter("type")),
            ("InvalidRequest", "aspect", 400, .unavailable, nil), ("InvalidRequest", "mkt", 400, .unavailable, nil),
        ] as [(String, String, Int, CatalogError.Kind, CatalogError.Subject?)])
    func errors(code: String, parameter: String, status: Int, kind: CatalogError.Kind, subject: CatalogError.Subject?)
        async throws
    {
        let body =
            #"{"_type":"ErrorResponse","errors":[{"code":"\#(code)","message":"No.","moreDetails":"key s3cret","parameter":"\#(parameter)"}]}"#
        let source = source(ScriptedTransport(status: status, body), key: "s3cret")
        let query = PhotoQuery("car", filters: ["type": ["photo"]])
        let error = try await catalogError {
            try await source.page(of: query, at: source.cursor(for: .position(100)))
        }
        #expect(error.kind == kind && error.subject == subject && error.description.contains("No. key ******"))
    }
}

@Suite(
    "BingService: recorded responses", .timeLimit(.minutes(10)),
    .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"))
struct BingRecordingTests {
    private func page(_ name: String, status: Int = 200, words: String = "car") async throws -> PhotoPage {
        try await WebSource(BingService(), transport: recording(name, of: "bing", status: status))
            .page(of: PhotoQuery(words), at: nil)
    }

    @Test("A recorded image has all its fields")
    func fields() async throws {
        let photo = try #require(try await page("search-car-6").photos.first)
        let texts = [
            photo.title, photo.thumbnail?.text, photo.renditions[1].address.text, photo.page?.text, photo.credit,
            photo.center, photo.license,
        ]
        #expect(
            texts == [
                "Ferrari, McLaren supercars added to Hertz European rental ...",
                "https://tse2.mm.bing.net/th?id=OIP.QiBNdGX3fQBjvu_o1uUV7wHaEz&pid=Api",
                "https://s3.caradvice.com.au/wp-content/uploads/2013/10/Ferrari-F12-Berlinetta.jpg",
                "https://www.caradvice.com.au/257261/ferrari-mclaren-supercars-added-to-hertz-european-rental-car-range/photos/",
                "CarAdvice", "CarAdvice", nil,
            ])
        #expect(photo.renditions.map(\.rel) == ["preview", "canonical"])
        #expect([photo.width, photo.height] == [1600, 1037])
    }

    @Test(
        "A recorded error is told as it is",
        arguments: [
            (
                "error-authorization-missing", 401, "car", CatalogError.Kind.unavailable,
                "request refused (401): Authorization is required. Subscription key is not recognized.; "
                    + "check the key in SPYGLASS_BING_KEY"
            ),
            (
                "error-authorization-missing", 200, "car", .unavailable,
                "search refused: Authorization is required. Subscription key is not recognized."
            ),
            (
                "error-parameter-missing-400", 400, "", .invalidQuery,
                "search refused (400): Required parameter is missing."
            ),
            (
                "error-parameter-missing-400", 400, "car", .unavailable,
                "search refused (400): Required parameter is missing.; change it or try again later"
            ),
        ])
    func errors(name: String, status: Int, words: String, kind: CatalogError.Kind, message: String) async throws {
        let error = try await catalogError { try await page(name, status: status, words: words) }
        #expect(error.kind == kind && error.description == "api.bing.microsoft.com: \(message)")
    }
}

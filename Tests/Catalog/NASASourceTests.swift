import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

@Suite("NASASource", .timeLimit(.minutes(10)))
struct NASASourceTests {
    private static let item = #"{"data":[{"nasa_id":"A"}]}"#
    private static let nextLink = #","links":[{"rel":"next","href":"http://elsewhere.invalid/search?page=7"}]"#

    private func page(_ body: String, at number: Int = 1) async throws -> PhotoPage {
        let source = NASASource(transport: ScriptedTransport(body))
        return try await source.page(of: PhotoQuery("mars"), at: source.cursor(for: .page(number)))
    }

    // MARK: Paging

    @Test("Page addresses are built from the endpoint, not from next links")
    func nextLinks() async throws {
        let transport = ScriptedTransport(#"{"collection":{"items":[\#(Self.item)]\#(Self.nextLink)}}"#)
        let endpoint = try #require(WebAddress("http://localhost:8080/api/?key=x"))
        let source = NASASource(transport: transport, endpoint: endpoint)
        let first = try await source.page(of: PhotoQuery("mars"), at: nil)
        #expect(first.previous == nil)
        let second = try await source.page(of: PhotoQuery("mars"), at: first.next)
        _ = try await source.page(of: PhotoQuery("mars"), at: second.previous)
        #expect(
            transport.addresses
                == [1, 2, 1].map { "http://localhost:8080/api/search?q=mars&media_type=image&page=\($0)&page_size=100" }
        )
    }

    @Test("A request accepts JSON of at most 16 MiB")
    func request() async throws {
        let transport = ScriptedTransport(#"{"collection":{"items":[]}}"#)
        _ = try await NASASource(transport: transport).page(of: PhotoQuery("x"), at: nil)
        #expect(transport.requests.map(\.accept) == ["application/json"])
        #expect(transport.requests.map(\.bodyLimit) == [16 << 20])
    }

    @Test("Paging stops without a next link, and at an empty page with one")
    func stops() async throws {
        let lone = try await page(#"{"collection":{"items":[\#(Self.item)],"metadata":{"total_hits":500}}}"#)
        let last = try await page(#"{"collection":{"items":[\#(Self.item)],"links":[{"rel":"prev"}]}}"#, at: 2)
        let empty = try await page(#"{"collection":{"items":[]\#(Self.nextLink)}}"#, at: 3)
        #expect([lone, last, empty].map(\.next) == [nil, nil, nil])
        #expect(empty.photos.isEmpty && empty.previous != nil)
    }

    @Test("Paging stops at the 10,000th result")
    func stopsAtCeiling() async throws {
        let transport = ScriptedTransport { request, asked in
            FetchResponse(
                to: request,
                #"{"collection":{"items":[{"data":[{"nasa_id":"\#(asked)"}]}],"metadata":{"total_hits":34684}"#
                    + Self.nextLink + "}}")
        }
        var pages = PagedPhotos(PhotoQuery("earth"), from: NASASource(transport: transport))
        #expect(try await pages.ids().count == 100)
        #expect(transport.requests.count == 100)
        #expect(transport.addresses.last?.contains("page=100&page_size=100") == true)
        #expect(pages.total == .exact(34_684))
    }

    @Test("A page beyond the ceiling is an invalid query, without a request", arguments: [101, 5_000, Int.max])
    func beyondCeiling(number: Int) async throws {
        let transport = ScriptedTransport("{}")
        let source = NASASource(transport: transport)
        let cursor = try #require(source.cursor(for: .page(number)))
        let error = try await catalogError { try await source.page(of: PhotoQuery(), at: cursor) }
        #expect(error.kind == .invalidQuery && error.description.contains("beyond the last, 100"))
        #expect(transport.requests.isEmpty)
    }

    @Test("Page numbers start at 1", arguments: [0, -1, Int.min])
    func noSuchPage(number: Int) {
        #expect(NASASource(transport: ScriptedTransport("")).cursor(for: .page(number)) == nil)
    }

    @Test("The service's error about its ceiling ends paging")
    func earlierCeiling() async throws {
        let body = #"{"reason":"Maximum number of search results have been displayed. Please refine your search."}"#
        let clock = TickingClock()
        let source = NASASource(transport: ScriptedTransport(status: 400, body), clock: clock)
        let page = try await source.page(of: PhotoQuery("x"), at: source.cursor(for: .page(60)))
        #expect(page.photos.isEmpty && page.next == nil && page.previous == source.cursor(for: .page(59)))
        #expect(clock.sleeps.isEmpty, "the end of the results needs no wait")
        // For the first page the error must belong to another request.
        await #expect(throws: CatalogError.self) { try await source.page(of: PhotoQuery("x"), at: nil) }
        #expect(clock.sleeps == [.seconds(11)])
    }

    @Test("Searches have one address, whatever the spelling of their endpoint")
    func searchAddress() async throws {
        let transport = ScriptedTransport(#"{"collection":{"items":[]}}"#)
        for (text, search) in [
            ("http://localhost:8080", "http://localhost:8080/search"),
            ("http://localhost:8080/api//", "http://localhost:8080/api/search"),
            ("http://images-api.nasa.gov/", "https://images-api.nasa.gov/search"),
        ] {
            let endpoint = try #require(WebAddress(text))
            _ = try await NASASource(transport: transport, endpoint: endpoint).page(of: PhotoQuery(), at: nil)
            #expect(transport.addresses.last?.hasPrefix("\(search)?") == true)
        }
    }

    // MARK: Totals

    @Test(
        "A total is exact, estimated or unknown",
        arguments: [
            (#","metadata":{"total_hits":34684}"#, PhotoPage.Total.exact(34_684)),
            (#","metadata":{"total_hits":"34684"}"#, .estimate(34_684)),
            (#","metadata":{"total_hits":34684.0}"#, .estimate(34_684)),
            (#","metadata":{"total_hits":0}"#, .estimate(1)),
            (#","metadata":{"total_hits":null}"#, .exact(1)),
            (#","metadata":{"total_hits":-5}"#, .exact(1)),
            (#","metadata":{"total_hits":1e99}"#, .exact(1)),
            (#","metadata":[]"#, .exact(1)),
            ("", .exact(1)),
            (nextLink, nil),
        ])
    func totals(rest: String, expected: PhotoPage.Total?) async throws {
        #expect(try await page(#"{"collection":{"items":[\#(Self.item)]\#(rest)}}"#).total == expected)
    }

    @Test("A search without results returns an empty page")
    func nothingFound() async throws {
        let page = try await NASASource(transport: fixtureTransport()).page(of: PhotoQuery("empty"), at: nil)
        #expect(page == PhotoPage(photos: [], position: 0, total: .exact(0)))
    }

    // MARK: Renditions

    @Test("The list of files adds renditions to those of the search")
    func renditions() async throws {
        let transport = fixtureTransport()
        let source = NASASource(transport: transport)
        let photos = try await source.page(of: PhotoQuery("mars"), at: nil).photos
        let before = try #require(photos.first)
        let after = try await source.renditions(of: before)
        #expect(after == before)
        #expect(after.renditions.map(\.width) == [1280, 640, 640, 1920, 4000])
        #expect(transport.addresses.last == "https://images-api.nasa.gov/asset/SG-MARS-001")
    }

    @Test("A photo without links gets its preview from the list of files")
    func renditionsWithoutLinks() async throws {
        let source = NASASource(transport: fixtureTransport())
        let photo = try await source.renditions(of: Photo(id: "SG-MARS-013", source: "nasa"))
        #expect(photo.renditions.map { $0.address.path.suffix(10) } == ["3~orig.tif", "~thumb.jpg", "~small.jpg"])
        #expect(photo.renditions.allSatisfy { $0.width == nil && $0.rel == nil })
        #expect(photo.thumbnail?.path.hasSuffix("~thumb.jpg") == true)
        let listed = ScriptedTransport(
            #"{"collection":{"items":[{"href":"http://images-assets.nasa.gov/image/a/a~thumb.jpg"}]}}"#)
        let secure = try await NASASource(transport: listed).renditions(of: Photo(id: "a", source: "nasa"))
        #expect(secure.thumbnail?.scheme == "https")
    }

    @Test("A video with only subtitles gets a still from the list of files")
    func renditionsOfFilm() async throws {
        let source = NASASource(transport: fixtureTransport())
        let photo = try await source.renditions(of: Photo(id: "SG-JUP-05", source: "nasa"))
        #expect(photo.renditions.count == 3 && photo.thumbnail?.path.hasSuffix("~thumb_1.jpg") == true)
    }

    @Test("An id is encoded once in the address of its files")
    func assetAddress() async throws {
        let transport = ScriptedTransport(#"["http://images-assets.nasa.gov/image/a b/a b~thumb.jpg"]"#)
        let source = NASASource(transport: transport)
        let error = try await catalogError {
            try await source.renditions(of: Photo(id: "a b/c?d+é%20", source: "nasa"))
        }
        #expect(transport.addresses == ["https://images-api.nasa.gov/asset/a%20b%2Fc%3Fd%2B%C3%A9%2520"])
        #expect(error.kind == .invalidResponse)
    }

    @Test("An unknown id is not found")
    func unknownAsset() async {
        let body = #"{"reason":"Could not find Asset with assetid=1"}"#
        let source = NASASource(transport: ScriptedTransport(status: 404, body))
        let message = "images-api.nasa.gov: unknown item 1 (404): Could not find Asset with assetid=1"
        await #expect(throws: CatalogError(.notFound, message)) {
            try await source.renditions(of: Photo(id: "1", source: "nasa"))
        }
    }
}

@Suite("NASASource: requests", .timeLimit(.minutes(10)))
struct NASARequestTests {
    private func address(page: Int = 1, _ change: (inout PhotoQuery) -> Void) async throws -> String {
        var query = PhotoQuery()
        change(&query)
        let transport = ScriptedTransport(#"{"collection":{"items":[]}}"#)
        let source = NASASource(transport: transport)
        _ = try await source.page(of: query, at: source.cursor(for: .page(page)))
        let text = transport.addresses[0]
        #expect(text.hasPrefix("https://images-api.nasa.gov/"))
        return String(text.dropFirst("https://images-api.nasa.gov/".count))
    }

    @Test("An empty query sends the media type alone")
    func empty() async throws {
        #expect(try await address { _ in } == "search?media_type=image&page=1&page_size=100")
        #expect(
            try await address {
                $0.text = " \n"
                $0["center"] = [""]
                $0["keywords"] = ["", " "]
                $0["album"] = [" "]
            } == "search?media_type=image&page=1&page_size=100")
    }

    @Test(
        "Words are percent-encoded once",
        arguments: [
            ("apollo 11", "apollo%2011"), (" mars ", "mars"), ("a+b&c=d#e", "a%2Bb%26c%3Dd%23e"),
            ("100%20", "100%2520"),
            ("Æther–’", "%C3%86ther%E2%80%93%E2%80%99"), ("\"\"", "%22%22"), ("a\u{1b}\nb", "a%1B%0Ab"),
            ("🚀", "%F0%9F%9A%80"),
        ])
    func words(text: String, encoded: String) async throws {
        #expect(try await address { $0.text = text } == "search?q=\(encoded)&media_type=image&page=1&page_size=100")
    }

    @Test("Every filter is sent with NASA's parameter name")
    func filters() async throws {
        let address = try await address(page: 3) {
            $0.text = "eclipse"
            $0["media"] = ["audio", "IMAGE,audio"]
            $0["center"] = [" jsc"]
            $0["photographer"] = ["Bill Ingalls"]
            $0["location"] = ["Cape"]
            $0["keywords"] = ["sun ", "", "moon,sun"]
            $0["title"] = ["Total"]
            $0["id"] = ["A 1"]
            $0["year"] = ["0069-1972"]
        }
        #expect(
            address
                == "search?q=eclipse&center=JSC&keywords=sun%2Cmoon&location=Cape&nasa_id=A%201&photographer=Bill%20Ingalls"
                + "&title=Total&year_start=0069&year_end=1972&media_type=image%2Caudio&page=3&page_size=100")
    }

    @Test("An album has an address of its own, case-sensitive, and pages")
    func album() async throws {
        #expect(try await address(page: 2) { $0["album"] = ["Mars_2020 Ü/x"] } == "album/Mars_2020%20%C3%9C%2Fx?page=2")
    }

    @Test("A query that NASA does not support is rejected before it is sent")
    func refusals() async {
        let changes: [(inout PhotoQuery) -> Void] = [
            { $0["year"] = ["0000"] }, { $0["year"] = ["10000"] }, { $0["year"] = ["1972-1969"] },
            { $0["media"] = ["hologram"] }, { $0["license"] = ["cc0"] },
            {
                $0["album"] = ["A"]
                $0.text = "mars"
            },
            {
                $0["album"] = ["A"]
                $0["year"] = ["1969"]
            },
            { $0.text = String(repeating: "ü", count: 3_000) },
        ]
        for change in changes {
            let error = await #expect(throws: CatalogError.self) { try await address(change) }
            #expect(error?.kind == .invalidQuery)
        }
    }
}

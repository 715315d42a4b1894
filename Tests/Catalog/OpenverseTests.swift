import SpyglassFetching
import SpyglassJSON
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

@Suite("OpenverseService", .timeLimit(.minutes(10)))
struct OpenverseTests {
    private static let item = #"{"id":"a","thumbnail":"https://h/a.jpg"}"#

    private func page(_ body: String, _ query: PhotoQuery = PhotoQuery("cat"), at number: Int = 1) async throws
        -> PhotoPage
    {
        let source = WebSource(OpenverseService(), transport: ScriptedTransport(body))
        return try await source.page(of: query, at: PageCursor(page: number))
    }

    private func photo(_ fields: String) async throws -> Photo? {
        try await page(#"{"results":[{"id":"a",\#(fields)}]}"#).photos.first
    }

    @Test("Words and filters are parameters in one order")
    func request() async throws {
        let transport = ScriptedTransport(#"{"results":[]}"#)
        let source = WebSource(OpenverseService(), transport: transport)
        var query = PhotoQuery(
            "black cat", filters: ["license": ["by", "cc0"], "creator": ["A & B"], "safe": ["off"]])
        query["provider"] = ["flickr"]
        query["aspect"] = ["wide"]
        query["extension"] = ["jpg"]
        query["width"] = ["640"]
        _ = try await source.page(of: query, at: source.cursor(for: .position(40)))
        _ = try await source.page(of: PhotoQuery(), at: nil)
        #expect(
            transport.addresses == [
                "https://api.openverse.org/v1/images/?q=black%20cat&license=by%2Ccc0&creator=A%20%26%20B&source=flickr"
                    + "&aspect_ratio=wide&extension=jpg&mature=true&page=3&page_size=20",
                "https://api.openverse.org/v1/images/?page=1&page_size=20",
            ])
    }

    @Test(
        "A list ends with the counts, or with an empty page",
        arguments: [
            (#""result_count":240,"page_count":12,"results":[ITEM]"#, 1, true),
            (#""result_count":240,"page_count":12,"results":[ITEM]"#, 12, false),
            (#""result_count":240,"page_count":80,"results":[ITEM]"#, 12, false),
            (#""result_count":20,"results":[ITEM]"#, 1, false), (#""result_count":21,"results":[ITEM]"#, 1, true),
            (#""page_count":null,"results":[ITEM]"#, 3, true), (#""result_count":1e99,"results":[ITEM]"#, 3, true),
            (#""result_count":240,"page_count":12,"results":[]"#, 1, false),
        ])
    func ends(body: String, number: Int, continues: Bool) async throws {
        let parts = body.split(separator: "ITEM", omittingEmptySubsequences: false).joined(separator: Self.item)
        let page = try await page("{\(parts)}", at: number)
        #expect((page.next != nil) == continues)
        #expect(page.position == (number - 1) * 20)
    }

    @Test("A page beyond the last that is refused is the end", arguments: [(13, true), (12, false)])
    func refusedPage(number: Int, isEnd: Bool) async throws {
        let body = #"{"detail":"Anonymous requests cannot see more than 240 results."}"#
        let source = WebSource(OpenverseService(), transport: ScriptedTransport(status: 401, body))
        let page = try? await source.page(of: PhotoQuery("cat"), at: PageCursor(page: number))
        #expect((page?.photos.isEmpty == true && page?.next == nil) == isEnd)
    }

    @Test(
        "What may be mature is left out unless the search asks for it",
        arguments: [
            ("false", 1), ("null", 1), (#""False""#, 1), ("true", 0), (#""true""#, 0), ("1", 0), ("{}", 0),
            (#""""#, 0),
        ])
    func mature(value: String, count: Int) async throws {
        let body = #"{"results":[{"id":"a","mature":\#(value)},{"id":"b"}]}"#
        let all = try await page(body, PhotoQuery(filters: ["safe": ["off"]]))
        #expect(try await [page(body), all].map(\.photos.count) == [count + 1, 2])
    }

    @Test("A minimum width leaves out images that are known to be narrower")
    func width() async throws {
        let body = #"{"results":[{"id":"a","width":639},{"id":"b","width":640},{"id":"c","width":null}]}"#
        #expect(try await page(body, PhotoQuery(filters: ["width": ["640"]])).photos.map(\.id) == ["b", "c"])
    }

    @Test("A thumbnail is the address as given, or that of the image")
    func thumbnails() async throws {
        let fields = [
            #""thumbnail":"http://h/t","url":"//h/a b.jpg""#, #""thumbnail":"ftp://h/t","url":"//h/a b.jpg""#,
        ]
        var thumbnails: [String?] = []
        for fields in fields { thumbnails.append(try await photo(fields)?.thumbnail?.text) }
        #expect(thumbnails == ["http://h/t", "https://h/a%20b.jpg"])
    }

    @Test(
        "A licence has its usual name",
        arguments: [
            (#""license":"by-sa","license_version":"4.0""#, "CC BY-SA 4.0"),
            (#""license":"cc0","license_version":1.0"#, "CC0 1.0"),
            (#""license":"pdm""#, "Public Domain Mark"), (#""license":null"#, nil),
        ])
    func licenses(fields: String, name: String?) async throws {
        #expect(try await photo(fields)?.license == name)
    }

    @Test("The credit line is the attribution, or made of title, creator and licence")
    func credit() async throws {
        let fields = #""title":"Birds","creator":"Ann","license":"by","license_version":"2.0""#
        #expect(try await photo(fields)?.credit == #""Birds" by Ann, CC BY 2.0"#)
        #expect(try await photo(#""attribution":"As <b>wanted</b>","license":"by""#)?.credit == "As wanted")
    }

    @Test(
        "A refused parameter blames only what the search has",
        arguments: [
            ("license", 400, CatalogError.Kind.invalidQuery, .filter("license")),
            ("aspect_ratio", 400, .unavailable, nil), ("q", 400, .invalidQuery, .text),
            ("page", 400, .unavailable, nil), ("license", 401, .unavailable, nil),
        ] as [(String, Int, CatalogError.Kind, CatalogError.Subject?)])
    func refusals(name: String, status: Int, kind: CatalogError.Kind, subject: CatalogError.Subject?) async throws {
        let query = PhotoQuery("cat", filters: ["license": ["by"]])
        for body in [#"{"\#(name)":["No."]}"#, #"{"detail":{"\#(name)":["No."]}}"#] {
            let source = WebSource(OpenverseService(), transport: ScriptedTransport(status: status, body))
            let error = try await catalogError { try await source.page(of: query, at: nil) }
            #expect(error.kind == kind && error.subject == subject)
            #expect(error.description.contains("(\(status)): \(name): No."))
        }
    }
}

@Suite(
    "OpenverseService: recorded responses", .timeLimit(.minutes(10)),
    .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"))
struct OpenverseRecordingTests {
    private func page(_ name: String, at number: Int = 1) async throws -> PhotoPage {
        try await WebSource(OpenverseService(), transport: recording(name, of: "openverse"))
            .page(of: PhotoQuery("x"), at: PageCursor(page: number))
    }

    @Test(
        "Every recorded page is parsed as recorded",
        arguments: [
            ("images-birds", 1, 20, 10_000, true), ("images-cat-page2", 2, 20, 10_000, true),
            ("images-ecommerce", 1, 20, 10_000, true), ("images-cat-2026-cap240", 1, 2, 240, true),
            ("images-empty", 1, 0, 0, false), ("images-related", 1, 10, 10_000, false),
        ])
    func pages(name: String, number: Int, photos: Int, total: Int, continues: Bool) async throws {
        let page = try await page(name, at: number)
        #expect(page.photos.count == photos && page.total == .estimate(total) && (page.next != nil) == continues)
        for photo in page.photos {
            #expect(photo.thumbnail?.path.hasSuffix("/\(photo.id)/thumb/") == true)
            #expect(photo.renditions.count == 2 && photo.page != nil)
            #expect(photo.license?.hasPrefix("CC") == true && photo.credit != nil && photo.photographer != nil)
        }
    }

    @Test("A recorded result has all its fields")
    func fields() async throws {
        let photo = try #require(try await page("images-birds").photos.first)
        let texts = [
            photo.id, photo.title, photo.photographer, photo.center, photo.renditions.last?.address.text,
            photo.page?.text, photo.license, photo.licenseURL?.text, photo.credit,
        ]
        #expect(
            texts == [
                "da5cb478-c093-4d62-b721-cda18797e3fb", "bird", "Chester Zoo", "flickr",
                "https://live.staticflickr.com/2129/2385230430_a699b25f12_b.jpg",
                "https://www.flickr.com/photos/8488209@N07/2385230430", "CC BY-ND 2.0",
                "https://creativecommons.org/licenses/by-nd/2.0/", #""bird" by Chester Zoo, CC BY-ND 2.0"#,
            ])
        #expect(photo.keywords == ["bird"])
    }
}

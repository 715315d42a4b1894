import SpyglassFetching
import SpyglassJSON
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

@Suite(
    "NASASource: recorded responses", .timeLimit(.minutes(10)),
    .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"))
struct RecordedResponseTests {
    private func page(_ name: String, status: Int = 200) async throws -> PhotoPage {
        try await NASASource(transport: recording(name, of: "nasa", status: status), clock: TickingClock())
            .page(of: PhotoQuery("x"), at: nil)
    }

    @Test(
        "Every recorded page is parsed as recorded",
        arguments: [
            ("search-apollo11-moonlanding-2019", 100, 100, 345, true), ("search-earth-mixed", 100, 99, 34_684, true),
            ("search-jupiter-page1", 100, 100, 2_252, true), ("search-empty-page2", 0, 0, 0, false),
            ("search-supernova-pagesize42", 42, 42, 566, true), ("search-saucer-27", 27, 27, 27, false),
            ("search-moon-short", 8, 8, 9_776, true), ("search-marsrover-pagesize10", 11, 11, 5_660, true),
            ("album-nicer", 1, 1, 1, false), ("search-v1.1-multirendition-2025", 1, 1, 1, false),
            ("rec-search-apollo11-description", 100, 100, 647, true),
        ])
    func pages(name: String, photos: Int, pictures: Int, total: Int, continues: Bool) async throws {
        let page = try await page(name)
        #expect([page.photos.count, page.photos.count { $0.thumbnail != nil }] == [photos, pictures])
        #expect(page.total == .exact(total) && (page.next != nil) == continues)
        for photo in page.photos {
            #expect(photo.thumbnail.map { $0.scheme == "https" && $0.path.hasSuffix(".jpg") } ?? true)
            #expect(!photo.title.isEmpty && photo.page != nil && photo.credit != nil)
            #expect(!(photo.description ?? "").contains("</"))
        }
    }

    @Test(
        "A response that is not a page is an error",
        arguments: [
            ("broken-empty-collection", 200), ("asset-audio", 200), ("error-album-404", 404), ("error-search-400", 400),
            ("metadata-audio-body", 200), ("metadata-audio-location", 200), ("rec-asset-404", 404),
            ("rec-assets-host-metadata-json", 200), ("rec-captions-location", 200), ("rec-metadata-as11-40-5874", 200),
        ])
    func errors(name: String, status: Int) async {
        await #expect(throws: CatalogError.self) { try await page(name, status: status) }
    }

    @Test("Every truncated response is a page or an error, never a trap")
    func cuts() async throws {
        let whole = TestData.bytes(of: "\(TestData.shared ?? "")/api/nasa/search-moon-short.json")
        for length in stride(from: 0, to: whole.count, by: 37) {
            let transport = ScriptedTransport { request, _ in
                FetchResponse(address: request.address, status: 200, body: Array(whole[..<length]))
            }
            await #expect(throws: CatalogError.self) {
                try await NASASource(transport: transport).page(of: PhotoQuery("x"), at: nil)
            }
        }
    }
}

@Suite("PhotoService: damaged answers", .timeLimit(.minutes(10)))
struct DamagedAnswersTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        let service: any PhotoService
        var words = "x"
        let text: String

        var testDescription: String { service.declaration.name }
    }

    static let answers = [
        Answer(
            service: BingService(),
            text:
                #"{"totalEstimatedMatches":9,"nextOffset":6,"errors":[{"code":"c","message":"m","moreDetails":"d","parameter":"q"}],"value":[{"imageId":"A","name":"n","thumbnailUrl":"https://h/t","contentUrl":"https://h/a","contentSize":"4 B","datePublished":"2018-10-10T21:55:00.0000000Z","hostPageUrl":"/p","hostPageDomainFriendlyName":"h","width":2,"height":3,"thumbnail":{"width":1},"creativeCommons":"Attribution","isFamilyFriendly":true}]}"#
        ),
        Answer(
            service: OpenverseService(),
            text:
                #"{"result_count":9,"page_count":1,"results":[{"id":"a","title":"t","url":"https://h/a","thumbnail":"/t","tags":[{"name":"n"}],"license":"by","license_version":"2","license_url":"https://h/l","width":2,"filesize":3,"mature":false}]}"#
        ),
        Answer(
            service: TumblrService(), words: "blog",
            text:
                #"{"meta":{"status":200,"msg":"OK"},"response":{"posts":[{"id":1,"id_string":"1","type":"blocks","blog_name":"b","post_url":"https://h/p","timestamp":5,"date":"2024-01-01","tags":["t"],"summary":"s","content":[{"type":"image","media":[{"url":"https://h/a","width":2,"height":3,"type":"image/gif","poster":{"url":"/p"}}],"alt_text":"a"},{"type":"text","text":"w"}],"trail":[{"content":[{"type":"image","media":[{"url":"https://h/c"}]}]}]},{"id":2,"type":"photo","caption":"<p>c</p>","photos":[{"original_size":{"url":"https://h/b","width":4,"height":5},"alt_sizes":[{"url":"https://h/s","width":1}]}]},{"id":3,"type":"text","body":"<img src=/i>"}],"_links":{"next":{"href":"/v2?page_number=z"}},"total_posts":9}}"#
        ),
        Answer(
            service: WikimediaService(),
            text:
                #"{"continue":{"gsroffset":2,"continue":"-"},"query":{"searchinfo":{"totalhits":9},"pages":[{"pageid":1,"index":1,"title":"File:A.jpg","imageinfo":[{"url":"https://h/a","thumburl":"https://h/330px-a","thumbwidth":330,"thumbheight":9,"width":2000,"height":9,"size":7,"mime":"image/jpeg","descriptionurl":"https://h/d","extmetadata":{"ImageDescription":{"value":"<b>d</b>"},"Artist":{"value":"a"},"LicenseShortName":{"value":"l"},"LicenseUrl":{"value":"https://h/l"},"Credit":{"value":3},"DateTimeOriginal":{"value":"2020"}}}]}]}}"#
        ),
        Answer(
            service: APODService(), words: "",
            text:
                #"[{"date":"2024-04-30","title":"t","explanation":"e","media_type":"image","url":"https://h/a","hdurl":"https://h/b","thumbnail_url":"//h/t","copyright":"c\nd","service_version":"v1"},{"date":"2024-04-29","title":"v","media_type":"video","url":"https://h/v","thumbnail_url":"https://h/w"}]"#
        ),
    ]

    @Test("Every damaged answer is a page or an error, never a trap", arguments: answers)
    func damage(answer: Answer) throws {
        let json = try JSONValue(parsing: Array(answer.text.utf8))
        let base = try #require(WebAddress("https://h/"))
        let request = PageRequest(PhotoQuery(answer.words))
        #expect(!(try page(json, base, request, answer.service).photos.isEmpty))
        var pages = 0
        for copy in json.damagedCopies {
            guard let page = try? page(copy, base, request, answer.service) else { continue }
            pages += 1
            #expect(page.photos.allSatisfy { $0.title.utf8.count <= PlainText.lineLimit + 3 && !$0.title.isEmpty })
        }
        #expect(pages > 100)
    }

    private func page(
        _ json: JSONValue, _ base: WebAddress, _ request: PageRequest, _ service: some PhotoService
    ) throws -> PhotoPage {
        let answer = ServiceAnswer(json: json, address: base)
        _ = service.failure(in: answer, for: request)
        return try service.page(of: [answer], for: request)
    }
}

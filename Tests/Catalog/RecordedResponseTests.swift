import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

@Suite(
    "NASASource: recorded responses", .timeLimit(.minutes(10)),
    .enabled(if: TestData.shared != nil, "needs the shared recordings beside the project"))
struct RecordedResponseTests {
    private func page(_ name: String, status: Int = 200) async throws -> PhotoPage {
        let body = bytes(ofFile: "\(TestData.shared ?? "")/api/nasa/\(name).json")
        let transport = ScriptedTransport { request, _ in
            FetchResponse(address: request.address, status: status, body: body)
        }
        return try await NASASource(transport: transport, clock: TickingClock()).page(of: PhotoQuery("x"), at: nil)
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
        #expect(page.photos.count == photos)
        #expect(page.photos.count { $0.thumbnail != nil } == pictures)
        #expect(page.total == .exact(total))
        #expect((page.next != nil) == continues)
        for photo in page.photos {
            #expect(photo.thumbnail?.scheme ?? "https" == "https")
            #expect(photo.thumbnail?.path.hasSuffix(".jpg") ?? true)
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

    @Test("The newest recorded preview is the third of five links")
    func multirendition() async throws {
        let photo = try #require(try await page("search-v1.1-multirendition-2025").photos.first)
        #expect(photo.renditions.count == 5)
        #expect(photo.thumbnail == photo.renditions[2].address)
        #expect(photo.renditions.map(\.bytes) == [212_000, 74_000, 74_000, 377_000, 1_525_000])
    }

    @Test(
        "A recorded list of files becomes renditions over https",
        arguments: ["asset-as11-40-5874", "rec-asset-as11-40-5874"])
    func asset(name: String) async throws {
        let body = bytes(ofFile: "\(TestData.shared ?? "")/api/nasa/\(name).json")
        let transport = ScriptedTransport {
            FetchResponse(address: $0.address, status: $1 == 0 ? 200 : 500, body: body)
        }
        let photo = try await NASASource(transport: transport).renditions(of: Photo(id: "as11-40-5874", source: "nasa"))
        #expect(photo.renditions.count == 5)
        #expect(photo.renditions.allSatisfy { $0.address.scheme == "https" })
        #expect(photo.thumbnail?.path == "/image/as11-40-5874/as11-40-5874~thumb.jpg")
    }

    @Test("Every truncated response is a page or an error, never a trap")
    func cuts() async throws {
        let whole = bytes(ofFile: "\(TestData.shared ?? "")/api/nasa/search-moon-short.json")
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

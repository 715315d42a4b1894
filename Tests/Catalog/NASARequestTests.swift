import SpyglassFetching
import Testing

@testable import SpyglassCatalog

@Suite("NASARequest", .timeLimit(.minutes(10)))
struct NASARequestTests {
    private func address(page: Int = 1, _ change: (inout PhotoQuery) -> Void) throws -> String {
        var query = PhotoQuery()
        change(&query)
        let request = try NASARequest(query, page: page, endpoint: NASASource.defaultEndpoint)
        let text = request.address.description
        #expect(text.hasPrefix("https://images-api.nasa.gov/"))
        return String(text.dropFirst("https://images-api.nasa.gov/".count))
    }

    @Test("An empty query sends the media type alone")
    func empty() throws {
        #expect(try address { _ in } == "search?media_type=image&page=1&page_size=100")
        #expect(
            try address {
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
    func words(text: String, encoded: String) throws {
        #expect(try address { $0.text = text } == "search?q=\(encoded)&media_type=image&page=1&page_size=100")
    }

    @Test("Every filter is sent with NASA's parameter name")
    func filters() throws {
        let address = try address(page: 3) {
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

    @Test("Without media types, images are requested")
    func noKind() throws {
        #expect(try address { $0["media"] = [] } == "search?media_type=image&page=1&page_size=100")
    }

    @Test("An album has an address of its own, case-sensitive, and pages")
    func album() throws {
        #expect(try address(page: 2) { $0["album"] = ["Mars_2020 Ü/x"] } == "album/Mars_2020%20%C3%9C%2Fx?page=2")
    }

    @Test("A query that NASA does not support is rejected before it is sent")
    func refusals() {
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
            let error = #expect(throws: CatalogError.self) { try address(change) }
            #expect(error?.kind == .invalidQuery)
        }
    }
}

import SpyglassFetching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassCatalog

@Suite("NASASource: errors", .timeLimit(.minutes(10)))
struct NASAErrorTests {
    private func error(
        _ status: Int, _ body: String, headers: [(String, String)] = [], album: String? = nil
    ) async throws -> CatalogError {
        let source = NASASource(
            transport: ScriptedTransport(status: status, body, headers: headers), clock: TickingClock())
        let query = PhotoQuery(
            album == nil ? "mars" : "", filters: album.map { ["album": [$0]] } ?? ["year": ["0012"]])
        return try await catalogError { try await source.page(of: query, at: nil) }
    }

    @Test(
        "An unsuccessful response names the host, the reason and what to do",
        arguments: [
            (
                400, #"{"reason":"Invalid value year_start=\"0012\"."}"#, CatalogError.Kind.invalidQuery,
                #"images-api.nasa.gov: search refused (400): Invalid value year_start="0012"."#
            ),
            (
                400, #"{"reason":"Invalid search parameter: page_size"}"#, .invalidQuery,
                "images-api.nasa.gov: search refused (400): Invalid search parameter: page_size"
            ),
            (
                400, #"{"reason":"Invalid search parameter: utm_source"}"#, .unavailable,
                "images-api.nasa.gov: search refused (400): Invalid search parameter: utm_source; change it or try again later"
            ),
            (400, "", .unavailable, "images-api.nasa.gov: search refused (400); change it or try again later"),
            (
                404, "<html>nginx</html>", .unavailable, "images-api.nasa.gov: nothing at /search (404): nginx"
            ),
            (
                414, "<html><h1>414</h1></html>", .invalidQuery,
                "images-api.nasa.gov: search too long (414); use fewer words and filters"
            ),
            (
                403, "<html>denied</html>", .unavailable,
                "images-api.nasa.gov: network refused (403): denied; try again later or from another network"
            ),
            (
                502, "<html>bad gateway</html>", .unavailable,
                "images-api.nasa.gov: server error (502): bad gateway; try again later"
            ),
            (500, #" {"reason": 1,"#, .unavailable, "images-api.nasa.gov: server error (500); try again later"),
            (500, "{}", .unavailable, "images-api.nasa.gov: server error (500); try again later"),
            (
                418, #"{"message":"short\nand\u001b[31m stout"}"#, .unavailable,
                "images-api.nasa.gov: unexpected status 418: short and [31m stout; try again later"
            ),
            (302, "", .unavailable, "images-api.nasa.gov: unexpected status 302; try again later"),
        ] as [(Int, String, CatalogError.Kind, String)])
    func refusals(status: Int, body: String, kind: CatalogError.Kind, message: String) async throws {
        let error = try await error(status, body)
        #expect(error.description == message && error.kind == kind)
        #expect((error.subject == .endpoint) == (status == 404))
        #expect((error.subject == .filter("year")) == body.contains("year_start"))
    }

    @Test("A refusal by CloudFront's edge and a requested delay are named")
    func headers() async throws {
        let edge = try await error(403, "", headers: [("X-Cache", "Error from cloudfront")])
        #expect(edge.description.contains("(403 by its edge)"))
        let pause = try await error(429, "", headers: [("Retry-After", "120")])
        #expect(pause.description == "images-api.nasa.gov: too many requests (429); try again in 120 s")
    }

    @Test("An unknown album is an invalid query; a page after its last is the end")
    func album() async throws {
        let body = #"{"reason":"No assets found for album=\"NICERs\" page=1"}"#
        let unknown = try await error(404, body, album: "NICERs")
        #expect(unknown.kind == .invalidQuery)
        #expect(unknown.description.hasPrefix("images-api.nasa.gov: unknown album 'NICERs' (404)"))

        let source = NASASource(transport: ScriptedTransport(status: 404, body))
        let query = PhotoQuery(filters: ["album": ["NICER"]])
        #expect(try await source.page(of: query, at: source.cursor(for: .page(2))).photos.isEmpty)
    }

    @Test(
        "A successful response without a result list is invalid",
        arguments: [
            ("", "empty body (HTTP 200)"), (" \n", "empty body"),
            (" <!doctype html><p>Log in", "a web page instead of JSON"),
            ("{}", "no list of items"), ("[]", "no list of items"), ("null", "no list of items"),
            ("7", "no list of items"),
            (#"{"collection":{}}"#, "no list of items"), (#"{"collection":{"items":{}}}"#, "no list of items"),
            (#"{"collection":{"items":null}}"#, "no list of items"), (#"{"collection":7}"#, "no list of items"),
            (#"{"collection":{"items":[1,2]}}"#, "2 items without data"),
            (#"{"collection":{"items":["#, "malformed JSON: unexpected end (byte 24)"),
            ("hello", "malformed JSON: expected a value (byte 0)"),
        ])
    func unusable(body: String, message: String) async throws {
        let error = try await error(200, body)
        #expect(error.kind == .invalidResponse)
        #expect(error.description.hasPrefix("images-api.nasa.gov: invalid response: \(message)"))
    }

    @Test("A collection without its outer object is accepted")
    func bareCollection() async throws {
        let source = NASASource(
            transport: ScriptedTransport(#"{"version":"1.0","items":[{"data":[{"nasa_id":"A"}]}]}"#))
        #expect(try await source.page(of: PhotoQuery(), at: nil).photos.map(\.id) == ["A"])
    }

    @Test("A message is one short line, whatever the server sends")
    func bounded() async throws {
        let reason = String(repeating: "x\\n\\u001b", count: 10_000)
        let error = try await error(400, #"{"reason":"\#(reason)"}"#)
        #expect(error.description.utf8.count < 500)
        #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test("Errors of the transport are rethrown")
    func transportErrors() async {
        let failure = FetchError(.unreachable, "images-api.nasa.gov: no route")
        let source = NASASource(transport: ScriptedTransport { _, _ in throw failure })
        await #expect(throws: failure) { try await source.page(of: PhotoQuery(), at: nil) }
    }

    @Test("A response above the limit is the service's fault")
    func tooLarge() async {
        let failure = FetchError(.tooLarge, "too large", exceededLimit: .body)
        let source = NASASource(transport: ScriptedTransport { _, _ in throw failure })
        let error = CatalogError(.invalidResponse, "images-api.nasa.gov: invalid response: more than 16 MiB")
        await #expect(throws: error) { try await source.page(of: PhotoQuery(), at: nil) }
    }

    @Test(
        "A request whose 400 belongs to another is sent again after 11 s",
        arguments: [
            #"{"reason":"Invalid search parameter: utm_source"}"#, #"{"reason":"Invalid value year_start=\"test\"."}"#,
            #"{"reason":"Expected 'q' text search parameter or other keywords."}"#, "{}", "", "<html>",
            #"{"reason":"Maximum number of search results have been displayed. Please refine your search."}"#,
        ])
    func retried(body: String) async throws {
        let clock = TickingClock()
        let transport = ScriptedTransport { request, before in
            before == 0
                ? FetchResponse(to: request, status: 400, body)
                : FetchResponse(to: request, #"{"collection":{"items":[{"data":[{"nasa_id":"A"}]}]}}"#)
        }
        let waits = Mutex<[Duration]>([])
        let source = NASASource(transport: transport, clock: clock) { wait in waits.withLock { $0.append(wait) } }
        let page = try await source.page(of: PhotoQuery("mars"), at: nil)
        #expect(page.photos.map(\.id) == ["A"])
        #expect(
            [waits.withLock(\.self), clock.sleeps] == [[.seconds(11)], [.seconds(11)]], "the observer is notified")
        #expect(Set(transport.addresses).count == 1)
    }

    @Test("A request is sent at most twice")
    func retriedOnce() async {
        let transport = ScriptedTransport(status: 400, "")
        let source = NASASource(transport: transport, clock: TickingClock())
        await #expect(throws: CatalogError.self) { try await source.page(of: PhotoQuery("mars"), at: nil) }
        #expect(transport.requests.count == 2)
    }

    @Test("A 400 about a sent value is reported immediately")
    func notRetried() async throws {
        let clock = TickingClock()
        let transport = ScriptedTransport(status: 400, #"{"reason":"Invalid value center=\"NOWHERE\"."}"#)
        let source = NASASource(transport: transport, clock: clock)
        let query = PhotoQuery("mars", filters: ["center": ["nowhere"]])
        let error = try await catalogError { try await source.page(of: query, at: nil) }
        #expect(error.kind == .invalidQuery && error.subject == .filter("center"))
        #expect(transport.requests.count == 1 && clock.sleeps.isEmpty)
    }

    @Test("Cancellation ends the wait")
    func cancelled() async {
        let transport = ScriptedTransport(status: 400, "")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await NASASource(transport: transport, clock: TickingClock()).page(of: PhotoQuery("x"), at: nil)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.count == 1)
    }
}

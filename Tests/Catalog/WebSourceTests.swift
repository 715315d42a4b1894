import SpyglassFetching
import SpyglassJSON
import SpyglassTestSupport
import Testing

@testable import SpyglassCatalog

/// A service with a key, whose pages are arrays of ids, in parts while one of them is `more`.
private struct ListService: PhotoService {
    var place = SourceKey.Place.parameter("api_key")
    var publicKey: String?

    var declaration: SourceDeclaration {
        var declaration = SourceDeclaration(name: "list", title: "List", summary: "ids", example: "a")
        declaration.endpoint = WebAddress("https://list.example/v1/")
        declaration.requestsPerMinute = 2
        var key = SourceKey(variable: "SPYGLASS_LIST_KEY", place: place, help: "https://list.example/keys")
        key.publicKey = publicKey
        key.publicKeyLimits = "PUBLIC allows 2 requests a minute"
        declaration.key = key
        return declaration
    }

    func request(for page: PageRequest) throws(CatalogError) -> ServiceRequest {
        ServiceRequest(path: "ids", parameters: [("q", page.query.text)], headers: [("X-Part", "1")])
    }

    func request(after answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> ServiceRequest? {
        guard answers.last?.json.elements.contains(.string("more")) == true else { return nil }
        return ServiceRequest(path: "ids", parameters: [("part", "\(answers.count + 1)")])
    }

    func page(of answers: [ServiceAnswer], for page: PageRequest) throws(CatalogError) -> PhotoPage {
        PhotoPage(photos: answers.flatMap(\.json.elements).compactMap(\.text).map { Photo(id: $0, source: "list") })
    }

    func failure(in answer: ServiceAnswer, for page: PageRequest) -> ServiceFailure? {
        guard let error = answer.json["error"] else { return nil }
        return ServiceFailure(
            reason: error.text, subject: error.text == "blame" ? .text : nil, isEndOfResults: error.text == "end")
    }
}

@Suite("WebSource", .timeLimit(.minutes(10)))
struct WebSourceTests {
    private func error(
        _ status: Int, _ body: String, headers: [(String, String)] = [], key: String? = "s3cret",
        publicKey: String? = nil
    ) async throws -> CatalogError {
        let transport = ScriptedTransport(status: status, body, headers: headers)
        let source = WebSource(ListService(publicKey: publicKey), transport: transport, key: key)
        return try await catalogError { try await source.page(of: PhotoQuery("a"), at: nil) }
    }

    // MARK: Requests

    @Test("The key is last in the query, or in its header field")
    func keys() async throws {
        for place in [SourceKey.Place.parameter("api_key"), .header("Ocp-Apim-Subscription-Key")] {
            let transport = ScriptedTransport("[]")
            let source = WebSource(ListService(place: place), transport: transport, key: "s3cret")
            _ = try await source.page(of: PhotoQuery("a b"), at: nil)
            let request = try #require(transport.requests.first)
            let found = [
                request.address.text, request.headers["Ocp-Apim-Subscription-Key"], request.keyParameter,
                request.headers["X-Part"],
            ]
            let base = "https://list.example/v1/ids?q=a%20b"
            let isParameter = place == .parameter("api_key")
            #expect(
                found == (isParameter ? ["\(base)&api_key=s3cret", nil, "api_key", "1"] : [base, "s3cret", nil, "1"]))
            #expect(!"\(request.address)".contains("s3cret"))
        }
    }

    @Test("The user's key takes the place of the public one", arguments: [(nil, "PUBLIC"), ("mine", "mine")])
    func publicKeys(key: String?, sent: String) async throws {
        let transport = ScriptedTransport("[]")
        let source = WebSource(ListService(publicKey: "PUBLIC"), transport: transport, key: key)
        _ = try await source.page(of: PhotoQuery(), at: nil)
        #expect(transport.addresses.first?.hasSuffix("&api_key=\(sent)") == true)
    }

    @Test("An endpoint takes the place of the base of the API")
    func endpoint() async throws {
        let transport = ScriptedTransport("[]")
        for text in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/?x=y"] {
            _ = try await WebSource(ListService(), transport: transport, endpoint: WebAddress(text)).page(
                of: PhotoQuery("a"), at: nil)
        }
        #expect(Set(transport.addresses) == ["http://127.0.0.1:8080/ids?q=a"])
    }

    @Test("A search that is too long is an error of the query")
    func tooLong() async throws {
        let source = WebSource(ListService(), transport: ScriptedTransport("[]"))
        let query = PhotoQuery(String(repeating: "é", count: 2_000))
        #expect(try await catalogError { try await source.page(of: query, at: nil) }.kind == .invalidQuery)
    }

    // MARK: Pages

    @Test("A page is joined from its parts, and each id comes once")
    func parts() async throws {
        let transport = ScriptedTransport { request, count in
            FetchResponse(to: request, [#"["a","more"]"#, #"["b","a","more"]"#, #"["c"]"#][count])
        }
        let source = WebSource(ListService(), transport: transport, clock: TickingClock())
        let page = try await source.page(of: PhotoQuery("x"), at: nil)
        #expect(page.photos.map(\.id) == ["a", "more", "b", "c"])
        #expect(transport.addresses.map { $0.suffix(6) } == ["ds?q=x", "part=2", "part=3"])
    }

    @Test("A page that never ends has ten parts")
    func endlessParts() async throws {
        let transport = ScriptedTransport(#"["a","more"]"#)
        _ = try await WebSource(ListService(), transport: transport, clock: TickingClock()).page(
            of: PhotoQuery("x"), at: nil)
        #expect(transport.count == 10)
    }

    @Test("Addresses of a service in a private network may lead into it", arguments: [true, false])
    func trust(isPrivate: Bool) async throws {
        let transport = StubTransport { request in
            FetchResponse(
                address: request.address, status: 200, body: Array(#"["a"]"#.utf8), isFromPrivateNetwork: isPrivate)
        }
        let photos = try await WebSource(ListService(), transport: transport).page(of: PhotoQuery(), at: nil).photos
        #expect(photos.map(\.trust) == [isPrivate ? .any : .publicAddresses])
    }

    // MARK: Limits

    @Test("Requests beyond the limit of a minute wait for it, and say so")
    func limit() async throws {
        let clock = TickingClock()
        let waits = CallRecorder<Duration>()
        let source = WebSource(ListService(), transport: ScriptedTransport("[]"), clock: clock) { waits.record($0) }
        for _ in 0..<5 { _ = try await source.page(of: PhotoQuery(), at: nil) }
        #expect([clock.sleeps, waits.values] == [[.seconds(60), .seconds(60)], [.seconds(60), .seconds(60)]])
    }

    @Test("Responses of a cache or an archive do not count", arguments: [FetchResponse.Origin.cache, .archive])
    func cached(origin: FetchResponse.Origin) async throws {
        let clock = TickingClock()
        let transport = StubTransport { request in
            FetchResponse(address: request.address, status: 200, body: Array("[]".utf8), origin: origin)
        }
        let source = WebSource(ListService(), transport: transport, clock: clock)
        for _ in 0..<5 { _ = try await source.page(of: PhotoQuery(), at: nil) }
        #expect(clock.sleeps.isEmpty)
    }

    @Test("A request that is cancelled while it waits frees its turn")
    func cancelledWait() async throws {
        let clock = ManualClock()
        let window = RequestWindow(limit: 1, clock: clock)
        _ = try await window.turn(onWait: nil)
        let waiting = Task { try await window.turn(onWait: nil) }
        await clock.waitForSleepers()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        clock.advance(by: .seconds(60))
        _ = try await window.turn(onWait: nil)
        #expect(clock.now.offset == .seconds(60))
    }

    // MARK: Errors

    @Test(
        "An unsuccessful response names the service's reason and what to do",
        arguments: [
            (200, #"{"error":"maxlag: 7 s"}"#, "search refused: maxlag: 7 s"),
            (400, #"{"error":"bad"}"#, "search refused (400): bad; change it or try again later"),
            (
                401, #"{"error":"Unauthorized"}"#,
                "request refused (401): Unauthorized; check the key in SPYGLASS_LIST_KEY"
            ),
            (403, "<html>", "request refused (403); check the key in SPYGLASS_LIST_KEY"),
            (
                403, "<!DOCTYPE html><html><head><TITLE>Access\n&amp; more</TITLE></head><body><h1>Denied",
                "request refused (403): Access & more; check the key in SPYGLASS_LIST_KEY"
            ),
            (403, #"{"message":"Forbidden"}"#, "request refused (403): Forbidden; check the key in SPYGLASS_LIST_KEY"),
            (404, "<h1>No\u{1b}[31m\u{9b}1m route</h1>", "nothing at /v1/ids (404): No [31m 1m route"),
            (429, "slow\ndown, s3cret", "too many requests (429): slow down, ******; try again later"),
            (500, "<style>p{}</style><p>Oops <b>now", "server error (500): Oops now; try again later"),
            (500, "\0\u{1}\u{2}", "server error (500); try again later"),
            (404, #"{"error":"Not\nFound"}"#, "nothing at /v1/ids (404): Not Found"),
            (429, #"{"error":"Limit Exceeded"}"#, "too many requests (429): Limit Exceeded; try again later"),
            (503, "", "server error (503); try again later"),
        ])
    func reasons(status: Int, body: String, message: String) async throws {
        #expect(try await error(status, body) == CatalogError(.unavailable, "list.example: \(message)"))
    }

    @Test("A reason that blames the query is an error of it")
    func blame() async throws {
        let error = try await error(400, #"{"error":"blame"}"#)
        #expect(error.kind == .invalidQuery && error.subject == .text)
    }

    @Test("Beyond the limits of the public key the message names them")
    func publicLimits() async throws {
        let error = try await error(429, #"{"error":"OVER_RATE_LIMIT"}"#, key: nil, publicKey: "PUBLIC")
        #expect(
            error.description
                == "list.example: too many requests (429): OVER_RATE_LIMIT; PUBLIC allows 2 requests a minute; set SPYGLASS_LIST_KEY"
        )
    }

    @Test("A reason is short", arguments: ["<title>", "", "<p>"])
    func longReason(start: String) async throws {
        let message = try await error(500, start + String(repeating: "word ", count: 20_000)).description
        #expect(message.hasPrefix("list.example: server error (500): word word ") && message.utf8.count < 400)
    }

    @Test("A key is shown nowhere, also where the service repeats it as a photo's id")
    func repeatedKey() async throws {
        let transport = ScriptedTransport(#"["a s3cret","s3crets","https://a.example/?k=n0t-t00-sh0rt-keyed"]"#)
        for (key, ids) in [
            ("s3cret", ["a ******", "s3crets", "https://a.example/?k=n0t-t00-sh0rt-keyed"]),
            ("n0t-t00-sh0rt-key", ["a s3cret", "s3crets", "https://a.example/?k=*****************ed"]),
            ("a", ["a s3cret", "s3crets", "https://a.example/?k=n0t-t00-sh0rt-keyed"]),
        ] {
            let page = try await WebSource(ListService(), transport: transport, key: key).page(
                of: PhotoQuery(), at: nil)
            #expect(page.photos.map(\.id) == ids)
        }
        #expect(transport.requests.map(\.secret) == ["s3cret", "n0t-t00-sh0rt-key", "a"])
    }

    @Test("A page beyond the results is empty")
    func end() async throws {
        let source = WebSource(ListService(), transport: ScriptedTransport(status: 404, #"{"error":"end"}"#))
        #expect(try await source.page(of: PhotoQuery(), at: nil) == PhotoPage(photos: []))
    }

    @Test(
        "A body without a page is an invalid response",
        arguments: [
            ("apod", PhotoQuery(), ["{}", "7", "\"a\"", "null"]), ("bing", PhotoQuery("a"), ["{}", #"{"value":{}}"#]),
            ("openverse", PhotoQuery("a"), ["{}", #"{"results":7}"#]),
            (
                "tumblr", PhotoQuery("blog"),
                [
                    "{}", "[]", "3", #"{"response":null}"#, #"{"response":{}}"#, #"{"response":{"posts":null}}"#,
                    #"{"response":{"posts":{}}}"#, #"{"response":"x"}"#,
                ]
            ),
            ("wikimedia", PhotoQuery("a"), ["{}", "[]", "7", "null"]),
        ])
    func noPage(name: String, query: PhotoQuery, bodies: [String]) async throws {
        for body in bodies + ["", "<html>", "[1", "OK"] {
            let source = try #require(SourceRegistry.source(name, over: ScriptedTransport(body), key: "k"))
            let error = try await catalogError { try await source.page(of: query, at: nil) }
            #expect(error.kind == .invalidResponse, "\(body)")
        }
    }

    @Test("A source by name has the key; there is none for an unknown name")
    func byName() async throws {
        let transport = ScriptedTransport("{}")
        let source = try #require(SourceRegistry.source("tumblr", over: transport, key: "s3cret"))
        _ = try? await source.page(of: PhotoQuery("blog"), at: nil)
        #expect(transport.requests.first?.address.text.hasSuffix("s3cret") == true)
        #expect(SourceRegistry.source("flickr", over: transport).map(\.name) == nil)
        #expect(SourceRegistry.names.contains("openverse"))
    }

    @Test(
        "A cursor of another source is refused",
        arguments: [
            ("nasa", ["", "page", "page 0", "page x", "2", "page 99999999999999999999"]),
            ("demo", ["", "2", "page 0", "page -1", "page x", "page 99999999999999999999"]),
            ("apod", ["", "page 2", "2024-1", "2024-13", "2024-01-01", "1995-05"]),
            ("bing", ["page 2", "offset -1", "offset 99999999", "offset ", "offset 1e3", ""]),
            ("openverse", ["7@9", "page 0", "page 99999999", ""]),
            ("tumblr", ["page 2", "https://evil/?offset=1", ""]),
            ("wikimedia", ["", "page 2", "[]", "{}", #"{"action":"x"}"#]),
        ])
    func foreignCursor(name: String, tokens: [String]) async throws {
        let source = try #require(SourceRegistry.source(name, over: ScriptedTransport("{}"), key: "k"))
        for token in tokens {
            await #expect(throws: CatalogError.foreignCursor(of: name)) {
                try await source.page(of: PhotoQuery(name == "tumblr" ? "blog" : ""), at: PageCursor(token: token))
            }
        }
    }

    @Test("The registry makes the source of every declaration")
    func registry() {
        #expect(SourceRegistry.all.map(\.name).prefix(2) == ["nasa", "demo"])
        for declaration in SourceRegistry.all {
            let source = SourceRegistry.factory(of: declaration)(ScriptedTransport(""))
            #expect(source.name == declaration.name && source.filters == declaration.filters)
            #expect(SourceRegistry.named(declaration.name) == declaration)
            #expect(!declaration.summary.isEmpty && !declaration.example.isEmpty)
            #expect(SourceRegistry.source(declaration.name, over: ScriptedTransport(""))?.name == declaration.name)
        }
    }
}

import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import SpyglassFetching

@Suite("CurlTransport: one response", .timeLimit(.minutes(10)))
struct CurlTransportTests {
    @Test("A response has its status, header fields and body; the path is sent unchanged, with dots")
    func wholeAnswer() async throws {
        let server = try LoopbackServer { _ in .init(200, headers: [("X-Word", " moon ")], text: "hello") }
        let response = try await CurlTransport().fetch(
            FetchRequest(server.address("/a b/../d/./e?c"), accept: "image/png"))
        #expect(
            response.status == 200 && response.headers["x-word"] == "moon" && response.text == "hello"
                && response.address == server.address("/a%20b/../d/./e?c"))
        let request = try #require(server.requests.first)
        #expect(
            request.target == "/a%20b/../d/./e?c"
                && request.headers["User-Agent"] == "Spyglass/\(SpyglassVersion.current)"
                && request.headers["Accept"] == "image/png")
        #expect(request.headers["Accept-Encoding"]?.contains("gzip") == true)
        #expect(server.counts.requests == 1)
    }

    @Test("More header fields are sent, each as one line")
    func moreHeaders() async throws {
        let server = try LoopbackServer { _ in .init(304) }
        let fields = [
            ("If-None-Match", "\"1\""), ("X-Empty", ""), ("X-Two", "a\r\nX-Three: b"), ("X Four: c\r\nX-Five", "d"),
        ]
        let headers = HeaderFields(fields.map { .init(name: $0.0, value: $0.1) })
        let request = FetchRequest(server.address("/"), headers: headers)
        #expect(try await CurlTransport().fetch(request).status == 304)
        let sent = try #require(server.requests.first).headers
        #expect(
            sent["If-None-Match"] == "\"1\"" && sent["X-Empty"] == "" && sent["X-Two"] == "a  X-Three: b"
                && sent["X-Three"] == nil && sent["X-Five"] == nil)
    }

    @Test("Setting a header field replaces its values, also the default Accept")
    func settingHeaders() async throws {
        var headers = HeaderFields([("A", "1"), ("b", "2"), ("a", "3"), ("C", "4")].map { .init(name: $0, value: $1) })
        headers["A"] = "5"
        headers["c"] = nil
        headers["D"] = "6"
        #expect(headers.fields.map { "\($0.name)\($0.value)" } == ["A5", "b2", "D6"])
        let server = try LoopbackServer { _ in .init() }
        headers["Accept"] = "image/*"
        _ = try await CurlTransport().fetch(FetchRequest(server.address("/"), headers: headers))
        #expect(try #require(server.requests.first).headers["Accept"] == "image/*")
    }

    @Test("Every status is a response", arguments: [204, 304, 400, 404, 429, 500, 503])
    func statuses(status: Int) async throws {
        let server = try LoopbackServer { _ in .init(status, headers: [("Retry-After", "7")]) }
        let response = try await CurlTransport().get(server.address("/"))
        #expect(response.status == status && response.headers["Retry-After"] == "7")
    }

    @Test("Interim responses are skipped")
    func interim() async throws {
        let server = try LoopbackServer { _ in
            let early = LoopbackServer.Reply.head(103, headers: [("Link", "</x>")])
            return .init(steps: [.send(early)] + LoopbackServer.Reply(text: "late").steps)
        }
        let response = try await CurlTransport().get(server.address("/"))
        #expect(response.status == 200 && response.headers["Link"] == nil)
    }

    @Test("A gzip body arrives decoded")
    func gzip() async throws {
        let words = Array("moon".utf8)
        let server = try LoopbackServer { _ in .init(headers: [("Content-Encoding", "gzip")], body: Gzip.stored(words))
        }
        let response = try await CurlTransport().get(server.address("/"))
        #expect(response.body == words)
    }

    // MARK: - Limits

    @Test("A body at the limit is accepted", arguments: [0, 1, 100_000])
    func atLimit(size: Int) async throws {
        let body = [UInt8](repeating: 7, count: size)
        let server = try LoopbackServer { $0.path == "/chunked" ? .chunked([body]) : .init(body: body) }
        let transport = CurlTransport()
        for path in ["/counted", "/chunked"] {
            #expect(try await transport.fetch(FetchRequest(server.address(path), bodyLimit: size)).body == body)
        }
    }

    static let tooLarge: [LoopbackServer.Reply] = [
        .init(body: [UInt8](repeating: 7, count: 1 << 20 + 1)), .chunked([[UInt8](repeating: 7, count: 1 << 20 + 1)]),
        .init(length: 1_048_577, then: .stall),
        .init(length: 123_456_789_012_345, then: .stall),
        .init(headers: [("Content-Encoding", "gzip")], body: Gzip.bomb(50_000_000)),
        .init(steps: [
            .send(Array("HTTP/1.0 200 OK\r\n\r\n".utf8)), .flood([UInt8](repeating: 1, count: 10_000)),
        ]),
    ]

    @Test("A body above the limit is an error, early if its length is announced", arguments: tooLarge.indices)
    func aboveLimit(index: Int) async throws {
        let server = try LoopbackServer { _ in Self.tooLarge[index] }
        let error = await failure {
            try await CurlTransport().fetch(FetchRequest(server.address("/"), bodyLimit: 1 << 20))
        }
        #expect(error == .bodyTooLarge(server.address("/"), limit: 1 << 20))
    }

    @Test("Header fields have a limit")
    func headerBomb() async throws {
        let fields = (0..<600).map { ("X-\($0)", String(repeating: "x", count: 90)) }
        let server = try LoopbackServer {
            $0.path == "/more" ? .init(headers: fields + fields) : .init(headers: fields)
        }
        let transport = CurlTransport()
        #expect(try await transport.get(server.address("/less")).headers.fields.count == 601)
        let error = await failure { try await transport.get(server.address("/more")) }
        #expect(error?.kind == .tooLarge)
    }

    @Test("A header line without an end exceeds the limit", arguments: ["HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 "])
    func endlessHeaderLine(start: String) async throws {
        let server = try LoopbackServer { _ in
            .init(steps: [.send(Array(start.utf8)), .flood([UInt8](repeating: 0x61, count: 4096))])
        }
        let error = await failure { try await CurlTransport().get(server.address("/")) }
        #expect(
            error?.kind == .tooLarge
                && error?.description.hasSuffix("the header exceeds the limit of 65536 bytes") == true)
    }

    // MARK: - Invalid responses

    @Test("A body that ends early is an error with libcurl's message", arguments: [true, false])
    func cutBody(orderly: Bool) async throws {
        let server = try LoopbackServer { _ in
            .init(length: 100, Array("only this".utf8), then: orderly ? .close : .reset)
        }
        let error = await failure { try await CurlTransport().get(server.address("/moon.jpg")) }
        #expect(error?.kind == .unreachable && error?.description.hasPrefix("\(server.address("/moon.jpg")): ") == true)
        if orderly {
            #expect(
                error?.description.contains("91 bytes remaining") == true && error?.partialResponse?.status == 200
                    && error?.partialResponse?.text == "only this")
        }
    }

    @Test(
        "A response that is not HTTP is an error",
        arguments: [
            "", "\0", "hello\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", "HTTP/1.1 zzz\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ])
    func noHTTP(text: String) async throws {
        let server = try LoopbackServer { _ in .init(steps: [.send(Array(text.utf8)), .close]) }
        let error = await failure { try await CurlTransport().get(server.address("/")) }
        #expect(error?.kind == .unreachable)
        #expect(error?.description.contains { $0.isNewline || $0 == "\0" } == false)
    }

    @Test("The error of a missing server names it, without secrets")
    func missingServer() async throws {
        // No program listens at port 1. The kernel may give the port of a stopped server to another test.
        let address = try WebAddress(validating: "http://127.0.0.1:1/?api_key=hush")
        let error = await failure { try await CurlTransport().get(address) }
        #expect(
            error?.kind == .unreachable && error?.description.contains("api_key=***") == true
                && error?.description.contains("hush") == false)
    }

    @Test("Without libcurl every fetch has a clear error")
    func noLibrary() async throws {
        var settings = CurlSettings(time: ElapsedClock(ContinuousClock()))
        settings.library = { CurlLibrary.open(["libspyglass-has-no-such.so.4", "libc.so.6"]) }
        let transport = CurlTransport(settings)
        let address = try WebAddress(validating: "http://127.0.0.1:1/")
        let error = await failure { try await transport.get(address) }
        #expect(
            error?.kind == .unavailable && error?.description.contains("install the package libcurl4") == true
                && error?.description.contains("libc.so.6 has no curl_") == true)
    }

    @Test("After a failed start the next fetch starts again")
    func beginsAgain() async throws {
        let server = try LoopbackServer { _ in .init(text: "there") }
        let attempts = Mutex(0)
        var settings = CurlSettings(time: ElapsedClock(ContinuousClock()))
        settings.library = {
            attempts.withLock { $0 += 1 }
            return attempts.withLock(\.self) == 1 ? CurlLibrary.open([]) : CurlLibrary.shared
        }
        let transport = CurlTransport(settings)
        let error = await failure { try await transport.get(server.address("/")) }
        #expect(error?.kind == .unavailable)
        #expect(try await transport.get(server.address("/")).status == 200)
        await transport.shutDown()
        await #expect(throws: CurlEngine.shutDownError) { try await transport.get(server.address("/")) }
    }

    @Test("The version of libcurl is available")
    func version() throws { #expect(try CurlTransport.libraryVersion().hasPrefix("libcurl/")) }
}

@Suite("HeaderParser", .timeLimit(.minutes(10)))
struct HeaderParserTests {
    private func parse(_ lines: [String]) -> (HeaderParser, fits: Bool) {
        var parser = HeaderParser()
        var fits = true
        for line in lines {
            fits = Array(line.utf8).withUnsafeBufferPointer { parser.read(line: $0) } && fits
        }
        return (parser, fits)
    }

    @Test("Fields are in order, without surrounding white space")
    func fields() {
        let parser = parse(["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "b:\t two \r\n", "a:3\r\n", "Empty:\r\n", "\r\n"]).0
        #expect(
            parser.status == 200 && parser.isFinal && parser.headers.fields.map(\.name) == ["A", "b", "a", "Empty"]
                && parser.headers.fields.map(\.value) == ["1", "two", "3", ""])
        #expect(parser.headers["A"] == "3" && parser.headers.values(of: "A") == ["1", "3"])
    }

    @Test("Interim responses and trailers are dropped")
    func blocks() {
        let parser = parse([
            "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n",
            "Late: 1\r\n",
        ]).0
        #expect(parser.status == 200 && parser.headers.fields.map(\.name) == ["A"])
        #expect(!parse(["HTTP/1.1 100 Continue\r\n", "\r\n"]).0.isFinal)
    }

    @Test("Codings are counted over all responses, since libcurl removes all of them")
    func codings() {
        let parser = parse([
            "HTTP/1.1 103 Early Hints\r\n", "content-encoding: gzip\r\n", "\r\n", "HTTP/1.1 200 OK\r\n",
            "Content-Encoding: identity,,gzip , br\r\n", "Transfer-Encoding: gzip, Chunked\r\n", "\r\n",
        ]).0
        #expect(parser.codingCount == 4)
        #expect(parse(["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "\r\n"]).0.codingCount == 0)
    }

    @Test("Folded lines belong to the field before them")
    func folded() {
        #expect(
            parse(["HTTP/1.1 200\r\n", " lost\r\n", "A: 1\r\n", "\t 2\r\n", " \r\n", "\r\n"]).0.headers["a"] == "1 2")
    }

    @Test(
        "A status line without a valid status has none",
        arguments: [
            "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 -20", "HTTP/1.1 099", "HTTP/1.1 999 ",
            "HTTP/1.1 2x0",
        ])
    func noStatus(line: String) { #expect(parse(["\(line)\r\n", "\r\n"]).0.status == nil) }

    @Test("Invalid lines are dropped, and control characters become spaces")
    func hostile() {
        let parser = parse([
            "HTTP/2 200\r\n", "no colon\r\n", ": no name\r\n", "a b: 1\r\n", "X: a\u{0}b\u{1b}[2Jc\r\n", "\r\n",
        ]).0
        #expect(parser.headers.fields.map(\.name) == ["X"] && parser.headers["X"] == "a b [2Jc")
    }

    @Test("The lines together have a limit")
    func limit() {
        let status = "HTTP/1.1 200 OK\r\n"
        let room = HeaderParser.byteLimit - status.utf8.count
        let field = "A: " + String(repeating: "x", count: room - 7) + "\r\n"
        #expect(
            parse([status, field, "\r\n"]).fits && !parse([status, field, "x\r\n"]).fits
                && !parse(Array(repeating: "HTTP/1.1 100 x\r\n\r\n", count: 4000) + [status]).fits)
    }

    @Test(
        "A length is one number",
        arguments: zip(
            [["12"], ["12", "12"], ["12", "13"], ["-1"], ["+1"], [""], ["1 2"], ["99999999999999999999"], []],
            [12, 12, nil, nil, nil, nil, nil, nil, nil] as [Int?]))
    func contentLength(values: [String], length: Int?) {
        #expect(HeaderFields(values.map { .init(name: "content-length", value: $0) }).contentLength == length)
    }
}

import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

@Suite("ArchiveTransport", .timeLimit(.minutes(10)))
struct ArchiveTransportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func archive(_ lines: String..., bodies: [String: String] = [:]) throws -> ArchiveTransport {
        try folder.write("index.jsonl", lines.map { "\($0)\n" }.joined())
        for (name, text) in bodies { try folder.write(name, text) }
        return ArchiveTransport(folder: folder.path)
    }

    private func fetch(
        _ transport: ArchiveTransport, _ text: String, bodyLimit: Int = 1000
    ) async throws -> FetchResponse {
        try await transport.fetch(FetchRequest(WebAddress(validating: text), bodyLimit: bodyLimit))
    }

    private func failure(_ transport: ArchiveTransport, _ text: String, bodyLimit: Int = 1000) async throws
        -> FetchError
    {
        try #require(await #expect(throws: FetchError.self) { try await fetch(transport, text, bodyLimit: bodyLimit) })
    }

    @Test("A recorded response is found under every spelling of its address")
    func replay() async throws {
        let transport = try archive(
            #"{"url":"https://a.example/s?q=moon&page=1","status":404,"headers":{"Content-Type":"text/plain"},"body":"b/x.txt"}"#,
            bodies: ["b/x.txt": "none"])
        for spelling in ["https://a.example/s?q=moon&page=1", "http://a.example/s?page=1&q=moon&api_key=hush"] {
            let response = try await fetch(transport, spelling)
            #expect(
                response.origin == .archive && response.status == 404
                    && response.headers["content-type"] == "text/plain" && response.text == "none")
        }
    }

    @Test("Recorded redirects are followed by the usual rules")
    func redirects() async throws {
        let transport = try archive(
            #"{"url":"http://a/1","status":301,"headers":{"Location":"/2"}}"#,
            #"{"url":"http://a/2","status":302,"headers":{"location":"https://b/3"}}"#,
            #"{"url":"https://b/3","status":200,"body":"end"}"#,
            #"{"url":"http://a/loop","status":302,"headers":{"location":"/loop"}}"#,
            #"{"url":"http://a/lost","status":302,"headers":{"location":"http://c/"}}"#, bodies: ["end": "!"])
        let response = try await fetch(transport, "http://a/1")
        #expect(response.text == "!" && response.redirects.map(\.address.description) == ["http://a/1", "http://a/2"])
        let loop = try await failure(transport, "http://a/loop")
        #expect(loop.kind == .disallowed && loop.exceededLimit == nil)
        #expect(try await failure(transport, "http://a/lost").kind == .notRecorded)
    }

    @Test("An unrecorded address is an error with the archive's hosts")
    func notRecorded() async throws {
        let transport = try archive(
            #"{"url":"https://images-api.nasa.gov/search?q=apollo","status":200}"#,
            #"{"url":"https://images-assets.nasa.gov/x.jpg","status":200}"#)
        let error = try await failure(transport, "https://images-api.nasa.gov/search?q=mars&api_key=hush")
        #expect(error.kind == .notRecorded)
        #expect(
            error.description
                == "the archive has nothing for https://images-api.nasa.gov/search?q=mars&api_key=***: "
                + "it holds 2 responses, of images-api.nasa.gov, images-assets.nasa.gov")
        let empty = try archive()
        #expect(
            try await failure(empty, "http://a/").description == "the archive has nothing for http://a/: it is empty")
    }

    @Test("The recorded searches can be listed, in order, each once")
    func searches() async throws {
        let transport = try archive(
            #"{"url":"https://a/search?q=moon&page=1","status":200}"#,
            #"{"url":"https://a/search?page=1&q=apollo%2011","status":200}"#,
            #"{"url":"https://a/search?q=moon&page=2","status":200}"#, #"{"url":"https://a/asset?q=no","status":200}"#,
            #"{"url":"https://b/search?q=no","status":200}"#, #"{"url":"https://a/search","status":200}"#)
        let endpoint = try WebAddress(validating: "http://a/search?q=mars")
        let searches = try await transport.recordedSearches { recorded in
            guard recorded.host == endpoint.host, recorded.path == endpoint.path else { return nil }
            return recorded.queryItems.first { $0.name == "q" }?.value
        }
        #expect(searches == ["moon", "apollo 11"])
    }

    @Test("The limit for a body holds from both sides")
    func bodyLimit() async throws {
        let transport = try archive(#"{"url":"http://a/","status":200,"body":"b"}"#, bodies: ["b": "12345"])
        #expect(try await fetch(transport, "http://a/", bodyLimit: 5).body.count == 5)
        #expect(try await failure(transport, "http://a/", bodyLimit: 4).kind == .tooLarge)
    }

    @Test("A missing folder, a missing index and a missing body are named")
    func missing() async throws {
        let nowhere = try await failure(ArchiveTransport(folder: folder.path("no")), "http://a/")
        #expect(
            nowhere.kind == .unavailable
                && nowhere.description.contains("cannot open the archive \(folder.path)/no: No such file"))
        #expect(
            try await failure(ArchiveTransport(folder: folder.path), "http://a/").description
                == "\(folder.path): not an archive: no index.jsonl")
        try folder.write("index.jsonl", #"{"url":"http://a/","status":200,"body":"gone.jpg"}"# + "\n")
        let gone = try await failure(ArchiveTransport(folder: folder.path), "http://a/")
        #expect(
            gone.kind == .unavailable && gone.description.contains("gone.jpg: No such file")
                && gone.description.hasSuffix("(\(folder.path)/index.jsonl, line 1)"))
    }

    @Test("A transport finds an archive that is created later")
    func later() async throws {
        let transport = ArchiveTransport(folder: folder.path)
        #expect(try await failure(transport, "http://a/").kind == .unavailable)
        try folder.write("index.jsonl", #"{"url":"http://a/","status":200}"# + "\n")
        #expect(try await fetch(transport, "http://a/").status == 200)
    }

    @Test(
        "A broken line is named by file and number",
        arguments: [
            "nonsense", "[]", "17", "{}", "{\"url\":5}", "{\"url\":null}", "{\"url\":\"ftp://a/\",\"status\":200}",
            "{\"url\":\"\u{0}\"",
            "{\"url\":\"http://a/\"", "\u{fffd}",
            String(repeating: "[", count: 100_000),
            #"{"url":"http://a/"# + String(repeating: "x", count: 2 << 20) + #"","status":200}"#,
        ])
    func brokenLine(line: String) async throws {
        let transport = try archive(#"{"url":"http://a/","status":200}"#, line)
        let error = try await failure(transport, "http://a/")
        #expect(
            error.kind == .unavailable && error.description.hasPrefix("\(folder.path)/index.jsonl, line 2: ")
                && error.description.utf8.count < 400)
    }

    @Test(
        "A line of wrong types is named when its address is requested",
        arguments: [
            #""status":"200""#, #""status":null"#, #""status":2e400"#, #""status":99999999999999999999"#,
            #""status":99"#, #""status":600"#,
            #""headers":{}"#, #""status":200,"headers":[]"#, #""status":200,"headers":{"a":1}"#,
            #""status":200,"body":7"#,
            #""status":200,"headers":{"a\nb":[]}"#,
        ])
    func wrongTypes(members: String) async throws {
        let transport = try archive(
            #"{"url":"http://a/good","status":200}"#, #"{"url":"http://a/bad",\#(members)}"#)
        #expect(try await fetch(transport, "http://a/good").status == 200)
        let error = try await failure(transport, "http://a/bad")
        #expect(
            error.kind == .unavailable && error.description.hasPrefix("\(folder.path)/index.jsonl, line 2: ")
                && !error.description.contains("\n"))
    }

    @Test(
        "A body outside the archive, or behind a link, is not read",
        arguments: [
            "/etc/passwd", "../outside", "b/../../outside", "./in", "b//in", "", ".", "b", "in/", "out", "b/out",
            "linked/in", "a\\u0000", "pipe",
        ])
    func outside(body: String) async throws {
        let around = try TemporaryFolder()
        try around.write("outside", "secret")
        try around.write("archive/b/in", "x")
        try around.write("archive/in", "x")
        try around.link("archive/out", to: "../outside")
        try around.link("archive/b/out", to: around.path("outside"))
        try around.link("archive/linked", to: "b")
        try around.pipe("archive/pipe")
        try around.write("archive/index.jsonl", #"{"url":"http://a/","status":200,"body":"\#(body)"}"# + "\n")
        let error = try await failure(ArchiveTransport(folder: around.path("archive")), "http://a/")
        #expect(error.kind == .unavailable && error.description.contains("index.jsonl, line 1"))
    }

    @Test("Header values of a hand-made index cannot hold control characters")
    func headerControls() async throws {
        let transport = try archive(#"{"url":"http://a/","status":200,"headers":{"etag":"a\u001b[2J\nb"}}"#)
        #expect(try await fetch(transport, "http://a/").headers["etag"] == "a [2J b")
    }

    @Test("Twenty thousand lines are read, and the last one wins")
    func manyLines() async throws {
        let lines = (0..<20_000).map { #"{"url":"http://a/\#($0 % 19_999)","status":\#($0 < 19_999 ? 200 : 404)}"# }
        try folder.write("index.jsonl", lines.joined(separator: "\n"))
        let transport = ArchiveTransport(folder: folder.path)
        #expect(try await fetch(transport, "http://a/19998").status == 200)
        #expect(try await fetch(transport, "http://a/0").status == 404)
    }

    @Test("More addresses than the limit are an error that names it")
    func tooManyAddresses() throws {
        let lines = (0...3).map { #"{"url":"http://a/\#($0)","status":200}"# + "\n" }
        let bytes = Array(lines.joined().utf8)
        #expect(try ArchiveIndex(bytes, name: "index", addressLimit: 4).count == 4)
        let error = #expect(throws: FetchError.self) { try ArchiveIndex(bytes, name: "index", addressLimit: 3) }
        #expect(error?.description == "index has responses for more URLs than the limit of 3")
    }
}

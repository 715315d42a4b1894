import SpyglassTestSupport
import Testing

@testable import SpyglassFetching

@Suite("RecordingTransport", .timeLimit(.minutes(10)))
struct RecordingTransportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func stub(_ response: FetchResponse) -> StubTransport {
        StubTransport { request in
            var copy = response
            copy.address = request.address
            return copy
        }
    }

    private func answer(
        _ body: String = "", status: Int = 200, _ headers: [(String, String)] = []
    ) throws -> FetchResponse {
        FetchResponse(
            address: try WebAddress(validating: "http://a/"), status: status,
            headers: HeaderFields(headers.map { .init(name: $0.0, value: $0.1) }), body: Array(body.utf8))
    }

    private func record(
        _ text: String, _ response: FetchResponse, in other: TemporaryFolder? = nil
    ) async throws {
        let transport = RecordingTransport(stub(response), folder: (other ?? folder).path)
        try await transport.get(WebAddress(validating: text))
    }

    @Test("A recording replays byte for byte")
    func roundTrip() async throws {
        let picture: [UInt8] = [0xff, 0xd8, 0xff] + (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let server = try LoopbackServer { request in
            switch request.path {
            case "/search":
                .init(
                    headers: [("Content-Type", "application/json"), ("Set-Cookie", "hush=1")],
                    text: "{\"q\":\"\(request.target)\"}")
            case "/packed": .init(headers: [("Content-Encoding", "gzip")], body: Gzip.stored(Array("unpacked".utf8)))
            case "/away": .redirect(to: "/image/As%2011/As%2011~thumb.jpg")
            case "/none": .init(404, text: "{}")
            case "/empty": .init(204)
            default: .init(headers: [("ETag", "\"1\"")], body: picture)
            }
        }
        let targets = [
            "/search?q=moon&page=1", "/search?q=moon&page=2", "/packed", "/away", "/none", "/empty",
            "/image/As 11/As 11~thumb.jpg",
        ]
        let recording = RecordingTransport(CurlTransport(), folder: folder.path)
        let replay = ArchiveTransport(folder: folder.path)
        var fetched: [FetchResponse] = []
        for target in targets { fetched.append(try await recording.fetch(FetchRequest(server.address(target)))) }
        server.stop()
        for (target, response) in zip(targets, fetched) {
            let replayed = try await replay.fetch(FetchRequest(server.address(target)))
            #expect(
                replayed.body == response.body && replayed.status == response.status
                    && replayed.address == response.address)
            #expect(
                replayed.redirects.map(\.address) == response.redirects.map(\.address)
                    && replayed.headers["ETag"] == response.headers["ETag"])
        }
        let host = "bodies/127.0.0.1_\(server.port)"
        #expect(
            folder.files == [
                "\(host)/As_11~thumb.jpg", "\(host)/none.json", "\(host)/packed.bin",
                "\(host)/search-q-moon-page-1.json",
                "\(host)/search-q-moon-page-2.json", "index.jsonl",
            ])
        #expect(try folder.read("\(host)/As_11~thumb.jpg") == picture)
    }

    @Test("The index has a line a hop, with hashes of secrets and without framing")
    func index() async throws {
        var response = try answer(
            "x",
            [
                ("Content-Type", "text/plain"), ("Set-Cookie", "hush"), ("Authorization", "hush"),
                ("X-Api-Key", "hush"), ("Content-Length", "1"), ("Content-Encoding", "br"), ("Via", "1"), ("via", "2"),
            ])
        response.redirects = [
            .init(
                address: try WebAddress(validating: "http://a/from?token=hush"), status: 302,
                headers: HeaderFields([.init(name: "Location", value: "to?api_key=hush&q=1")]))
        ]
        try await record("http://a/to?api_key=hush&q=1", response)
        #expect(
            try folder.text("index.jsonl") == """
                {"url":"http://a/from?token=\(Self.hash)","status":302,"headers":{"location":"http://a/to?api_key=\(Self.hash)&q=1"}}
                {"url":"http://a/to?api_key=\(Self.hash)&q=1","status":200,"headers":{"content-type":"text/plain","via":"1, 2"},"body":"bodies/a/to-q-1.txt"}

                """)
        let replay = ArchiveTransport(folder: folder.path)
        #expect(try await replay.get(WebAddress(validating: "http://a/from?token=hush")).text == "x")
        await #expect(throws: FetchError.self) {
            try await replay.get(WebAddress(validating: "http://a/from?token=other"))
        }
    }

    /// Made by `printf hush | sha256sum`.
    private static let hash = "sha256-dc8331bcb2283e89"

    @Test("Addresses that differ in a token alone keep their own responses")
    func tokens() async throws {
        let names = ["red", "blue", "green"]
        for name in names { try await record("http://a/x.png?key=\(name)", answer(name)) }
        let replay = ArchiveTransport(folder: folder.path)
        for name in names {
            #expect(try await replay.get(WebAddress(validating: "http://a/x.png?key=\(name)")).text == name)
        }
    }

    @Test("What one key of a service got is replayed for every other one")
    func keysOfServices() async throws {
        for (number, key) in ["mine", "yours"].enumerated() {
            let address = try WebAddress(validating: "http://a/?q=moon&api_key=\(key)")
            var request = FetchRequest(address)
            request.keyParameter = "api_key"
            if number == 0 {
                _ = try await RecordingTransport(stub(answer("moon")), folder: folder.path).fetch(request)
            }
            #expect(try await ArchiveTransport(folder: folder.path).fetch(request).text == "moon")
        }
    }

    @Test("A response to an address with a password or a code is passed on unsaved")
    func hiddenSecrets() async throws {
        try await record("http://a/?code=hush", answer("moon"))
        #expect(try folder.text("index.jsonl").isEmpty)
        try await record("http://a/x", answer("moon", [("Link", "</y?code=hush>; rel=next")]))
        #expect(try folder.text("index.jsonl").contains("<>; rel=next"))
        let fields = [
            ("Refresh", "0; url=/y?token=hush"), ("X-Next", "http://b/?q=1#a&sig=hush"), ("X-Last", "http://b/?q=1"),
        ]
        try await record("http://a/z", answer("moon", fields))
        let index = try folder.text("index.jsonl")
        #expect(!index.contains("hush") && !index.contains("refresh") && index.contains("http://b/?q=1"))
    }

    @Test("In the robots tag, rules for all robots stay for all, whatever fields came before")
    func robots() throws {
        let fields = ["googlebot: nofollow", "token=1, noai", "otherbot: none"].map {
            HeaderFields.Field(name: "X-Robots-Tag", value: $0)
        }
        let address = try WebAddress(validating: "http://a/")
        let kept = RecordedHeaders.kept(of: HeaderFields(fields), at: address)
        #expect(kept.map(\.value) == ["googlebot: nofollow, *:, token=1, noai, *:, otherbot: none"])
    }

    @Test("The addresses of links are saved without their secrets")
    func links() async throws {
        let link = #"</next?page=2&api_key=hush>; rel="next", <http://b/?token=hush>; rel=last; title="<""#
        try await record("http://a/to", try answer("", [("Link", link)]))
        let replay = ArchiveTransport(folder: folder.path)
        let response = try await replay.get(WebAddress(validating: "http://a/to"))
        #expect(
            response.headers["link"]?.hasPrefix(
                #"<http://a/next?page=2>; rel="next", <http://b/>; rel=last; title="<"#) == true)
    }

    @Test(
        "Names of bodies are safe and have the extension of the type",
        arguments: [
            ("http://a/", "", "index.bin"), ("http://a/..%2F..%2Fetc%2Fpasswd", "", "_.._.._etc_passwd.bin"),
            ("http://a/%2e%2e/x", "", "_..-x.bin"),
            ("http://a/.hidden", "", "_.hidden.bin"), ("http://a/x.jpeg", "\u{ff}", "x.jpeg"),
            ("http://a/caf%C3%A9%0A.png", "", "caf___.png"),
            ("http://a/asset/As11", "{", "asset-As11.json"),
            ("http://a/i/As11/collection.json", "[", "As11-collection.json"),
            ("http://a/x~large.jpg?w=1920", "", "x~large-w-1920.jpg"), ("http://a/s?q=a/b", "<", "s-q-a_b.bin"),
            ("http://a/x.thumbnail", "", "x.thumbnail.bin"),
            ("http://a/-rf", "", "_-rf.bin"),
        ])
    func names(address: String, start: String, name: String) throws {
        let body = start == "\u{ff}" ? [0xff, 0xd8, 0xff, 0xe0] : Array(start.utf8)
        let names = BodyName(try WebAddress(validating: address), contentType: nil, body: body)
        #expect(names.candidates.first == "bodies/a/\(name)")
    }

    @Test("Long names are cut and still differ")
    func longNames() throws {
        let long = String(repeating: "x", count: 300)
        let names = try ["1", "2"].map { end in
            BodyName(try WebAddress(validating: "http://a/\(long)\(end).jpg"), contentType: nil, body: []).candidates
        }
        #expect(names[0][0] != names[1][0])
        #expect(names.joined().allSatisfy { $0.utf8.count < 200 })
    }

    @Test("Equal bytes are saved once; other bytes get another name")
    func collisions() async throws {
        try await record("http://a/one/x.txt", try answer("1"))
        try await record("http://a/one/x.txt", try answer("1"))
        #expect(folder.files == ["bodies/a/one-x.txt", "index.jsonl"])
        try await record("http://a/one/x.txt", try answer("2"))
        try await record("http://a/one-x.txt", try answer("3"))
        #expect(folder.files.count == 4)
        let replay = ArchiveTransport(folder: folder.path)
        for (text, body) in [("http://a/one/x.txt", "2"), ("http://a/one-x.txt", "3")] {
            #expect(try await replay.get(WebAddress(validating: text)).body == Array(body.utf8))
        }
    }

    @Test("Concurrent fetches are recorded whole, each on its line")
    func concurrent() async throws {
        let server = try LoopbackServer { .init(text: String(repeating: $0.path, count: 100)) }
        let recording = RecordingTransport(CurlTransport(), folder: folder.path)
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask { try await recording.get(server.address("/\(number)")) }
            }
            try await group.waitForAll()
        }
        #expect(try folder.text("index.jsonl").split(separator: "\n").count == 100)
        let replay = ArchiveTransport(folder: folder.path)
        for number in 0..<100 {
            let body = try await replay.get(server.address("/\(number)")).body
            #expect(body == Array(String(repeating: "/\(number)", count: 100).utf8))
        }
    }

    @Test("A folder with other files is left unchanged")
    func otherFolder() async throws {
        try folder.write("letter.txt", "dear")
        let error = await failure { try await record("http://a/", try answer("x")) }
        #expect(error?.kind == .unavailable && error?.description.contains("is neither empty nor an archive") == true)
        #expect(folder.files == ["letter.txt"])
    }

    @Test("An unusable folder fails before any request")
    func noFolder() async throws {
        let server = try LoopbackServer { _ in .init() }
        try folder.write("file", "x")
        for path in [folder.path("file"), folder.path("no/such/folder")] {
            let recording = RecordingTransport(CurlTransport(), folder: path)
            let error = await failure { try await recording.get(server.address("/")) }
            #expect(error?.kind == .unavailable && error?.isRecordingFailure == true)
        }
        #expect(server.counts.requests == 0)
    }

    @Test("An index or a bodies folder that is a link is not written through", arguments: [true, false])
    func links(isIndex: Bool) async throws {
        try folder.write("outside/keep", "")
        if !isIndex { try folder.write("archive/index.jsonl", "") }
        try folder.link("archive/\(isIndex ? "index.jsonl" : "bodies")", to: isIndex ? "../outside/keep" : "../outside")
        let recording = RecordingTransport(stub(try answer("x")), folder: folder.path("archive"))
        let address = try WebAddress(validating: "http://a/")
        await #expect(throws: FetchError.self) { try await recording.get(address) }
        #expect(try folder.read("outside/keep").isEmpty && folder.files.filter { $0.hasPrefix("outside") }.count == 1)
    }

    @Test("A recording killed anywhere leaves an archive that can be continued")
    func killed() async throws {
        let whole = try TemporaryFolder()
        try await record("http://a/1", try answer("one"), in: whole)
        let first = try whole.read("index.jsonl").count
        try await record("http://a/2", try answer("two"), in: whole)
        let index = try whole.read("index.jsonl")
        let addresses = try ["http://a/1", "http://a/2", "http://a/3"].map { try WebAddress(validating: $0) }
        for length in first...index.count {
            // Killed between body and index, or within the line.
            let folder = try TemporaryFolder()
            for name in whole.files { try folder.write(name, try whole.read(name)) }
            try folder.write("bodies/.part", "half a bo")
            try folder.write("index.jsonl", Array(index[..<length]))
            let replay = ArchiveTransport(folder: folder.path)
            #expect(try await replay.fetch(FetchRequest(addresses[0])).text == "one")

            try await record("http://a/3", try answer("three"), in: folder)
            let mended = ArchiveTransport(folder: folder.path)
            for (address, text) in [(addresses[0], "one"), (addresses[2], "three")] {
                #expect(try await mended.get(address).body == Array(text.utf8))
            }
            let lines = try folder.text("index.jsonl").split(separator: "\n").count
            #expect(lines == (length >= index.count - 1 ? 3 : 2), "a whole line stays, half a line goes")
        }
    }

    @Test("A second concurrent recording into a folder is rejected")
    func locked() async throws {
        let address = try WebAddress(validating: "http://a/")
        let first = RecordingTransport(stub(try answer("1")), folder: folder.path)
        try await first.get(address)
        let second = RecordingTransport(stub(try answer("2")), folder: folder.path)
        let error = await failure { try await second.get(address) }
        #expect(error?.description.contains("is being recorded by another process") == true)
        try await first.get(address)
    }
}

import Glibc
import SpyglassCatalog
import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("--source", .timeLimit(.minutes(10)))
struct SourceTests {
    private static let answer = """
        {"result_count":2,"page_count":1,"results":[{"id":"a","title":"Tower","creator":"Ann","license":"by","license_version":"4.0",\
        "license_url":"https://cc.example/by/","url":"https://files.example/a.png","thumbnail":"https://api.openverse.org/v1/a/thumb/"},\
        {"id":"b","license":"cc0","url":"https://files.example/b.png"}]}
        """

    private func fake(_ status: Int = 200, _ body: String = answer) -> (FakeSystem, ScriptedTransport) {
        var fake = FakeSystem()
        let transport = ScriptedTransport(status: status, body)
        fake.transport = transport
        return (fake, transport)
    }

    // MARK: Filters

    @Test(
        "A filter is among the words, or of --filter",
        arguments: [
            ["tower", "license:by,cc0", "creator:\"Ann Lee\""],
            ["--filter", "license:by", "tower", "--filter", "license:cc0", "--filter", "creator:Ann Lee"],
            ["tower", "LICENSE:by", "--filter", "License:CC0", "--filter", "creator:x", "--filter", "creator:Ann Lee"],
        ])
    func filters(words: [String]) async {
        let (fake, transport) = fake()
        let outcome = await fake.run(["list", "--source", "openverse", "--json"] + words)
        #expect(outcome.errors == "spyglass: 2\n" || outcome.errors == "", "\(outcome.errors)")
        #expect(
            transport.addresses == [
                "https://api.openverse.org/v1/images/?q=tower&license=by%2Ccc0&creator=Ann%20Lee&page=1&page_size=20"
            ])
    }

    @Test(
        "A filter that the source lacks, or a wrong value, is an error before any request",
        arguments: [
            (
                ["--filter", "center:JSC"],
                "--center: the source openverse has no such filter; it has license, creator,"
            ),
            (
                ["--filter", "colour:red"],
                "--filter colour: the source openverse has no such filter; it has license, creator,"
            ),
            (["--center", "JSC"], "--center: the source openverse has no such filter; it has license, creator,"),
            (["center:JSC"], "openverse: "), (["licence:by"], "openverse: "), (["aspect:round"], "openverse: "),
            (["--filter", "aspect:round"], "--filter aspect round: expected one or several of tall, wide, square"),
            (["--filter", "size:big"], "--filter size: the source openverse has no such filter; it has license,"),
            (["--filter", "aspect"], "--filter: expected NAME:VALUE"),
            (["--filter", ":wide"], "--filter :wide: expected NAME:VALUE"),
        ])
    func wrongFilters(words: [String], message: String) async {
        let (fake, transport) = fake()
        let outcome = await fake.run(["list", "--source", "openverse"] + words)
        #expect(outcome.code == .usage && transport.count == 0)
        #expect(outcome.errors.hasPrefix("spyglass: \(message)"), "\(outcome.errors)")
    }

    @Test("A filter of another source among the words is an error that names those of the source")
    func foreignFilter() async {
        var (fake, transport) = fake()
        fake.environment["SPYGLASS_TUMBLR_KEY"] = "s3cret"
        let outcome = await fake.run("list", "--source", "tumblr", "blog", "license:by")
        #expect(outcome == .failed("tumblr: Unknown filter 'license:'. Filters: tag", .usage) && transport.count == 0)
    }

    @Test("An unknown filter among the words exits 2 before a request; in quotation marks it is words")
    func strangeFilter() async {
        let (fake, transport) = fake(200, #"{"result_count":0,"results":[]}"#)
        let refused = await fake.run("list", "--source", "openverse", "tower", "foo:bar")
        #expect(refused.code == .usage && transport.count == 0)
        #expect(refused.errors.hasPrefix("spyglass: openverse: Unknown filter 'foo:'. Filters: license, creator,"))
        #expect(await fake.run("list", "--source", "openverse", "tower", "\"foo:bar\"").code == .success)
        #expect(transport.addresses.first?.contains("foo%3Abar") == true)
    }

    @Test("NASA gets words that only look like a filter as they are")
    func nasaWords() async {
        let (fake, transport) = fake(200, #"{"collection":{"items":[]}}"#)
        _ = await fake.run("list", "Apollo  11: the  landing 12:30")
        #expect(transport.addresses.first?.contains("?q=Apollo%20%2011%3A%20the%20%20landing%2012%3A30&") == true)
    }

    // MARK: Answers

    @Test("list shows the licence of each photo, and list --json also the credit")
    func licenses() async {
        let lines = await fake().0.run("list", "--source", "openverse", "--json", "tower").lines
        #expect(lines.count == 3 && lines[0].contains(#""id":"a","title":"Tower","photographer":"Ann""#))
        let rights =
            #""credit":"\"Tower\" by Ann, CC BY 4.0","license":"CC BY 4.0","license_url":"https://cc.example/by/""#
        #expect(lines[0].contains(#"\#(rights),"source":"openverse"}"#))
        #expect(lines[1].contains(#""license":"CC0","license_url":null"#))
        let output = await fake().0.run("list", "--source", "openverse", "tower").output
        #expect(output.contains("Tower\nAnn\nCC BY 4.0\n") && output.contains("b\nCC0\n"), "\(output)")
    }

    @Test("The delays before retries are explained, also in a file, unless --quiet")
    func waits() async {
        for (fields, notes) in [
            ([("Retry-After", "6")], ["server requested a delay; retrying in 6 s"]),
            ([], ["temporary error; retry 1 of 2", "temporary error; retry 2 of 2"]),
        ] {
            for quiet in [[], ["--quiet"]] {
                var (fake, _) = fake()
                fake.environment["SPYGLASS_RETRIES"] = "2"
                fake.clock = TickingClock()
                fake.transport = ScriptedTransport { request, count in
                    count < notes.count
                        ? FetchResponse(
                            address: request.address, status: 503,
                            headers: HeaderFields(fields.map { .init(name: $0.0, value: $0.1) }))
                        : FetchResponse(request, text: Self.answer)
                }
                let outcome = await fake.run(["list", "--source", "openverse", "--json", "tower"] + quiet)
                let lines = quiet.isEmpty ? notes.map { "spyglass: api.openverse.org: \($0)\n" }.joined() : ""
                #expect(outcome.code == .success && outcome.errors == lines)
            }
        }
    }

    @Test("A thumbnail that fails is replaced by the image")
    func spareThumbnail() async {
        var (fake, _) = fake()
        fake.transport = StubTransport { request in
            switch request.address.host {
            case "files.example": FetchResponse(request, body: TinyPNG.solid(255, 0, 0, width: 24, height: 16))
            default:
                request.address.path.hasSuffix("/images/")
                    ? FetchResponse(request, text: Self.answer)
                    : FetchResponse(address: request.address, status: 424)
            }
        }
        let outcome = await fake.run("list", "--source", "openverse", "--color", "truecolor", "tower")
        #expect(outcome.code == .success, "\(outcome.errors)")
    }

    @Test(
        "An error of a service is one line with its reason",
        arguments: [
            (404, #"{"detail":"Not found."}"#, ExitCode.unavailable, "nothing at /v1/images/ (404): Not found."),
            (403, #"{"detail":"Forbidden"}"#, .unavailable, "request refused (403): Forbidden; try again later"),
            (
                400, #"{"license":["by-x is wrong"]}"#, .unavailable,
                "search refused (400): license: by-x is wrong; change it or try again later"
            ),
            (
                400, #"{"q":["too many words"]}"#, .usage,
                "search refused (400): q: too many words; check the search words"
            ),
            (
                500, "<title>Oops</title><h1>Sorry", .unavailable, "server error (500): Oops; try again later"
            ),
            (429, "Slow down.\nPlease.", .unavailable, "too many requests (429): Slow down. Please.; try again later"),
            (
                200, "<html>", .unavailable,
                "invalid response: a web page instead of JSON; is a proxy or a login page in between?"
            ),
            (200, #"{"results":7}"#, .unavailable, "invalid response: no list of results"),
        ])
    func errors(status: Int, body: String, code: ExitCode, message: String) async {
        let outcome = await fake(status, body).0.run("list", "--source", "openverse", "tower")
        #expect(outcome == .failed("api.openverse.org: \(message)", code))
    }

    @Test("A report of resize has credit and licence")
    func report() async throws {
        let folder = try TemporaryFolder()
        var (fake, _) = fake()
        fake.transport = StubTransport { request in
            request.address.path.hasSuffix("/images/")
                ? FetchResponse(request, text: Self.answer) : FetchResponse(request, body: TinyPNG.solid(1, 2, 3))
        }
        let outcome = await fake.run(
            "resize", "--source", "openverse", "--search", "tower license:by", "--out", folder.path("out"), "--report",
            "-")
        let rights =
            #""credit":"\"Tower\" by Ann, CC BY 4.0","license":"CC BY 4.0","license_url":"https://cc.example/by/""#
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.hasLine(with: [#"{"id":"a""#, #",\#(rights),"hash":"#]), "\(outcome.output)")
    }

    // MARK: Keys

    @Test("A service that has ended needs an endpoint or an archive")
    func retired() async throws {
        let (fake, transport) = fake()
        let outcome = await fake.run("list", "--source", "bing", "moon")
        let ended = "Bing Image Search ended on 11 August 2025; try --source openverse"
        #expect(outcome == .failed(ended, .usage) && transport.count == 0)
    }

    @Test("A key comes from the environment, else from a private file, and is printed nowhere")
    func keys() async throws {
        let folder = try TemporaryFolder()
        var (fake, transport) = fake(401, #"{"errors":[{"code":"InvalidAuthorization","message":"s3cret is wrong"}]}"#)
        let words = ["list", "--source", "bing", "--endpoint", "http://127.0.0.1:9/", "moon", "--verbose"]
        func sentKey() -> String? { transport.requests.last?.headers["Ocp-Apim-Subscription-Key"] }
        fake.environment["XDG_CONFIG_HOME"] = folder.path
        try folder.write("spyglass/bing.key", Array("fr0mfile\n".utf8))
        try #require(chmod(folder.path("spyglass/bing.key"), 0o644) == 0)
        let open = await fake.run(words)
        #expect(open.code == .usage && open.errors.contains("bing.key: others may read it; run chmod 600 on it"))
        #expect(transport.count == 0)
        #expect(chmod(folder.path("spyglass/bing.key"), 0o600) == 0)
        let earlier = await fake.run(words).errors
        #expect(sentKey() == "fr0mfile")
        fake.environment["SPYGLASS_BING_KEY"] = "s3cret"
        let outcome = await fake.run(words)
        let errors = outcome.errors.dropFirst(earlier.count)
        #expect(sentKey() == "s3cret" && outcome.code == .unavailable && errors.contains("****** is wrong"))
        #expect(!errors.contains("s3cret") && !outcome.errors.contains("fr0mfile"))
        fake.environment["SPYGLASS_BING_KEY"] = "two words"
        #expect(await fake.run(words).errors.contains("SPYGLASS_BING_KEY: not a key"))
        let doctor = await fake.run("doctor", "--source", "bing")
        #expect(doctor.output.contains("bing key") && !doctor.output.contains("two words"))
    }

    @Test(
        "A key that is needed and missing is named in one line, with a sample",
        .enabled(if: SourceRegistry.named("tumblr") != nil))
    func missingKey() async {
        let (fake, transport) = fake()
        let outcome = await fake.run("list", "--source", "tumblr", "blog")
        #expect(outcome.code == .usage && transport.count == 0 && outcome.errors.split(separator: "\n").count == 1)
        #expect(outcome.errors.hasPrefix("spyglass: Tumblr needs a key: set SPYGLASS_TUMBLR_KEY"))
        #expect(outcome.errors.hasSuffix("spyglass --source tumblr --archive Samples/archives/tumblr\n"))
    }

    // MARK: Texts

    @Test("Help and the man page name every source, its filters and its key", arguments: SourceDeclaration.all)
    func texts(source: SourceDeclaration) {
        let help = HelpPage.overview().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let manual = ManualPage.text().replacing("\\-", with: "-")
        let name = "--source \(source.name)"
        #expect(help.contains("\(name) \(source.operands)") && manual.contains(name))
        if let key = source.key { #expect(help.contains(key.variable) && manual.contains(key.variable)) }
        for filter in source.filters where OptionTable.named(filter.name) == nil {
            #expect(help.contains(filter.name) && manual.contains("\\fB\(filter.name):"))
        }
    }

    @Test(
        "The sample archive of each source has photos without a key and a network",
        arguments: SourceRegistry.all.map(\.name).filter { TestData.exists("\(TestData.root)/Samples/archives/\($0)") })
    func samples(name: String) async throws {
        let words = ["tumblr": ["blog"], "apod": []][name] ?? ["lighthouse"]
        let archive = "\(TestData.root)/Samples/archives/\(name)"
        let outcome = await FakeSystem().run(["list", "--source", name, "--archive", archive, "--json"] + words)
        let areListed = outcome.lines.dropLast().allSatisfy { $0.hasSuffix(#""source":"\#(name)"}"#) }
        #expect(outcome.code == .success && outcome.lines.count > 2 && areListed, "\(outcome.errors)")
        let other = await FakeSystem().run(["list", "--archive", archive, "lighthouse"])
        #expect(words != ["lighthouse"] || other.errors.hasSuffix("(try --source \(name))\n"), "\(other.errors)")
    }
}

@Suite("PublicOnlyTransport", .timeLimit(.minutes(10)))
struct PublicOnlyTransportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func trusts(_ words: [String]) async throws -> [NetworkReach] {
        try folder.write("manifest", Array(#"{"src":"http://10.0.0.1/x.png","id":"x"}"#.utf8))
        let transport = ScriptedTransport { request, _ in
            FetchResponse(request, body: TinyPNG.solid(1, 2, 3, width: 24, height: 16))
        }
        var fake = FakeSystem()
        fake.transport = transport
        _ = await fake.run(words)
        return transport.requests.map(\.trust)
    }

    @Test("A manifest and the command line may name private networks, except with --public-only")
    func privateNetworks() async throws {
        let manifest = ["resize", "--manifest", folder.path("manifest"), "--force", "--out", folder.path("out")]
        for words in [manifest, ["show", "http://10.0.0.1/x.png"]] {
            #expect(try await trusts(words + ["--no-cache"]) == [.any])
            #expect(try await trusts(words + ["--no-cache", "--public-only"]) == [.publicAddresses])
        }
    }
}

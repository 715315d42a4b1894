import Glibc
import SpyglassFetching
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

/// The disk cache of `list` and `show`.
@Suite("Disk cache: use by commands", .timeLimit(.minutes(10)))
struct DiskCacheUseTests {
    /// A server with responses that are fresh for five minutes, like NASA's; counts requests, and can go offline.
    private final class Server: Sendable {
        private let state = Mutex((requests: 0, conditional: 0, isAway: false, color: UInt8(255)))

        var requests: Int { state.withLock { $0.requests } }
        var conditional: Int { state.withLock { $0.conditional } }
        func goAway() { state.withLock { $0.isAway = true } }

        var transport: StubTransport {
            StubTransport { [self] request in
                let (isAway, color) = state.withLock { state in
                    state.requests += 1
                    if request.headers["If-None-Match"] != nil { state.conditional += 1 }
                    return (state.isAway, state.color)
                }
                guard !isAway else {
                    throw FetchError(.unreachable, "\(request.address): Could not resolve host")
                }
                let headers = [("Cache-Control", "public, max-age=300"), ("ETag", "\"\(color)\"")]
                let fields = HeaderFields(headers.map { HeaderFields.Field(name: $0.0, value: $0.1) })
                guard request.headers["If-None-Match"] != "\"\(color)\"" else {
                    return FetchResponse(address: request.address, status: 304, headers: fields)
                }
                let body =
                    request.address.path == "/search"
                    ? Array(Self.search.utf8) : TinyPNG.solid(color, 0, 0, width: 24, height: 16)
                return FetchResponse(address: request.address, status: 200, headers: fields, body: body)
            }
        }

        private static let search = """
            {"collection":{"version":"1.0","items":[{"data":[{"nasa_id":"a","title":"Title of a","media_type":"image",\
            "center":"JSC"}],"links":[{"href":"https://images-assets.nasa.gov/a~thumb.png","rel":"preview",\
            "render":"image"}]}],"metadata":{"total_hits":1}}}
            """
    }

    private static let list = ["list", "moon", "--cells", "80x24", "--stats=json"]

    private let folder: TemporaryFolder
    private let server = Server()

    init() throws { folder = try TemporaryFolder() }

    /// A system with this cache folder and server.
    private func system() -> FakeSystem {
        var fake = FakeSystem()
        fake.environment["XDG_CACHE_HOME"] = folder.path
        fake.transport = server.transport
        return fake
    }

    @Test("A second run requests and decodes nothing, and prints the same")
    func secondRun() async {
        let first = await system().run(Self.list)
        let requests = server.requests
        let second = await system().run(Self.list)
        #expect(first.code == .success && second.output == first.output && server.requests == requests)
        #expect(second.errors.contains(#""requests":0,"bytes_downloaded":0,"#))
        #expect(second.errors.contains(#""decoded":0,"#))
    }

    @Test("A stale response is revalidated, and a 304 transfers no image")
    func revalidation() async {
        let first = await system().run(Self.list)
        let later = system()
        later.now.advance(by: .seconds(301))
        let second = await later.run(Self.list)
        #expect(second.output == first.output && server.conditional == 2)
        #expect(second.errors.contains(#""revalidated":2,"#))
    }

    @Test("Without a network, stored responses are shown, marked stale")
    func staleWhenUnreachable() async {
        _ = await system().run(Self.list)
        server.goAway()
        let later = system()
        later.now.advance(by: .seconds(1000))
        let outcome = await later.run("list", "moon", "--cells", "80x24")
        let isShown = outcome.output.contains("Title of a") && outcome.output.contains("may be out of date")
        #expect(outcome.code == .success && isShown)
        #expect(outcome.errors.contains("from the disk cache and may be out of date: could not revalidate"))
    }

    @Test("--offline prints stored responses and never uses the network")
    func offline() async {
        let first = await system().run("list", "moon", "--cells", "80x24")
        let requests = server.requests
        let outcome = await system().run("list", "moon", "--cells", "80x24", "--offline")
        #expect(outcome == .init(output: first.output) && server.requests == requests)
    }

    @Test("--offline reports a missing response in one line, and without a cache folder names what to set")
    func offlineMiss() async {
        let outcome = await system().run("list", "mars", "--offline")
        #expect(outcome.code == .unavailable && server.requests == 0)
        #expect(outcome.errors.split(separator: "\n").count == 1 && outcome.errors.contains("--offline"))
        let homeless = await FakeSystem().run("list", "moon", "--offline")
        #expect(homeless.code == .usage && homeless.errors.contains("--cache-dir"))
    }

    @Test("--no-cache, an archive and a recording neither read the cache nor leave anything in it")
    func noCache() async throws {
        let archive = try TemporaryFolder()
        for options in [["--no-cache"], ["--record", archive.path], ["--archive", archive.path]] {
            #expect(await system().run(["list", "moon", "--cells", "80x24"] + options).code == .success)
            #expect(folder.files.isEmpty)
        }
    }

    @Test("show fetches an address once for two runs, and once for two operands")
    func show() async {
        let address = "https://example.org/a.png"
        let first = await system().run("show", address, address)
        #expect(server.requests == 1)
        #expect(await system().run("show", address, address) == first)
        #expect(server.requests == 1)
    }

    @Test("An unusable cache folder is reported once and changes nothing else")
    func unusableFolder() async throws {
        try folder.write("spyglass", "a file")
        let outcome = await system().run("list", "moon", "--cells", "80x24")
        #expect(outcome.code == .success && outcome.output.contains("Title of a"))
        #expect(outcome.errors.split(separator: "\n").count == 1 && outcome.errors.contains(folder.path("spyglass")))
    }

    @Test("A folder that others may write gets a private one, in which the cache is")
    func sharedFolder() async throws {
        let path = folder.path("spyglass")
        try folder.write("spyglass/x", "")
        try #require(chmod(path, 0o777) == 0)
        let first = await system().run(Self.list)
        let requests = server.requests
        #expect(await system().run(Self.list).output == first.output)
        #expect(server.requests == requests && folder.files.count > 1)
        #expect(folder.files.allSatisfy { $0 == "spyglass/x" || $0.hasPrefix("spyglass/spyglass-\(geteuid())/") })
    }

    @Test(
        "Options that contradict --offline are errors",
        arguments: [["--no-cache"], ["--record", "/nonexistent"]])
    func contradictions(options: [String]) async {
        #expect(await system().run(["list", "--offline"] + options).code == .usage)
    }
}

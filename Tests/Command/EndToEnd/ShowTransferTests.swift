import SpyglassFetching
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite(
    "End to end: transfers of show",
    .enabled(if: SpawnedProgram.path != nil, "the program has not been built beside the tests"),
    .timeLimit(.minutes(10)))
struct ShowTransferTests {
    /// Images by their path; some move.
    private static let images = [
        "/x.png": TinyPNG.solid(255, 0, 0), "/large.png": TinyPNG.noise(width: 700, height: 700),
        "/moving.gif": TinyGIF.moving(), "/still.gif": TinyGIF.moving(1),
        "/photo.jpg": (try? Folder.working.read(TestData.fixture("encoded/baseline.jpg"), limit: 1 << 20)) ?? [],
    ]

    /// Runs `show` on a terminal; returns the requests that the server received.
    private func requests(
        _ words: [String], for targets: [String], headers: [(String, String)] = []
    ) throws -> [String] {
        let server = try LoopbackServer { request in
            Self.images[request.path].map { .init(headers: headers, body: $0) } ?? .init(404)
        }
        defer { server.stop() }
        let (folder, terminal) = (try TemporaryFolder(), try PseudoTerminal())
        let addresses = targets.map { server.address($0).text }
        var program = SpawnedProgram(["show", "--cells", "20x10"] + words + addresses)
        program.environment.append("HOME=\(folder.path)")
        program.terminalPath = terminal.path
        let running = try program.start()
        let shown = terminal.read(until: "no program prints this", from: running)
        #expect(try running.wait().code == 0, "\(shown.debugDescription)")
        return server.requests.map { "\($0.method) \($0.target)" }
    }

    @Test("On a terminal an image is fetched exactly once without a cache", arguments: images.keys.sorted())
    func noCache(target: String) throws {
        #expect(try requests(["--no-cache", "--loops", "1"], for: [target]) == ["GET \(target)"])
    }

    @Test("On a terminal an image is fetched exactly once if it must not be stored", arguments: images.keys.sorted())
    func noStore(target: String) throws {
        let headers = [("Cache-Control", "no-store")]
        #expect(try requests(["--loops", "1"], for: [target], headers: headers) == ["GET \(target)"])
        #expect(try requests(["--loops", "1"], for: ["\(target)?passwd=a"]) == ["GET \(target)?passwd=a"])
    }

    @Test("Several images are fetched once each")
    func several() throws {
        let targets = ["/moving.gif", "/x.png", "/large.png", "/still.gif", "/photo.jpg"]
        #expect(
            try requests(["--no-cache", "--loops", "1"], for: targets).sorted() == targets.map { "GET \($0)" }.sorted())
    }

    @Test("A frame by its number needs one transfer")
    func frame() throws {
        #expect(try requests(["--no-cache", "--frame", "1"], for: ["/x.png"]) == ["GET /x.png"])
    }
}

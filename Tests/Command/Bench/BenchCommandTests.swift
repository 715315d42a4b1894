import Glibc
import SpyglassBench
import SpyglassFetching
import SpyglassJSON
import SpyglassTerminalUI
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("bench", .timeLimit(.minutes(10)))
struct BenchCommandTests {
    private let folder: TemporaryFolder
    private var fake = FakeWorld()

    init() throws {
        folder = try TemporaryFolder()
        fake.clock = TickingClock(step: .milliseconds(100))
    }

    /// Runs `bench` without what a debug build says of itself.
    private func bench(_ words: String...) async -> FakeWorld.Outcome {
        let fake = fake
        let outcome = await FakeWorld.fresh(like: fake).run(["bench", "--quick"] + words)
        let remark = "spyglass: this is a debug build: its figures say nothing of a release\n"
        let errors = outcome.errors.hasPrefix(remark) ? String(outcome.errors.dropFirst(remark.count)) : outcome.errors
        return .init(code: outcome.code, output: outcome.output, errors: errors)
    }

    private func picture(_ name: String = "red.png") throws -> String {
        try folder.write(name, TinyPNG.solid(200, 10, 20, width: 40, height: 30))
        return folder.path(name)
    }

    @Test("A table names every figure")
    func table() async throws {
        let outcome = await bench("decode", try picture())
        #expect(outcome.code == .success)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.lines.first?.hasPrefix("figure") == true)
        #expect(outcome.lines.dropFirst().first?.hasPrefix("decode.png.8bit") == true)
    }

    @Test("--json prints one object, and --save keeps the same")
    func json() async throws {
        let path = folder.path("figures.json")
        let outcome = await bench("decode", try picture(), "--json", "--save", path)
        let value = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(value["machine"]?["spyglass"]?.text != nil)
        #expect(value["results"]?.elements.map { $0["name"]?.text } == ["decode.png.8bit"])
        #expect(try folder.read("figures.json") == Array(outcome.output.utf8))
    }

    @Test("A run that is no slower than the saved one exits 0, a slower one exits 1 and says what")
    func against() async throws {
        let path = folder.path("figures.json")
        let picture = try picture()
        _ = await bench("decode", picture, "--save", path)
        #expect(await bench("decode", picture, "--against", path).code == .success)

        let fast = #"{"machine":{},"results":[{"name":"decode.png.8bit","value":1e9,"unit":"Mpx/s"}]}"#
        try folder.write("fast.json", Array(fast.utf8))
        let outcome = await bench("decode", picture, "--against", folder.path("fast.json"))
        #expect(outcome.code == .someFailed)
        #expect(outcome.errors.hasPrefix("spyglass: decode.png.8bit: "))
        #expect(outcome.errors.hasSuffix(" times the cost of the saved run\n"))
    }

    @Test("A file that is no saved run, or has none of the figures, exits 2; one that cannot be read exits 3")
    func noSavedRun() async throws {
        let picture = try picture()
        let wrong = await bench("decode", picture, "--against", picture)
        #expect(wrong.code == .usage)
        #expect(wrong.errors.hasPrefix("spyglass: \(picture): it is no saved run"))
        #expect(wrong.output.isEmpty)
        // As other comparisons have it: the same form, and no figure of ours.
        try folder.write("other.json", Array(#"{"machine":{},"results":[{"name":"a","value":1,"unit":"ms"}]}"#.utf8))
        let other = await bench("decode", picture, "--against", folder.path("other.json"))
        #expect(other.code == .usage)
        #expect(other.errors == "spyglass: \(folder.path("other.json")): it has no figure that this run has\n")
        let missing = await bench("decode", picture, "--against", folder.path("missing"))
        #expect(missing.code == .unavailable)
        #expect(missing.errors == "spyglass: \(folder.path("missing")): No such file or directory\n")
        #expect(await bench("decode", "--against", folder.path).errors.hasSuffix("it is no ordinary file\n"))
    }

    // MARK: Saving

    @Test("What would not be a saved run is not replaced, and is not measured for")
    func save() async throws {
        let picture = try picture()
        let before = try folder.read("red.png")
        let outcome = await bench("decode", picture, "--save", picture)
        #expect(outcome.code == .usage)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.errors
                == "spyglass: \(picture) is there and holds no figures; save them under another name\n")
        #expect(try folder.read("red.png") == before)
        #expect(await bench("decode", picture, "--save", folder.path("no/such.json")).code == .unavailable)
    }

    @Test("Figures that cannot be saved are printed all the same")
    func unsaved() async throws {
        let outcome = await bench("decode", try picture(), "--save", "/dev/full")
        #expect(outcome.code == .unavailable)
        #expect(
            outcome.errors == "spyglass: the figures cannot be saved in /dev/full: No space left on device\n")
        #expect(outcome.lines.dropFirst().first?.hasPrefix("decode.png.8bit") == true)
    }

    @Test("Figures that cannot be printed are saved all the same")
    func unprinted() async throws {
        let fake = FakeWorld.fresh(like: fake)
        fake.output.fail(.failed(errno: ENOSPC))
        let outcome = await fake.run("bench", "--quick", "decode", try picture(), "--save", folder.path("a.json"))
        #expect(outcome.code == .unavailable)
        #expect(outcome.errors.hasSuffix("spyglass: cannot write the output: No space left on device\n"))
        #expect(throws: Never.self) { try SavedRun(path: folder.path("a.json")) }
    }

    @Test("A figure that cannot be taken costs itself alone, and the exit is 1")
    mutating func failure() async throws {
        fake.environment["TMPDIR"] = "/nonexistent"
        let outcome = await bench("cache", "--json", "--save", folder.path("a.json"))
        #expect(outcome.code == .someFailed)
        let lines = outcome.errors.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.hasPrefix("spyglass: cache.disk.") && $0.holds("/nonexistent") })
        #expect(lines.count(where: { $0.hasPrefix("spyglass: cache.disk.put: ") }) == 1)
        #expect(try folder.read("a.json") == Array(outcome.output.utf8))
        let names = try JSONValue(parsing: Array(outcome.output.utf8))["results"]?.elements.map { $0["name"]?.text }
        #expect(names?.contains("cache.memory.hit.1thread") == true)
    }

    @Test("A run without a single figure prints and saves nothing")
    mutating func nothing() async throws {
        try folder.write("list.txt", "https://a.example/1\n")
        let outcome = await bench("fetch", "--urls", folder.path("list.txt"), "--save", folder.path("a.json"))
        #expect(outcome.code == .someFailed)
        #expect(outcome.errors.hasPrefix("spyglass: fetch: "))
        #expect(outcome.output.isEmpty)
        #expect(folder.files == ["list.txt"])
    }

    @Test("A folder is walked, and what is no picture is said and exits 1")
    func folders() async throws {
        _ = try picture("tree/a.png")
        try folder.write("tree/deep/b.png", Array("nothing".utf8))
        let outcome = await bench("decode", folder.path("tree"))
        #expect(outcome.code == .someFailed)
        #expect(outcome.errors.hasPrefix("spyglass: \(folder.path("tree"))/deep/b.png: "))
        #expect(outcome.lines.dropFirst().first?.hasPrefix("decode.png.8bit") == true)
        let none = await bench("decode", folder.path("tree/deep"))
        #expect(none.code == .someFailed)
        #expect(none.errors.hasSuffix("spyglass: there is no picture to measure\n"))
    }

    @Test("A picture with a good header that cannot be decoded is no fault of the program")
    func damaged() async throws {
        let good = try picture()
        try folder.write("cut.png", Array(try folder.read("red.png").prefix(45)))
        let outcome = await bench("decode", folder.path("cut.png"), good)
        #expect(outcome.code == .someFailed)
        #expect(outcome.errors.hasPrefix("spyglass: \(folder.path("cut.png")): "))
        #expect(outcome.lines.dropFirst().first?.hasPrefix("decode.png.8bit") == true)
    }

    @Test("Parts are named, and a slip is put right")
    func parts() async {
        #expect(await FakeWorld().run("bench").code == .usage)
        #expect(
            await FakeWorld().run("bench", "decod").errors
                == "spyglass: bench has no part decod; did you mean decode?\n")
    }

    @Test("Addresses of a file are fetched, and one that fails is said and exits 1")
    mutating func fetching() async throws {
        try folder.write("list.txt", "# mine\nhttps://a.example/1\n\nhttps://a.example/2\n")
        fake.transport = StubTransport { request in
            FetchResponse(
                address: request.address, status: request.address.description.hasSuffix("2") ? 404 : 200,
                body: [UInt8](repeating: 0, count: 1000))
        }
        let outcome = await bench("fetch", "--urls", folder.path("list.txt"), "--connections", "3")
        #expect(outcome.code == .someFailed)
        #expect(outcome.errors == "spyglass: https://a.example/2 answered 404\n")
        #expect(
            outcome.lines.dropFirst().prefix(2).map { $0.prefix { $0 != " " } } == ["fetch.transfers", "fetch.bytes"])
    }

    @Test("Addresses are for fetch, and fetch needs addresses")
    func addresses() async throws {
        #expect(
            await FakeWorld().run("bench", "fetch").errors
                == "spyglass: bench fetch needs addresses: --urls FILE, one a line\n")
        #expect(await FakeWorld().run("bench", "cache", "--urls", "x").code == .usage)
        #expect(await bench("fetch", "--urls", folder.path("missing")).code == .unavailable)
        try folder.write("bad.txt", "https://a.example/\nftp://b.example/\n")
        let outcome = await bench("fetch", "--urls", folder.path("bad.txt"))
        #expect(outcome.code == .usage)
        #expect(outcome.errors.hasPrefix("spyglass: \(folder.path("bad.txt")): line 2: "))
    }

    @Test("Pictures together above the limit are refused")
    func tooMany() throws {
        let world = fake.world
        var samples = BenchSamples(Settings(), Console(world), byteLimit: 10)
        let path = try picture()
        #expect(throws: Failure.self) { try samples.read([Argument(path)]) }
    }
}

extension FakeWorld {
    /// Another world of the same kind, in which nothing has been written yet.
    fileprivate static func fresh(like other: FakeWorld) -> FakeWorld {
        var fake = FakeWorld()
        fake.clock = other.clock
        fake.environment = other.environment
        fake.transport = other.transport
        return fake
    }
}

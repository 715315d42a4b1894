import Glibc
import SpyglassBench
import SpyglassFetching
import SpyglassJSON
import SpyglassTerminalUI
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

@Suite("bench", .timeLimit(.minutes(10)))
struct BenchCommandTests {
    private let folder: TemporaryFolder
    private var fake = FakeSystem()

    init() throws {
        folder = try TemporaryFolder()
        fake.clock = TickingClock(step: .milliseconds(100))
    }

    /// Runs `bench` without what a debug build says of itself.
    private func bench(_ words: String...) async -> FakeSystem.Outcome { await bench(words) }

    private func bench(_ words: [String]) async -> FakeSystem.Outcome {
        let fake = fake
        let outcome = await FakeSystem.fresh(like: fake).run(["bench", "--quick"] + words)
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

    /// A saved run of a picture, and the same with its values so many times larger.
    private func savedRuns(_ picture: String, times factor: Double) async throws -> (same: String, changed: String) {
        let (same, changed) = (folder.path("same.json"), folder.path("changed.json"))
        #expect(await bench("decode", picture, "--save", same).code == .success)
        let text = try folder.text("same.json")
        let value = try #require(JSONValue(parsing: Array(text.utf8))["results"]?[0]?["value"]?.text)
        let number = try #require(Double(value))
        try folder.write(
            "changed.json", text.replacing(#""value":\#(value)"#, with: #""value":\#(number * factor)"#))
        return (same, changed)
    }

    @Test("A run that is no slower than the saved one exits 0, a slower one exits 1 and says what")
    func against() async throws {
        let picture = try picture()
        let (same, fast) = try await savedRuns(picture, times: 2)
        let equal = await bench("decode", picture, "--against", same)
        #expect(equal.code == .success)
        #expect(equal.errors.isEmpty)
        let slower = await bench("decode", picture, "--against", fast)
        #expect(slower.code == .someFailed)
        #expect(
            slower.errors
                == "spyglass: decode.png.8bit: 2.00 times the time of the saved run (1.25 would pass)\n")
        let (_, slow) = try await savedRuns(picture, times: 0.5)
        #expect(await bench("decode", picture, "--against", slow).code == .success)
    }

    @Test("What looks slower is taken again before it is called so")
    func again() async throws {
        let picture = try picture()
        let (same, fast) = try await savedRuns(picture, times: 2)
        for (path, isAgain) in [(same, false), (fast, true)] {
            var fake = FakeSystem.fresh(like: fake)
            fake.errorsAreTerminal = true
            fake.screen = CellSize(clamping: 80, 24)
            let outcome = await fake.run("bench", "--quick", "decode", picture, "--against", path)
            #expect(outcome.errors.holds("decode.png.8bit, again") == isAgain)
        }
    }

    @Test("A signal ends the run, prints what was taken, saves nothing and leaves no folder")
    func interruption() async throws {
        let signals = FakeInterruption(received: SIGINT)
        var fake = fake
        fake.environment["TMPDIR"] = folder.path
        let outcome = FakeSystem.fresh(like: fake)
        var system = outcome.services
        system.interruption = { signals }
        let words = ["bench", "cache", "--quick", "--save", folder.path("figures.json")]
        _ = await Program(system).start(words.map { Argument($0) }).code()
        #expect(signals.deaths == [SIGINT])
        #expect(outcome.errors.text.hasSuffix("spyglass: interrupted: nothing is saved or compared\n"))
        #expect(folder.files.isEmpty)
    }

    @Test("--json with --against has the old value and the cost of every figure")
    func comparedJSON() async throws {
        let picture = try picture()
        let (_, fast) = try await savedRuns(picture, times: 4)
        let outcome = await bench("decode", picture, "--json", "--against", fast)
        let result = try #require(JSONValue(parsing: Array(outcome.output.utf8))["results"]?[0])
        let cost = try #require(result["against"]?["cost"]?.text.flatMap { Double($0) })
        #expect(abs(cost - 4) < 0.001)
        #expect(result["against"]?["value"] != nil)
        #expect(result["against"]?["worse"] == .bool(true))
    }

    @Test("The run that is compared with may be replaced by this one in the same command")
    func sameFile() async throws {
        let picture = try picture()
        let (_, fast) = try await savedRuns(picture, times: 2)
        #expect(await bench("decode", picture, "--against", fast, "--save", fast).code == .someFailed)
        #expect(await bench("decode", picture, "--against", fast, "--save", fast).code == .success)
    }

    @Test("Figures that only one of the two has are listed")
    func strangers() async throws {
        let picture = try picture()
        let (same, _) = try await savedRuns(picture, times: 1)
        let text = try folder.text("same.json")
        let added = text.replacing(
            #""results":["#, with: #""results":[{"name":"decode.other","value":1,"unit":"Mpx/s"},"#)
        try folder.write("same.json", added)
        let outcome = await bench("decode", picture, "--against", same)
        #expect(outcome.code == .success)
        #expect(outcome.errors == "spyglass: only in \(same): decode.other\n")
    }

    @Test("A run of other pictures exits 2, one of another effort is compared with a warning")
    func otherConditions() async throws {
        let picture = try picture()
        let (same, _) = try await savedRuns(picture, times: 1)
        try folder.write("blue.png", TinyPNG.solid(0, 0, 255, width: 40, height: 30))
        let other = await bench("decode", folder.path("blue.png"), "--against", same)
        #expect(other.code == .usage)
        #expect(other.errors.hasPrefix("spyglass: \(same): it is of other pictures: 1 file, hash "))
        #expect(other.output.isEmpty)
        try folder.write("same.json", try folder.text("same.json").replacing("quick", with: "usual"))
        let warned = await bench("decode", picture, "--against", same)
        #expect(warned.code == .success)
        #expect(warned.errors.hasPrefix("spyglass: \(same): it was taken with the usual effort"))
    }

    @Test("A file that is no saved run, is an old one, or has none of the figures, exits 2; an unreadable one exits 3")
    func noSavedRun() async throws {
        let picture = try picture()
        let wrong = await bench("decode", picture, "--against", picture)
        #expect(wrong.code == .usage)
        #expect(wrong.errors.hasPrefix("spyglass: \(picture): it is no saved run"))
        #expect(wrong.output.isEmpty)
        try folder.write("old.json", #"{"machine":{},"results":[{"name":"a","value":1,"unit":"ms"}]}"#)
        let old = await bench("decode", picture, "--against", folder.path("old.json"))
        #expect(old.code == .usage)
        #expect(old.errors.hasPrefix("spyglass: \(folder.path("old.json")): it is of an older program"))
        #expect(old.output.isEmpty)
        let (same, _) = try await savedRuns(picture, times: 1)
        try folder.write("same.json", try folder.text("same.json").replacing("png.8bit", with: "other"))
        let other = await bench("decode", picture, "--against", same)
        #expect(other.code == .usage)
        #expect(other.errors == "spyglass: \(same): it has no figure that this run has\n")
        #expect(other.output.isEmpty)
        let missing = await bench("decode", picture, "--against", folder.path("missing"))
        #expect(missing.code == .unavailable)
        #expect(missing.errors == "spyglass: \(folder.path("missing")): No such file or directory\n")
        #expect(await bench("decode", "--against", folder.path).errors.hasSuffix("not a regular file\n"))
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
                == "spyglass: cannot save to \(picture): file exists and is not a report; choose another name\n")
        #expect(try folder.read("red.png") == before)
        #expect(await bench("decode", picture, "--save", folder.path("no/such.json")).code == .unavailable)
    }

    @Test("Figures that cannot be saved are printed all the same")
    func unsaved() async throws {
        let outcome = await bench("decode", try picture(), "--save", "/dev/full")
        #expect(outcome.code == .unavailable)
        #expect(
            outcome.errors == "spyglass: cannot save to /dev/full: No space left on device\n")
        #expect(outcome.lines.dropFirst().first?.hasPrefix("decode.png.8bit") == true)
    }

    @Test("Figures that cannot be printed are saved all the same")
    func unprinted() async throws {
        let fake = FakeSystem.fresh(like: fake)
        fake.output.fail(.writeFailed(errno: ENOSPC))
        let outcome = await fake.run("bench", "--quick", "decode", try picture(), "--save", folder.path("a.json"))
        #expect(outcome.code == .unavailable)
        #expect(outcome.errors.hasSuffix("spyglass: cannot write the output: No space left on device\n"))
        #expect(throws: Never.self) { try SavedReport(path: folder.path("a.json")) }
    }

    @Test("A reader that has seen enough does not hide that something is slower")
    func leftReader() async throws {
        let picture = try picture()
        let (same, fast) = try await savedRuns(picture, times: 2)
        for (path, code) in [(same, ExitCode.success), (fast, .someFailed)] {
            let fake = FakeSystem.fresh(like: fake)
            fake.output.fail(.outputClosed)
            #expect(await fake.run("bench", "--quick", "decode", picture, "--against", path).code == code)
        }
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
        #expect(await FakeSystem().run("bench").code == .usage)
        #expect(
            await FakeSystem().run("bench", "decod").errors
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

    @Test("Transfers that look slower are measured again, and slower ones exit 1")
    mutating func slowTransfers() async throws {
        try folder.write("list.txt", "https://a.example/1\n")
        let requests = Mutex(0)
        fake.transport = StubTransport { request in
            requests.withLock { $0 += 1 }
            return FetchResponse(address: request.address, status: 200, body: [UInt8](repeating: 0, count: 1000))
        }
        let words = ["fetch", "--urls", folder.path("list.txt")]
        let path = folder.path("a.json")
        #expect(await bench(words + ["--save", path]).code == .success)
        let once = requests.withLock { $0 }
        #expect(await bench(words + ["--against", path]).code == .success)
        #expect(requests.withLock { $0 } == 2 * once)
        let text = try folder.text("a.json")
        // Ten transfers in a second, one for each tick of the clock.
        try folder.write("a.json", text.replacing(#""value":10,"#, with: #""value":20,"#))
        let outcome = await bench(words + ["--against", path])
        #expect(outcome.code == .someFailed)
        #expect(outcome.errors.hasPrefix("spyglass: fetch.transfers: 2.00 times the time of the saved run"))
        #expect(requests.withLock { $0 } == 4 * once)
    }

    @Test("Addresses are for fetch, and fetch needs addresses")
    func addresses() async throws {
        #expect(
            await FakeSystem().run("bench", "fetch").errors
                == "spyglass: bench fetch needs addresses: --urls FILE, one a line\n")
        #expect(await FakeSystem().run("bench", "cache", "--urls", "x").code == .usage)
        #expect(await bench("fetch", "--urls", folder.path("missing")).code == .unavailable)
        try folder.write("bad.txt", "https://a.example/\nftp://b.example/\n")
        let outcome = await bench("fetch", "--urls", folder.path("bad.txt"))
        #expect(outcome.code == .usage)
        #expect(outcome.errors.hasPrefix("spyglass: \(folder.path("bad.txt")): line 2: "))
    }

    @Test("Pictures together above the limit are refused")
    func tooMany() throws {
        let system = fake.services
        var samples = BenchSamples(Settings(), Console(system), byteLimit: 10)
        let path = try picture()
        #expect(throws: Failure.self) { try samples.read([Argument(path)]) }
    }
}

extension FakeSystem {
    /// A second system with the same inputs and empty outputs.
    fileprivate static func fresh(like other: FakeSystem) -> FakeSystem {
        var fake = FakeSystem()
        fake.clock = other.clock
        fake.environment = other.environment
        fake.transport = other.transport
        return fake
    }
}

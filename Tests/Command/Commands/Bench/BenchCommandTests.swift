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

    /// Runs `bench` without the note of a debug build.
    private func bench(_ words: String...) async -> FakeSystem.Outcome { await bench(words) }

    private func bench(_ words: [String]) async -> FakeSystem.Outcome {
        let fake = fake
        let outcome = await FakeSystem.fresh(like: fake).run(["bench", "--quick"] + words)
        let note = "spyglass: debug build: results do not apply to release builds\n"
        let errors = outcome.errors.hasPrefix(note) ? String(outcome.errors.dropFirst(note.count)) : outcome.errors
        return .init(code: outcome.code, output: outcome.output, errors: errors)
    }

    private func image(_ name: String = "red.png") throws -> String {
        try folder.write(name, TinyPNG.solid(200, 10, 20, width: 40, height: 30))
        return folder.path(name)
    }

    @Test("The table names every benchmark")
    func table() async throws {
        let outcome = await bench("decode", try image())
        #expect(outcome.code == .success && outcome.errors.isEmpty)
        #expect(outcome.lines.count > 2)
        #expect(zip(outcome.lines, ["benchmark", "decode.png.8bit"]).allSatisfy { $0.hasPrefix($1) })
    }

    @Test("--json prints one object")
    func json() async throws {
        let outcome = await bench("decode", try image(), "--json")
        let value = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(value["results"]?.elements.map { $0["name"]?.text } == ["decode.png.8bit"])
        #expect(value["machine"]?["spyglass"]?.text != nil)
    }

    /// A saved report of an image, and a copy with its values multiplied by `factor`.
    private func savedReports(_ image: String, times factor: Double) async throws -> (same: String, changed: String) {
        let (same, changed) = (folder.path("same.json"), folder.path("changed.json"))
        let text = await bench("decode", image, "--json").output
        try folder.write("same.json", text)
        let value = try #require(JSONValue(parsing: Array(text.utf8))["results"]?[0]?["value"]?.text)
        let number = try #require(Double(value))
        try folder.write(
            "changed.json", text.replacing(#""value":\#(value)"#, with: #""value":\#(number * factor)"#))
        return (same, changed)
    }

    @Test("--baseline exits 1 on a regression and names it")
    func against() async throws {
        let image = try image()
        let (same, fast) = try await savedReports(image, times: 2)
        let equal = await bench("decode", image, "--baseline", same)
        #expect(equal.code == .success && equal.errors.isEmpty)
        let slower = await bench("decode", image, "--baseline", fast)
        let line = "spyglass: decode.png.8bit: 2.00x the baseline time (limit 1.25x)\n"
        #expect(slower.code == .someFailed && slower.errors == line)
        let (_, slow) = try await savedReports(image, times: 0.5)
        #expect(await bench("decode", image, "--baseline", slow).code == .success)
    }

    @Test("A signal ends the run and prints the results so far")
    func interruption() async throws {
        let signals = FakeInterruption(received: SIGINT)
        var fake = fake
        fake.environment["TMPDIR"] = folder.path
        await fake.run(["bench", "cache", "--quick"], signals)
        #expect(signals.terminations == [SIGINT] && folder.files.isEmpty)
        #expect(fake.errors.text.hasSuffix("spyglass: interrupted: nothing compared\n"))
    }

    @Test("Benchmarks of only one report are listed")
    func strangers() async throws {
        let image = try image()
        let (same, _) = try await savedReports(image, times: 1)
        let text = try folder.text("same.json")
        let added = text.replacing(
            #""results":["#, with: #""results":[{"name":"decode.other","value":1,"unit":"Mpx/s"},"#)
        try folder.write("same.json", added)
        let outcome = await bench("decode", image, "--baseline", same)
        #expect(outcome.code == .success && outcome.errors == "spyglass: only in \(same): decode.other\n")
    }

    @Test("A baseline of other images exits 2, one of another effort is a warning")
    func otherConditions() async throws {
        let image = try image()
        let (same, _) = try await savedReports(image, times: 1)
        try folder.write("blue.png", TinyPNG.solid(0, 0, 255, width: 40, height: 30))
        let other = await bench("decode", folder.path("blue.png"), "--baseline", same)
        #expect(other.code == .usage && other.output.isEmpty)
        #expect(other.errors.hasPrefix("spyglass: \(same): cannot compare: measured other images (1 file, hash "))
        try folder.write("same.json", try folder.text("same.json").replacing("quick", with: "usual"))
        let warned = await bench("decode", image, "--baseline", same)
        #expect(warned.code == .success && warned.errors.hasPrefix("spyglass: \(same): measured with usual effort"))
    }

    @Test("An unsuitable baseline exits 2, an unreadable one 3")
    func noSavedRun() async throws {
        let image = try image()
        try folder.write("old.json", #"{"machine":{},"results":[{"name":"a","value":1,"unit":"ms"}]}"#)
        let (same, _) = try await savedReports(image, times: 1)
        try folder.write("same.json", try folder.text("same.json").replacing("png.8bit", with: "other"))
        for (path, reason) in [
            (image, "not a saved report: "),
            (folder.path("old.json"), "cannot compare: saved by an older version"),
            (same, "no benchmark in common with this run\n"),
        ] {
            let outcome = await bench("decode", image, "--baseline", path)
            #expect(outcome.code == .usage && outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix("spyglass: \(path): \(reason)"))
        }
        let missing = folder.path("missing")
        #expect(
            await bench("decode", image, "--baseline", missing)
                == .failed("cannot read \(missing): No such file or directory", .unavailable))
        #expect(await bench("decode", "--baseline", folder.path).errors.hasSuffix("not a regular file\n"))
    }

    @Test("A report that cannot be printed exits 3")
    func unprinted() async throws {
        let fake = FakeSystem.fresh(like: fake)
        fake.output.fail(.writeFailed(errno: ENOSPC))
        let outcome = await fake.run("bench", "--quick", "decode", try image())
        let line = "spyglass: cannot write the output: No space left on device\n"
        #expect(outcome.code == .unavailable && outcome.errors.hasSuffix(line))
    }

    @Test("A closed pipe does not hide a regression")
    func leftReader() async throws {
        let image = try image()
        let (same, fast) = try await savedReports(image, times: 2)
        for (path, code) in [(same, ExitCode.success), (fast, .someFailed)] {
            let fake = FakeSystem.fresh(like: fake)
            fake.output.fail(.outputClosed)
            #expect(await fake.run("bench", "--quick", "decode", image, "--baseline", path).code == code)
        }
    }

    @Test("A failed benchmark does not affect the others; the exit code is 1")
    mutating func failure() async throws {
        fake.environment["TMPDIR"] = "/nonexistent"
        let outcome = await bench("cache", "--json")
        let lines = outcome.errors.split(separator: "\n").map(String.init)
        let areOfDisk = lines.allSatisfy {
            $0.hasPrefix("spyglass: cache.disk.") && $0.containsBytes(of: "/nonexistent")
        }
        let puts = lines.count { $0.hasPrefix("spyglass: cache.disk.put: ") }
        #expect(outcome.code == .someFailed && areOfDisk && puts == 1, "\(lines)")
        let names = try JSONValue(parsing: Array(outcome.output.utf8))["results"]?.elements.map { $0["name"]?.text }
        #expect(names?.contains("cache.memory.hit.1thread") == true)
    }

    @Test("A run without results prints nothing")
    func nothing() async throws {
        try folder.write("list.txt", "https://a.example/1\n")
        let outcome = await bench("fetch", folder.path("list.txt"), "--json")
        #expect(outcome.code == .someFailed && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("spyglass: fetch: "))
    }

    @Test("A folder is searched, and a file that is not an image exits 1")
    func folders() async throws {
        _ = try image("tree/a.png")
        try folder.write("tree/deep/b.png", Array("nothing".utf8))
        let outcome = await bench("decode", folder.path("tree"))
        #expect(outcome.code == .someFailed && outcome.lines.dropFirst().first?.hasPrefix("decode.png.8bit") == true)
        #expect(outcome.errors.hasPrefix("spyglass: \(folder.path("tree"))/deep/b.png: "))
        let none = await bench("decode", folder.path("tree/deep"))
        #expect(none.code == .someFailed && none.errors.hasSuffix("spyglass: no image to measure\n"))
    }

    @Test("An unknown part suggests the nearest one")
    func parts() async {
        #expect(await FakeSystem().run("bench").code == .usage)
        let outcome = await FakeSystem().run("bench", "decod")
        #expect(outcome == .failed("unknown bench part decod; did you mean decode?", .usage))
    }

    @Test("The URLs of a file are fetched, and one that fails exits 1")
    mutating func fetching() async throws {
        try folder.write("list.txt", "# mine\nhttps://a.example/1\n\nhttps://a.example/2\n")
        fake.transport = StubTransport { request in
            FetchResponse(
                address: request.address, status: request.address.description.hasSuffix("2") ? 404 : 200,
                body: [UInt8](repeating: 0, count: 1000))
        }
        let outcome = await bench("fetch", folder.path("list.txt"), "--connections", "3")
        #expect(outcome.code == .someFailed && outcome.errors == "spyglass: https://a.example/2 returned HTTP 404\n")
        let names = outcome.lines.dropFirst().prefix(3).map { $0.prefix { $0 != " " } }
        #expect(names == ["fetch.transfers", "fetch.bytes", "fetch.cpu"])
    }

    @Test("Suspected regressions of transfers are measured again")
    mutating func slowTransfers() async throws {
        try folder.write("list.txt", "https://a.example/1\n")
        let requests = Mutex(0)
        fake.transport = StubTransport { request in
            requests.withLock { $0 += 1 }
            return FetchResponse(address: request.address, status: 200, body: [UInt8](repeating: 0, count: 1000))
        }
        let words = ["fetch", folder.path("list.txt")]
        let path = folder.path("a.json")
        let text = await bench(words + ["--json"]).output
        try folder.write("a.json", text)
        let once = requests.withLock { $0 }
        #expect(await bench(words + ["--baseline", path]).code == .success)
        #expect(requests.withLock { $0 } == 2 * once)
        // Ten transfers in a second, one for each tick of the clock.
        try folder.write("a.json", text.replacing(#""value":10,"#, with: #""value":20,"#))
        let outcome = await bench(words + ["--baseline", path])
        #expect(outcome.code == .someFailed && requests.withLock { $0 } == 4 * once)
        #expect(outcome.errors.hasPrefix("spyglass: fetch.transfers: 2.00x the baseline time"))
    }

    @Test("fetch needs one file of URLs")
    func addresses() async throws {
        let needed = "bench fetch needs one file of URLs, one a line: spyglass bench fetch FILE"
        for words in [[], ["a", "b"]] {
            #expect(await FakeSystem().run(["bench", "fetch"] + words) == .failed(needed, .usage))
        }
        #expect(await bench("fetch", folder.path("missing")).code == .unavailable)
        try folder.write("bad.txt", "https://a.example/\nftp://b.example/\n")
        let outcome = await bench("fetch", folder.path("bad.txt"))
        #expect(outcome.code == .usage && outcome.errors.hasPrefix("spyglass: \(folder.path("bad.txt")): line 2: "))
    }

    @Test("Images above the total limit are an error")
    func tooMany() throws {
        let system = fake.services
        let settings = try Settings(Options(), for: .bench, on: system)
        var samples = BenchSamples(settings, Console(system), byteLimit: 10)
        let path = try image()
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

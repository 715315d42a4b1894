import Glibc
import SpyglassFetching
import SpyglassFiles
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("End to end", .needsProgram, .timeLimit(.minutes(10)))
struct EndToEndTests {
    private let folder: TemporaryFolder
    private let image: String

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("red.png", TinyPNG.solid(255, 0, 0))
        image = folder.path("red.png")
    }

    private static let red = Array("\u{1B}[48;2;255;0;0m  \u{1B}[0m\n".utf8)

    private func run(
        _ words: String..., input: SpawnedProgram.Stream = .bytes([]), output: SpawnedProgram.Stream = .file
    ) throws -> SpawnedProgram.Outcome {
        try SpawnedProgram(words, input: input, output: output).run()
    }

    @Test("Exit codes: 0 for help, version and images")
    func success() throws {
        for words in [["--version"], ["help", "list"]] { #expect(try SpawnedProgram(words).run().code == 0) }
        #expect(try run("show", image) == .init(code: 0, output: Self.red, errors: ""))
    }

    @Test("Exit codes: 1 for a failed item, 2 for usage, 3 for a failed command")
    func failure() throws {
        for (words, code) in [
            (["show", "/nonexistent.jpg"], 1), (["--nonsense"], 2), (["list", "--archive", "/nonexistent"], 3),
        ] as [([String], Int32)] {
            #expect(try SpawnedProgram(words).run().code == code)
        }
    }

    @Test(
        "A closed pipe is a quiet success",
        arguments: [["help"], ["list", "--source", "demo", "--limit", "200"], ["list", "--source", "demo", "--json"]])
    func closedPipe(words: [String]) throws {
        let outcome = try SpawnedProgram(words, output: .closedPipe).run()
        #expect(outcome == .init(code: 0, output: [], errors: ""))
    }

    @Test("A missing standard output is a write error, and no file replaces it")
    func missingOutput() throws {
        let outcome = try run("show", image, output: .missing)
        #expect(outcome.code == 3 && outcome.errors.hasPrefix("spyglass: cannot write the output: "))
        #expect(try run("list", "--source", "demo", output: .missing).code == 3)
        #expect(try folder.read("red.png") == TinyPNG.solid(255, 0, 0))
    }

    @Test("A missing standard input is a failed item")
    func missingInput() throws {
        let outcome = try run("show", "-", image, input: .missing)
        #expect(outcome.code == 1 && outcome.output == Self.red)
        #expect(outcome.errors.hasPrefix("spyglass: standard input: "))
    }

    @Test("Standard input is read to its end")
    func input() throws {
        #expect(try run("show", "-", input: .bytes(TinyPNG.solid(255, 0, 0))).output == Self.red)
        #expect(try run("show", "-", input: .bytes([])).errors == "spyglass: standard input: empty\n")
        #expect(try run("show", input: .bytes(TinyPNG.solid(255, 0, 0))).output == Self.red)
        #expect(try run("show", input: .missing).code == 2)
    }

    @Test("A full device is an error of writing")
    func fullDevice() throws {
        let outcome = try SpawnedProgram.shell("exec \"$0\" help > /dev/full")
        let line = "spyglass: cannot write the output: No space left on device\n"
        #expect(outcome.code == 3 && outcome.errors == line)
    }

    @Test("A list ends without an error when head closes the pipe")
    func head() throws {
        let outcome = try SpawnedProgram.shell("\"$0\" list --source demo --limit all | head -1")
        #expect(outcome.code == 0 && outcome.errors == "")
        #expect(outcome.output.count { $0 == UInt8(ascii: "\n") } == 1)
    }

    @Test("A list is fetched over loopback, with images")
    func loopback() throws {
        let server = try LoopbackServer { request in
            guard request.path == "/search" else {
                return request.path == "/thumb.png" ? .init(body: TinyPNG.solid(255, 0, 0)) : .init(404)
            }
            let host = request.headers["Host"] ?? ""
            let item = """
                {"data":[{"nasa_id":"a","title":"Red","media_type":"image"}],\
                "links":[{"href":"http://\(host)/thumb.png","rel":"preview","render":"image"}]}
                """
            return .init(text: #"{"collection":{"items":[\#(item)],"metadata":{"total_hits":1}}}"#)
        }
        defer { server.stop() }
        let outcome = try run(
            "list", "mars", "--endpoint", server.address("/").description, "--cells", "80x24", "--stats=json")
        #expect(outcome.code == 0 && outcome.errors.contains("\"requests\":2,"))
        #expect(String(decoding: outcome.output, as: UTF8.self).contains("48;2;255;0;0m  \u{1B}[0m"))
        #expect(server.requests.allSatisfy { $0.headers["User-Agent"] == SpyglassVersion.userAgent })
    }

    @Test("A signal clears the progress line and ends the process", arguments: [SIGINT, SIGTERM])
    func progressAndSignal(signal: Int32) throws {
        let server = try LoopbackServer { _ in .init(steps: [.stall]) }
        defer { server.stop() }
        let terminal = try PseudoTerminal()
        var program = SpawnedProgram(["list", "mars", "--endpoint", server.address("/").description])
        program.errorsPath = terminal.path
        let running = try program.start()
        let shown = terminal.read(until: "searching nasa for 'mars'", from: running)
        #expect(shown.hasSuffix("\r\u{1B}[Ksearching nasa for 'mars'"))
        running.send(signal)
        let outcome = try running.wait()
        #expect(outcome.signal == signal && outcome.output == [])
        #expect(terminal.readRest() == "\u{18}\u{1B}\\\u{1B}[0m\r\u{1B}[K")
    }

    private func namedPipe() throws -> String {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        return pipe
    }

    @Test("A named pipe is read like a file")
    func readsNamedPipe() throws {
        let pipe = try namedPipe()
        let running = try SpawnedProgram(["show", pipe]).start()
        let descriptor = try running.openWhenRead(pipe)
        let bytes = TinyPNG.solid(255, 0, 0)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
        #expect(try running.wait() == .init(code: 0, output: Self.red, errors: ""))
    }

    @Test("A signal ends the process by its default action", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(signal: Int32) throws {
        let pipe = try namedPipe()
        let running = try SpawnedProgram(["show", pipe]).start()
        // Now the program waits for bytes.
        let descriptor = try running.openWhenRead(pipe)
        defer { close(descriptor) }
        running.send(signal)
        #expect(try running.wait() == .init(code: nil, signal: signal, output: [], errors: ""))
    }

    @Test(
        "groff reads the man page without a warning",
        .enabled(if: TestData.exists("/usr/bin/groff"), "needs groff"))
    func manual() throws {
        let outcome = try SpawnedProgram.shell("\"$0\" help --man | groff -man -Tutf8 -ww -z")
        #expect(outcome == .init(code: 0, output: [], errors: ""))
    }

    @Test(
        "Shells read their completion scripts without an error",
        arguments: Shell.allCases.filter { TestData.exists("/usr/bin/\($0.rawValue)") })
    func completions(shell: Shell) throws {
        let outcome = try SpawnedProgram.shell("\"$0\" completions \(shell.rawValue) | \(shell.rawValue) -n")
        #expect(outcome == .init(code: 0, output: [], errors: ""))
    }

    @Test(
        "bash completes commands, options and values",
        .enabled(if: TestData.exists("/bin/bash"), "needs bash"),
        arguments: [
            ("spyglass li", "list"), ("spyglass list --lim", "--limit"), ("spyglass list --color t", "truecolor"),
            ("spyglass completions z", "zsh"), ("spyglass help do", "doctor"), ("spyglass --arch", "--archive"),
            ("spyglass list --stats = j", "json"), ("spyglass show --enl", "--enlarge"),
        ])
    func bash(line: String, completion: String) throws {
        let script = """
            source <("$0" completions bash)
            COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _spyglass; echo "${COMPREPLY[*]}"
            """
        let outcome = try SpawnedProgram.shell(script, "bash")
        #expect(String(decoding: outcome.output, as: UTF8.self) == completion + "\n" && outcome.errors == "")
    }

    @Test(
        "bash completes names with spaces, of files and of folders",
        .enabled(if: TestData.exists("/bin/bash"), "needs bash"),
        arguments: [
            ("show re", "[show][red.png]"), ("show tw", "[show][two words.png]"), ("show 'tw", "[show][two words.png]"),
            ("list --archive my", "[list][--archive][my archive/]"),
            ("list --archive=my", "[list][--archive=my archive/]"),
        ])
    func bashNames(line: String, arguments: String) throws {
        try folder.write("two words.png", [])
        #expect(mkdir(folder.path("my archive"), 0o700) == 0)
        // An interactive bash reads its commands through readline, so that a tab completes.
        let script = """
            cd \(folder.path)
            source <(\(SpawnedProgram.path ?? "") completions bash)
            spyglass() { printf '[%s]' "$@" >&3; }
            spyglass \(line)\t\n
            """
        let result = folder.path("said")
        let outcome = try SpawnedProgram.shell(
            "exec bash --norc --noprofile -i 3> \(result)", input: Array(script.utf8))
        #expect(try folder.text("said") == arguments, "\(outcome.errors)")
    }
}

@Suite("End to end: transfers of show", .needsProgram, .timeLimit(.minutes(10)))
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

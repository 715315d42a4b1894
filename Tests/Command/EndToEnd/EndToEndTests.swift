import Glibc
import SpyglassFetching
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite(
    "End to end",
    .enabled(if: SpawnedProgram.path != nil, "the program has not been built beside the tests"),
    .timeLimit(.minutes(10)))
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
        #expect(try run("--version").code == 0)
        #expect(try run("help", "list").code == 0)
        #expect(try run("show", image) == .init(code: 0, output: Self.red, errors: ""))
    }

    @Test("Exit codes: 1 for a failed item, 2 for usage, 3 for a failed command")
    func failure() throws {
        #expect(try run("show", "/nonexistent.jpg").code == 1)
        #expect(try run("--nonsense").code == 2)
        #expect(try run("list", "--archive", "/nonexistent").code == 3)
    }

    @Test("A demo list is complete, with images")
    func demo() throws {
        let outcome = try run("list", "--source", "demo", "--limit", "3", "--cells", "80x24")
        #expect(outcome.code == 0)
        #expect(outcome.output.count { $0 == UInt8(ascii: "\n") } == 30)
        #expect(outcome.errors == "spyglass: 3 of 10,000\n")
    }

    @Test(
        "A closed pipe is a quiet success",
        arguments: [["help"], ["list", "--source", "demo", "--limit", "200"], ["list", "--source", "demo", "--json"]])
    func closedPipe(words: [String]) throws {
        let outcome = try SpawnedProgram(words, output: .closedPipe).run()
        #expect(outcome == .init(code: 0, output: [], errors: ""))
    }

    @Test("A signal ends a batch that waits for its manifest, with a summary")
    func interruptedBatch() throws {
        let manifest = folder.path("manifest")
        #expect(mkfifo(manifest, 0o600) == 0)
        let words = ["resize", "--manifest", manifest, "--out", folder.path("out"), "--report", "-"]
        let running = try SpawnedProgram(words, output: .closedPipe).start()
        let writing = try running.openWhenRead(manifest)
        defer { close(writing) }
        running.send(SIGINT)
        let outcome = try running.wait()
        #expect(outcome.signal == SIGINT)
        #expect(outcome.errors.hasPrefix("spyglass: interrupted: 0 made, in "), "\(outcome.errors)")
    }

    @Test("A missing standard output is a write error, and no file replaces it")
    func missingOutput() throws {
        let outcome = try run("show", image, output: .missing)
        #expect(outcome.code == 3)
        #expect(outcome.errors.hasPrefix("spyglass: cannot write the output: "))
        #expect(try run("list", "--source", "demo", output: .missing).code == 3)
        #expect(try folder.read("red.png") == TinyPNG.solid(255, 0, 0))
    }

    @Test("A missing standard input is a failed item")
    func missingInput() throws {
        let outcome = try run("show", "-", image, input: .missing)
        #expect(outcome.code == 1)
        #expect(outcome.output == Self.red)
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
        #expect(outcome.code == 3)
        #expect(outcome.errors == "spyglass: cannot write the output: No space left on device\n")
    }

    @Test("A list ends without an error when head closes the pipe")
    func head() throws {
        let outcome = try SpawnedProgram.shell("\"$0\" list --source demo --limit all | head -1")
        #expect(outcome.code == 0)
        #expect(outcome.errors == "")
        #expect(outcome.output.count { $0 == UInt8(ascii: "\n") } == 1)
    }

    @Test("An image's name as the only word opens it")
    func loneFile() throws {
        let outcome = try run("--json", image)
        #expect(outcome.code == 0 && outcome.errors == "")
        let name = image.split(separator: "/").last ?? ""
        let line = String(decoding: outcome.output, as: UTF8.self)
        #expect(line.hasPrefix(#"{"id":""#) && line.contains(#""title":"\#(name)""#))
    }

    @Test("A pipe's reader that exits early is not awaited")
    func pipeWithoutReader() throws {
        let pipe = try namedPipe()
        let running = try SpawnedProgram(["--version"]).start()
        #expect(throws: SpawnedProgram.SpawnError.self) { try running.openWhenRead(pipe) }
        #expect(try running.wait().code == 0)
    }

    // MARK: Over the network

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
        #expect(outcome.code == 0)
        #expect(String(decoding: outcome.output, as: UTF8.self).contains("48;2;255;0;0m  \u{1B}[0m"))
        #expect(outcome.errors.contains("\"requests\":2,"))
        #expect(server.requests.allSatisfy { $0.headers["User-Agent"] == SpyglassVersion.userAgent })
    }

    @Test("A refused connection exits 3 with one line")
    func refused() throws {
        let server = try LoopbackServer { _ in .init(404) }
        let address = server.address("/").description
        server.stop()
        let outcome = try run("list", "mars", "--endpoint", address)
        #expect(outcome.code == 3)
        #expect(outcome.errors.split(separator: "\n").count == 1)
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
        #expect(outcome.signal == signal)
        #expect(outcome.output == [])
        #expect(terminal.readRest() == "\u{18}\u{1B}\\\u{1B}[0m\r\u{1B}[K")
    }

    // MARK: Pipes with names, and signals

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

    // MARK: Generated text in other programs

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
        #expect(String(decoding: outcome.output, as: UTF8.self) == completion + "\n")
        #expect(outcome.errors == "")
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

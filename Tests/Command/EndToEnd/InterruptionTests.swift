import Glibc
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("Signals during terminal output", .needsProgram, .timeLimit(.minutes(10)))
struct InterruptionTests {
    private let folder: TemporaryFolder
    private let terminal: PseudoTerminal

    /// An image of half a megabyte, more than an unread terminal buffers (64 KiB for a pty of Linux).
    private static let largePicture = ["show", "--enlarge", "--cells", "1000x1000"]
    private static let endlessList = ["list", "--source", "demo", "--limit", "all"]
    /// The end of an interrupted sequence, and a reset of colours.
    private static let mended = "\u{18}\u{1B}\\\u{1B}[0m"

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("red.png", TinyPNG.solid(255, 0, 0))
        terminal = try PseudoTerminal()
    }

    /// Starts the program on the terminal and reads only its first bytes, so that it blocks in a write.
    private func start(_ words: [String]) throws -> SpawnedProgram.Running {
        var program = SpawnedProgram(words)
        program.terminalPath = terminal.path
        let running = try program.start()
        _ = terminal.read(until: "\u{1B}[0m", from: running)
        return running
    }

    @Test("An interrupted image ends its sequence and its line", arguments: [SIGINT, SIGTERM, SIGHUP])
    func show(signal: Int32) throws {
        let running = try start(Self.largePicture + [folder.path("red.png")])
        running.send(signal)
        #expect(terminal.read(until: Self.mended, from: running).hasSuffix(Self.mended))
        #expect(try running.wait().signal == signal)
        #expect(terminal.readRest() == "\r\n")
    }

    @Test("An interrupted picture of kitty's ends, with the cursor below it")
    func picture() throws {
        try folder.write("noise.png", TinyPNG.noise(width: 400, height: 400))
        var program = SpawnedProgram(["show", "--pixels", "kitty", folder.path("noise.png")])
        program.terminalPath = terminal.path
        let running = try program.start()
        _ = terminal.read(until: "\u{1B}_G", from: running)
        running.send(SIGTERM)
        #expect(terminal.read(until: Self.mended, from: running).hasSuffix(Self.mended))
        #expect(try running.wait().signal == SIGTERM)
        #expect(terminal.readRest() == "\u{1B}_Gq=2,m=0;\u{1B}\\\u{1B}[999B\r\n")
    }

    @Test("Signals during output of another thread", arguments: [SIGINT, SIGTERM])
    func list(signal: Int32) throws {
        let running = try start(Self.endlessList)
        running.send(signal)
        #expect(terminal.read(until: Self.mended, from: running).hasSuffix(Self.mended))
        #expect(try running.wait().signal == signal)
        #expect(["", "\r\n", "\r\u{1B}[K"].contains(terminal.readRest()))
    }

    @Test("Ctrl-C discards unread output, and colours are reset")
    func controlC() throws {
        // The shell keeps the terminal open: it would hang up with its session leader.
        let words = Self.endlessList.joined(separator: " ")
        var program = SpawnedProgram(
            ["-c", "trap : INT; \"$0\" \(words); echo ended $?; read line", SpawnedProgram.path ?? ""])
        program.terminalPath = terminal.path
        program.leadsSession = true
        let running = try program.start("/bin/sh")
        _ = terminal.read(until: "\u{1B}[0m", from: running)
        terminal.type("\u{3}")
        let ending = terminal.read(until: "ended 130\r\n", from: running)
        let last = ending.components(ofLast: Self.mended)
        #expect(last.map { ["", "\r\n", "\r\u{1B}[K"].contains($0) } == true, "\(ending.suffix(100).debugDescription)")
        terminal.type("\n")
        _ = try running.wait()
    }

    @Test("A signal ends the process on a terminal that is not read", arguments: [SIGINT, SIGTERM])
    func stuck(signal: Int32) throws {
        let running = try start(Self.endlessList)
        running.send(signal)
        #expect(try running.wait().signal == signal)
    }

    @Test("An ignored signal stays ignored, as under nohup")
    func ignored() throws {
        var program = SpawnedProgram(
            ["-c", "trap '' HUP; exec \"$0\" \(Self.endlessList.joined(separator: " "))", SpawnedProgram.path ?? ""])
        program.terminalPath = terminal.path
        let running = try program.start("/bin/sh")
        _ = terminal.read(until: "\u{1B}[0m", from: running)
        running.send(SIGHUP)
        running.send(SIGTERM)
        // A pending hangup would have been delivered first.
        #expect(try running.wait().signal == SIGTERM)
    }

    @Test("Output to a file is not restored")
    func file() throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        var program = SpawnedProgram(["show", folder.path("red.png"), pipe])
        program.errorsPath = terminal.path
        let running = try program.start()
        // Opened for writing once the program waits for bytes.
        let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        running.send(SIGTERM)
        let outcome = try running.wait()
        let red = Array("\u{1B}[48;2;255;0;0m  \u{1B}[0m\n".utf8)
        #expect(outcome.signal == SIGTERM && outcome.output == red && terminal.readRest() == "")
    }
}

extension String {
    /// The output between the last `mark` and the shell's prompt, without the echo of Ctrl-C.
    fileprivate func components(ofLast mark: String) -> String? {
        let bytes = Array(utf8)
        let mark = Array(mark.utf8)
        guard let at = bytes.indices.last(where: { bytes[$0...].starts(with: mark) }) else { return nil }
        let rest = String(decoding: bytes[(at + mark.count)...], as: UTF8.self)
        return rest.replacing("ended 130\r\n", with: "").replacing("^C", with: "")
    }
}

import Glibc
import SpyglassTestSupport
import Testing

@testable import spyglass

@Suite("Asking a terminal what it draws", .needsProgram, .timeLimit(.minutes(10)))
struct TerminalQueryTests {
    private let folder: TemporaryFolder
    private let terminal: PseudoTerminal
    private static let fence = "\u{1B}[c"

    init() throws {
        folder = try TemporaryFolder()
        terminal = try PseudoTerminal()
    }

    private func start(
        _ words: [String] = ["doctor", "--source", "demo", "--cells", "200x50"], _ variables: [String] = [],
        controls: Bool = true
    ) throws -> SpawnedProgram.Running {
        var program = SpawnedProgram(words)
        program.environment += ["HOME=\(folder.path)"] + variables
        program.terminalPath = terminal.path
        program.leadsSession = controls
        return try program.start()
    }

    /// The line of the report that names the choice.
    private func choice(in report: String) -> String {
        report.split(whereSeparator: \.isNewline).first { $0.contains("drawn by") }.map(String.init) ?? report
    }

    @Test("A silent terminal gets half-blocks, and is not asked again")
    func silent() throws {
        let first = try start()
        let asked = terminal.read(until: Self.fence, from: first)
        #expect(asked.hasSuffix(Self.fence))
        #expect(try first.wait().code == 0)
        #expect(choice(in: terminal.readRest()).contains(" half "))
        let second = try start()
        #expect(try second.wait().code == 0)
        let report = terminal.readRest()
        #expect(!report.contains(Self.fence) && choice(in: report).contains("no reply in 100 ms"))
    }

    @Test("A reply that is late does not reach the shell", .enabled(if: PseudoTerminal.acceptsInput))
    func late() throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let running = try start(["show", pipe])
        _ = terminal.read(until: Self.fence, from: running)
        // It reads the image once it no longer waits for replies.
        let descriptor = try running.openWhenRead(pipe)
        terminal.type("l\u{1B}[>41;379;0c\u{1B}[?63;4cs")
        let image = TinyPNG.solid(255, 0, 0)
        #expect(write(descriptor, image, image.count) == image.count)
        close(descriptor)
        #expect(try running.wait().code == 0)
        terminal.type("\n")
        #expect(terminal.readTyped() == "ls\n")
    }

    @Test("Without control of the terminal, and over ssh, nothing is asked")
    func notAsked() throws {
        for (variables, controls) in [([], false), (["SSH_TTY=/dev/pts/0"], true), (["TMUX=x"], true)] {
            let running = try start(["doctor", "--source", "demo"], variables, controls: controls)
            #expect(try running.wait().code == 0)
            #expect(!terminal.readRest().contains("\u{1B}"))
        }
    }

    @Test("In the background nothing is asked")
    func background() throws {
        let words = "\"$0\" doctor --source demo"
        var program = SpawnedProgram(["-c", "set -m; \(words) & wait; echo ended", SpawnedProgram.path ?? ""])
        program.environment += ["HOME=\(folder.path)"]
        program.terminalPath = terminal.path
        program.leadsSession = true
        let running = try program.start("/bin/sh")
        let shown = terminal.read(until: "ended\r\n", from: running)
        #expect(shown.contains("unknown terminal") && !shown.contains(Self.fence))
        _ = try running.wait()
    }

    @Test("What is typed ahead stays for the next program, and nothing is asked")
    func typedAhead() throws {
        terminal.type("echo hello\n")
        let running = try start()
        #expect(try running.wait().code == 0)
        #expect(!terminal.readRest().contains(Self.fence))
        #expect(terminal.readTyped() == "echo hello\n")
    }

    @Test("A signal while it waits restores the terminal first", arguments: [SIGINT, SIGTERM])
    func signal(_ number: Int32) throws {
        let before = terminal.settings
        let running = try start()
        _ = terminal.read(until: Self.fence, from: running)
        running.send(number)
        terminal.type("\u{1B}[?62;4c")
        #expect(try running.wait().signal == number)
        #expect(terminal.settings == before)
    }
}

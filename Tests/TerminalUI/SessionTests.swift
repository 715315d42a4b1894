import Glibc
import Testing

@testable import SpyglassTerminalUI

/// The content of the worker's frames, to find them in the output.
let frameText = "FFFF"

/// The bytes that restore the terminal.
let restoring = String(decoding: bytes(SessionSequences.restore), as: UTF8.self)

/// Checks every exit: settings and modes are restored, and no frame follows.
func expectRestored(_ terminal: SessionTerminal, _ location: SourceLocation = #_sourceLocation) {
    terminal.look()
    #expect(terminal.isAsBefore, "the settings are not those of before", sourceLocation: location)
    #expect(SessionModes(after: terminal.shown) == .untouched, sourceLocation: location)
    let parts = terminal.text.split(separator: restoring, omittingEmptySubsequences: false)
    #expect(parts.count > 1, "not restored", sourceLocation: location)
    #expect(parts.last?.contains(frameText) == false, "a frame behind the restoring", sourceLocation: location)
}

func bytes(_ text: StaticString) -> [UInt8] {
    Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
}

@Suite("TerminalSession", .serialized)
struct SessionTests {
    @Test("A session sets up the terminal and restores it")
    func whole() throws {
        let terminal = try SessionTerminal.drained("session", "mouse")
        terminal.look()
        let modes = SessionModes(after: terminal.shown)
        #expect(modes.changed == [1049, 7, 25, 1000, 1002, 1006, 2004, 2031] && modes.keyboardStack == 1)
        #expect(!terminal.isAsBefore)
        terminal.command("end")
        try terminal.event("over")
        #expect(terminal.isAsBefore)
        terminal.command("exit")
        #expect(try terminal.end() == 0)
        expectRestored(terminal)
    }

    @Test("Output arrives in order, and `drained` follows")
    func writing() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("frames 50")
        try terminal.event("written")
        terminal.command("line")
        try terminal.show("a line")
        try terminal.event("drained")
        terminal.look()
        #expect(terminal.shown.count { $0 == UInt8(ascii: "F") } == 50 * 1024)
        terminal.command("end")
        try terminal.event("over")
    }

    @Test("Standard input does not become non-blocking")
    func ownDescriptor() throws {
        let terminal = try SessionTerminal("session")
        #expect(try terminal.event { $0.hasPrefix("started") } == "started")
    }

    @Test("Keys are reported while the terminal is full")
    func keysWhileBlocked() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("frames 200")
        try terminal.fill()
        terminal.type("x\u{1B}[Bq")
        try terminal.event(#"key character("x")"#)
        try terminal.event("key down")
        try terminal.event(#"key character("q")"#)
    }

    @Test("A paste without an end is reported after a pause")
    func endlessPaste() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.type("\u{1B}[200~pasted")
        try terminal.event(#"input paste("pasted")"#)
        terminal.type("\u{03}")
        try terminal.event(#"key character("c")"#)
    }

    @Test("Ctrl-C, Ctrl-Z and Ctrl-S are keys")
    func controlKeys() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.type("\u{03}\u{1A}\u{13}\r")
        for key in ["c", "z", "s"] { try terminal.event(#"key character("\#(key)")"#) }
        try terminal.event("key enter")
    }

    @Test("Output that the terminal has not read is dropped at the end")
    func neverReading() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.look()
        let before = terminal.shown.count
        terminal.command("frames 200")
        try terminal.fill()
        terminal.command("end")
        try terminal.event("over")
        #expect(terminal.isAsBefore)
        terminal.command("exit")
        #expect(try terminal.end() == 0)
        expectRestored(terminal)
        // The kernel's buffers hold twelve kilobytes, which are dropped, too.
        #expect(terminal.shown.count - before < 8192)
    }

    @Test("The last of many resizes is reported with the new size")
    func resizingOften() throws {
        let terminal = try SessionTerminal.drained("session")
        for step in 1...500 { terminal.resize(columns: UInt16(step), rows: UInt16(1000 - step)) }
        try terminal.event("resized 500x500")
        terminal.type("x")
        try terminal.event(#"key character("x")"#)
    }

    @Test("The mouse is switched off and on, and off at the end")
    func mouse() throws {
        let terminal = try SessionTerminal.drained("session", "mouse")
        terminal.command("mouse off")
        try terminal.event("drained")
        terminal.look()
        #expect(SessionModes(after: terminal.shown).changed.isDisjoint(with: [1000, 1002, 1006]))
        terminal.command("mouse on")
        try terminal.event("drained")
        terminal.look()
        #expect(SessionModes(after: terminal.shown).changed.isSuperset(of: [1000, 1002, 1006]))
        terminal.command("end")
        try terminal.event("over")
        expectRestored(terminal)
    }

    @Test("Late replies, also to a later query, do not reach the shell", arguments: [true, false])
    func lateReplies(isLater: Bool) throws {
        let terminal = try SessionTerminal(["session"] + (isLater ? [] : ["ask"]))
        try terminal.event("drained")
        if isLater {
            terminal.command("background")
            try terminal.event("drained")
        }
        terminal.look()
        #expect(terminal.text.hasSuffix("\u{1B}[c"))
        let start = terminal.shown.count
        terminal.command("end")
        try terminal.show("\u{1B}[?1049l", after: start)
        terminal.type("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\\u{1B}[?62;22c")
        try terminal.event("over")
        // Neither echoed nor left as input.
        #expect(terminal.waitingInput == 0)
        terminal.look()
        #expect(!terminal.text.contains("rgb:0000"))
    }

    @Test("Without queries an Escape does not wait for replies")
    func nothingAsked() throws {
        let terminal = try SessionTerminal("session")
        try terminal.event("started")
        terminal.type("\u{1B}")
        try terminal.event("key escape")
        terminal.type("P")
        try terminal.event(#"key character("P")"#)
    }

    @Test("Standard error appears after the session")
    func standardError() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("errors")
        try terminal.event("said")
        terminal.command("line")
        try terminal.show("a line")
        #expect(!terminal.text.contains("an error message"))
        terminal.command("end")
        try terminal.show("\u{1B}[?1049lan error message\r\n")
    }

    @Test("More standard error than is held blocks no writer")
    func muchStandardError() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("errors 10000")
        try terminal.event("said")
        #expect(try terminal.leave() == 0)
        let below = try #require(terminal.text.split(separator: "\u{1B}[?1049l").last)
        #expect(below.utf8.count > 60 << 10 && below.utf8.count < 80 << 10)
    }

    @Test("A process has one session")
    func once() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("again")
        try terminal.event("refused cannot open the terminal: the process already has a terminal session")
    }

    @Test("A closed window is SIGHUP, or the end of the terminal if ignored", arguments: [false, true])
    func hangUp(isIgnored: Bool) throws {
        let terminal = try SessionTerminal.drained("session", isIgnored ? "nohup" : "hup")
        terminal.hangUp()
        try terminal.event(isIgnored ? "closed" : "ended \(SIGHUP)")
    }

    @Test("Without a terminal a session fails to start")
    func noTerminal() throws {
        let session = TerminalSession { _ in }
        // The tests' standard input may be a terminal, but not their standard output.
        guard isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 else { return }
        #expect(throws: TerminalError.noTerminal) { try session.start() }
        session.write(TerminalBytes(escaped: "nowhere"))
        #expect(!session.isWriting)
        session.end()
    }
}

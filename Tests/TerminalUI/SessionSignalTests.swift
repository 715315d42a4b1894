import Glibc
import Testing

@testable import SpyglassTerminalUI

@Suite("Signals in a terminal session", .serialized)
struct SessionSignalTests {
    private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Of wait(2)'s status, without the note that memory was dumped.
    private func signal(of status: Int32) -> Int32 { status & 0x7F }

    @Test("A signal restores the terminal, is told, and ends the process as itself", arguments: endings)
    func ends(number: Int32) throws {
        let terminal = try SessionTerminal("session", "mouse")
        try terminal.event("drained")
        terminal.signal(number)
        try terminal.event("ended \(number)")
        try terminal.event("saved")
        #expect(try signal(of: terminal.end()) == number)
        expectRestored(terminal)
    }

    @Test("No frame comes behind the restoring when a signal comes while much is written")
    func inTheMiddle() throws {
        for _ in 0..<20 {
            let terminal = try SessionTerminal("session")
            try terminal.event("drained")
            terminal.command("frames 4000")
            try terminal.event("written")
            terminal.signal(SIGTERM)
            #expect(try signal(of: terminal.end()) == SIGTERM)
            expectRestored(terminal)
        }
    }

    @Test("A terminal that reads nothing does not keep the process", arguments: endings)
    func blocked(number: Int32) throws {
        let terminal = try SessionTerminal("session")
        try terminal.event("drained")
        terminal.command("frames 200")
        try terminal.fill()
        terminal.signal(number)
        #expect(try signal(of: terminal.end()) == number)
        expectRestored(terminal)
    }

    @Test("A signal and an end at once restore the terminal once, and the process ends by the signal")
    func atTheEnd() throws {
        for _ in 0..<8 {
            let terminal = try SessionTerminal("session", "mouse")
            try terminal.event("drained")
            terminal.command("end")
            terminal.signal(SIGTERM)
            #expect(try signal(of: terminal.end()) == SIGTERM)
            expectRestored(terminal)
            let leaving = String(decoding: bytes(SessionSequences.leaving), as: UTF8.self)
            #expect(terminal.text.split(separator: leaving, omittingEmptySubsequences: false).count == 2)
        }
    }

    @Test("A program that does not end is ended")
    func obstinate() throws {
        let terminal = try SessionTerminal("session", "obstinate")
        try terminal.event("drained")
        terminal.signal(SIGTERM)
        try terminal.event("ended \(SIGTERM)")
        #expect(try signal(of: terminal.end()) == SIGTERM)
        expectRestored(terminal)
    }

    @Test("A second Ctrl-C ends the process as the first one")
    func twice() throws {
        let terminal = try SessionTerminal("session", "obstinate")
        try terminal.event("drained")
        terminal.signal(SIGINT)
        try terminal.event("ended \(SIGINT)")
        terminal.signal(SIGINT)
        #expect(try signal(of: terminal.end()) == SIGINT)
        expectRestored(terminal)
    }

    @Test("Behind `end`, a signal ends the process without writing what a session would")
    func afterwards() throws {
        let terminal = try SessionTerminal("session")
        try terminal.event("drained")
        terminal.command("end")
        try terminal.event("over")
        terminal.signal(SIGTERM)
        #expect(try signal(of: terminal.end()) == SIGTERM)
        expectRestored(terminal)
        let leaving = String(decoding: bytes(SessionSequences.leaving), as: UTF8.self)
        #expect(terminal.text.hasSuffix(leaving))
    }

    #if THREAD_SANITIZER
        // Its own handler for SIGSEGV ends the process in its own way.
        private static let crashes = ["trap", "abort"]
    #else
        private static let crashes = ["trap", "abort", "fault"]
    #endif

    @Test("A trap restores the terminal, and its words are read below", arguments: crashes)
    func faults(command: String) throws {
        let terminal = try SessionTerminal("session", "mouse")
        try terminal.event("drained")
        terminal.command("frames 300")
        try terminal.event("written")
        terminal.command(command)
        let number = try signal(of: terminal.end())
        #expect(number == ["trap": SIGILL, "abort": SIGABRT, "fault": SIGSEGV][command])
        expectRestored(terminal)
        if command == "trap" {
            let below = terminal.text.split(separator: "\u{1B}[?1049l").last
            #expect(below?.contains("the last words") == true)
        }
    }

    // MARK: Stopping

    @Test("A stop gives the terminal back, and going on takes it again", arguments: ["suspend", "signal"])
    func stops(way: String) throws {
        let terminal = try SessionTerminal("shell", "session", "mouse")
        try terminal.event("drained")
        if way == "signal" { terminal.signal(SIGTSTP) } else { terminal.command("suspend") }
        try terminal.event("stopped")
        expectRestored(terminal)
        let before = terminal.shown.count
        terminal.resize(columns: 33, rows: 11)
        terminal.command("fg")
        try terminal.event("continued")
        try terminal.event("resized 33x11")
        try terminal.event("drained")
        terminal.look()
        #expect(!terminal.isAsBefore)
        let modes = SessionModes(after: Array(terminal.shown[before...]))
        #expect(modes.changed == [1049, 7, 25, 1000, 1006, 2004])
        #expect(modes.keyboardStack == 1)
        terminal.command("line")
        try terminal.show("a line", after: before)
        terminal.type("x")
        try terminal.event(#"key character("x")"#)
        terminal.command("end")
        try terminal.event("over")
        terminal.command("exit")
        _ = try terminal.end()
        expectRestored(terminal)
    }

    @Test("A stop in the middle of a frame that nobody reads drops the frame")
    func stopsBlocked() throws {
        let terminal = try SessionTerminal("shell", "session")
        try terminal.event("drained")
        terminal.command("frames 200")
        try terminal.fill()
        terminal.signal(SIGTSTP)
        try terminal.event("stopped")
        terminal.empty()
        let before = terminal.shown.count
        terminal.command("fg")
        try terminal.event("continued")
        try terminal.event("drained")
        terminal.look()
        let since = terminal.shown[before...]
        let frames = since.split(separator: bytes(SessionSequences.leaving)).last?.count { $0 == UInt8(ascii: "F") }
        #expect(frames == 0)
    }

    @Test("Two stops at once are one, and the next one finds the handler in its place")
    func stopsTwice() throws {
        let terminal = try SessionTerminal("shell", "session", "ask")
        try terminal.event("drained")
        for _ in 0..<3 {
            let before = terminal.shown.count
            terminal.signal(SIGTSTP)
            // While it waits for answers.
            try terminal.show("\u{1B}[?1049l", after: before)
            terminal.signal(SIGTSTP)
            try terminal.event("stopped")
            expectRestored(terminal)
            terminal.command("fg")
            try terminal.event("continued")
            try terminal.event("drained")
        }
    }

    @Test("A stop that is called off before it has come about leaves the program running")
    func stopCalledOff() throws {
        let terminal = try SessionTerminal("shell", "session")
        try terminal.event("drained")
        terminal.type("\u{1B}[0n")
        try terminal.event("reply status")
        terminal.command("painted")
        try terminal.event("drained")
        let before = terminal.shown.count
        terminal.signal(SIGTSTP)
        // It waits for the status, half a second: the terminal has answered before.
        try terminal.show("\u{1B}[?1049l", after: before)
        terminal.signal(SIGCONT)
        #expect(try terminal.event { ["continued", "stopped"].contains($0) } == "continued")
        terminal.command("line")
        try terminal.show("a line", after: before)
    }

    @Test("SIGSTOP, which asks nobody, is made good when the program goes on")
    func stopsUnasked() throws {
        let terminal = try SessionTerminal("shell", "session")
        try terminal.event("drained")
        terminal.signal(SIGSTOP)
        try terminal.event("stopped")
        terminal.command("fg")
        try terminal.event("continued")
        try terminal.event("drained")
        terminal.command("end")
        try terminal.event("over")
        expectRestored(terminal)
    }

    @Test("What goes on in the background stops again, and leaves the terminal alone")
    func continuesBehind() throws {
        let terminal = try SessionTerminal("shell", "session")
        try terminal.event("drained")
        terminal.signal(SIGTSTP)
        try terminal.event("stopped")
        terminal.command("bg")
        try terminal.event("stopped")
        expectRestored(terminal)
        terminal.command("fg")
        try terminal.event("continued")
    }

    @Test("What is begun in the background is refused, and touches nothing")
    func beginsBehind() throws {
        let terminal = try SessionTerminal("shell", "session", "behind")
        try terminal.event("refused \(TerminalError.noTerminal)")
        _ = try terminal.end()
        #expect(terminal.shown.isEmpty)
        #expect(terminal.isAsBefore)
    }

    @Test("A stopped program that is killed leaves the terminal alone")
    func killedWhileStopped() throws {
        let terminal = try SessionTerminal("shell", "session")
        try terminal.event("drained")
        terminal.signal(SIGTSTP)
        try terminal.event("stopped")
        try terminal.show("\u{1B}[?1049l")
        let before = terminal.shown.count
        terminal.command("kill")
        try terminal.event("job ended \(SIGTERM)")
        _ = try terminal.end()
        #expect(terminal.shown.count == before)
        expectRestored(terminal)
    }

    @Test("A stop that nobody could end is no stop")
    func orphaned() throws {
        let terminal = try SessionTerminal("session")
        try terminal.event("drained")
        terminal.command("suspend")
        try terminal.event("continued")
        terminal.command("line")
        try terminal.show("a line")
    }
}

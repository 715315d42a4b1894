import Glibc
import Testing

@testable import SpyglassTerminalUI

@Suite("TerminalSession: signals", .serialized)
struct SessionSignalTests {
    private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// Other signals that end a process by default: a resource limit, a power failure, a timer, two of the real-time ones.
    private static let rareEndings = [
        SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGPWR, SIGVTALRM, SIGPROF, SIGIO, SIGSTKFLT, 34, 64,
    ]

    /// The status of wait(2), without the core dump flag.
    private func signal(of status: Int32) -> Int32 { status & 0x7F }

    @Test("A signal restores the terminal, is reported, ends the process", arguments: endings + rareEndings)
    func ends(number: Int32) throws {
        let terminal = try SessionTerminal.drained("session", "mouse")
        terminal.signal(number)
        try terminal.event("ended \(number)")
        try terminal.event("saved")
        #expect(try signal(of: terminal.end()) == number)
        expectRestored(terminal)
    }

    @Test("Kitty's images are deleted on every way out", arguments: ["end", "return", "trap", "TERM"])
    func images(ending: String) throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("image")
        try terminal.show("a=p,")
        if ending == "TERM" { terminal.signal(SIGTERM) } else { terminal.command(ending) }
        if ending == "end" {
            try terminal.event("over")
            terminal.command("exit")
        }
        _ = try terminal.end()
        expectRestored(terminal)
        let before = try #require(terminal.text.split(separator: restoring, omittingEmptySubsequences: false).first)
        let sent = try #require(before.firstRange(of: "a=t,i=")).upperBound
        let id = before[sent...].prefix { $0 != "," }
        let deletion = try #require(before.firstRange(of: "a=d,d=I,i=\(id),q=2"))
        #expect(try #require(before.firstRange(of: "a=p,")).upperBound < deletion.lowerBound)
    }

    @Test("No output follows the restoring sequences after a signal")
    func inTheMiddle() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("frames 4000")
        try terminal.event("written")
        try terminal.show("FFFF")
        terminal.signal(SIGTERM)
        #expect(try signal(of: terminal.end()) == SIGTERM)
        expectRestored(terminal)
    }

    @Test("A terminal that reads nothing does not delay the exit", arguments: endings)
    func blocked(number: Int32) throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("frames 200")
        try terminal.fill()
        terminal.signal(number)
        #expect(try signal(of: terminal.end()) == number)
        expectRestored(terminal)
    }

    @Test("A concurrent signal and `end` restore the terminal once")
    func atTheEnd() throws {
        for _ in 0..<8 {
            let terminal = try SessionTerminal.drained("session", "mouse")
            terminal.command("end")
            terminal.signal(SIGTERM)
            #expect(try signal(of: terminal.end()) == SIGTERM)
            expectRestored(terminal)
            #expect(terminal.text.split(separator: restoring, omittingEmptySubsequences: false).count == 2)
        }
    }

    @Test("A program that ignores the signal is ended after a second, or at once by another", arguments: [false, true])
    func obstinate(isRepeated: Bool) throws {
        let terminal = try SessionTerminal.drained("session", "obstinate")
        terminal.signal(SIGINT)
        try terminal.event("ended \(SIGINT)")
        if isRepeated { terminal.signal(SIGINT) }
        #expect(try signal(of: terminal.end()) == SIGINT)
        expectRestored(terminal)
    }

    @Test("A signal after `end` writes nothing")
    func afterwards() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("end")
        try terminal.event("over")
        terminal.signal(SIGTERM)
        #expect(try signal(of: terminal.end()) == SIGTERM)
        expectRestored(terminal)
        #expect(terminal.text.hasSuffix(restoring))
    }

    #if THREAD_SANITIZER || ADDRESS_SANITIZER
        // The sanitiser's handler for SIGSEGV ends the process in its own way.
        private static let crashes = ["trap", "abort"]
    #else
        private static let crashes = ["trap", "abort", "fault"]
    #endif

    @Test("A trap restores the terminal, and its message follows", arguments: crashes)
    func faults(command: String) throws {
        let terminal = try SessionTerminal.drained("session", "mouse")
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

    @Test("A stop restores the terminal, a continuation takes it again", arguments: ["suspend", "signal"])
    func stops(way: String) throws {
        let terminal = try SessionTerminal.drained("shell", "session", "mouse")
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
        #expect(modes.changed == [1049, 7, 25, 1000, 1002, 1006, 2004, 2031])
        #expect(modes.keyboardStack == 1)
        terminal.command("line")
        try terminal.show("a line", after: before)
        terminal.type("x")
        try terminal.event(#"key character("x")"#)
        try terminal.leave()
        expectRestored(terminal)
    }

    @Test("A lent terminal is as before, Ctrl-C does not end the program, and after a key it is taken again")
    func lending() throws {
        let terminal = try SessionTerminal.drained("session", "mouse")
        terminal.command("lend")
        try terminal.event("lent")
        try terminal.show("a lent line")
        #expect(SessionModes(after: terminal.shown) == .untouched)
        terminal.signal(SIGINT)
        // The wait for a key drops what was typed before.
        while terminal.isAsBefore { terminal.look() }
        let before = terminal.shown.count
        terminal.type("x")
        try terminal.event("given back")
        try terminal.event("continued")
        terminal.command("line")
        try terminal.show("a line", after: before)
        #expect(SessionModes(after: Array(terminal.shown[before...])).changed.contains(1049))
        terminal.type("y")
        try terminal.event(#"key character("y")"#)
        try terminal.leave()
        expectRestored(terminal)
    }

    @Test("A stop during an unread frame drops the frame")
    func stopsBlocked() throws {
        let terminal = try SessionTerminal.drained("shell", "session")
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
        let frames = since.split(separator: bytes(SessionSequences.restore)).last?.count { $0 == UInt8(ascii: "F") }
        #expect(frames == 0)
    }

    @Test("Two concurrent stops are one, and the handler stays set")
    func stopsTwice() throws {
        let terminal = try SessionTerminal.drained("shell", "session", "ask")
        for _ in 0..<3 {
            let before = terminal.shown.count
            terminal.signal(SIGTSTP)
            // While it waits for replies.
            try terminal.show("\u{1B}[?1049l", after: before)
            terminal.signal(SIGTSTP)
            try terminal.event("stopped")
            expectRestored(terminal)
            terminal.command("fg")
            try terminal.event("continued")
            try terminal.event("drained")
        }
    }

    @Test("A cancelled stop leaves the program running")
    func stopCalledOff() throws {
        let terminal = try SessionTerminal.drained("shell", "session")
        terminal.type("\u{1B}[0n")
        try terminal.event("reply status")
        terminal.command("painted")
        try terminal.event("drained")
        let before = terminal.shown.count
        terminal.signal(SIGTSTP)
        // It waits half a second for the status, since the terminal has replied before.
        try terminal.show("\u{1B}[?1049l", after: before)
        terminal.signal(SIGCONT)
        #expect(try terminal.event { ["continued", "stopped"].contains($0) } == "continued")
        terminal.command("line")
        try terminal.show("a line", after: before)
    }

    @Test("After SIGSTOP a continuation sets up the terminal again")
    func stopsUnasked() throws {
        let terminal = try SessionTerminal.drained("shell", "session")
        terminal.signal(SIGSTOP)
        try terminal.event("stopped")
        terminal.command("fg")
        try terminal.event("continued")
        try terminal.event("drained")
        terminal.command("end")
        try terminal.event("over")
        expectRestored(terminal)
    }

    @Test("A continuation in the background stops again")
    func continuesBehind() throws {
        let terminal = try SessionTerminal.drained("shell", "session")
        terminal.signal(SIGTSTP)
        try terminal.event("stopped")
        terminal.command("bg")
        try terminal.event("stopped")
        expectRestored(terminal)
        terminal.command("fg")
        try terminal.event("continued")
    }

    @Test("A start in the background fails and changes nothing")
    func beginsBehind() throws {
        let terminal = try SessionTerminal("shell", "session", "behind")
        try terminal.event("refused \(TerminalError.noTerminal)")
        _ = try terminal.end()
        #expect(terminal.shown.isEmpty)
        #expect(terminal.isAsBefore)
    }

    @Test("A stopped program that is killed leaves the terminal restored", arguments: ["kill", "kill late"])
    func killedWhileStopped(_ command: String) throws {
        let terminal = try SessionTerminal.drained("shell", "session")
        terminal.signal(SIGTSTP)
        try terminal.event("stopped")
        try terminal.show("\u{1B}[?1049l")
        let before = terminal.shown.count
        terminal.command(command)
        try terminal.event("job ended \(SIGTERM)")
        _ = try terminal.end()
        #expect(terminal.shown.count == before)
        expectRestored(terminal)
    }

    @Test("A stop without a shell has no effect")
    func orphaned() throws {
        let terminal = try SessionTerminal.drained("session")
        terminal.command("suspend")
        try terminal.event("continued")
        terminal.command("line")
        try terminal.show("a line")
    }
}

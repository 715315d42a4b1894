import Glibc
import Testing

@Suite("TerminalQuery", .timeLimit(.minutes(10)))
struct TerminalQueryTests {
    private static let fence = "\u{1B}[c"
    /// Whether a process may put input into its terminal's queue (TIOCSTI, since Linux 6.2 an option).
    private static let givesBack: Bool = {
        guard let file = fopen("/proc/sys/dev/tty/legacy_tiocsti", "r") else { return true }
        defer { fclose(file) }
        return fgetc(file) == Int32(UInt8(ascii: "1"))
    }()

    /// The terminal after it has sent `replies` to the queries, and the worker has told `outcome`.
    private func terminal(_ replies: String, _ outcome: String, seconds: Int = 10) throws -> SessionTerminal {
        let terminal = try SessionTerminal("query", "\(seconds)")
        try terminal.show(Self.fence)
        terminal.type(replies)
        let told = try terminal.event { _ in true }
        #expect(told == outcome)
        #expect(try terminal.end() == 0)
        #expect(terminal.isAsBefore)
        return terminal
    }

    @Test(
        "Replies choose how images are drawn",
        arguments: [
            ("\u{1B}P>|kitty(0.40.0)\u{1B}\\\u{1B}[>1;4000;40c\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c", "kitty"),
            ("\u{1B}[>41;379;0c\u{1B}[?63;1;2;4;6;9;15;22c", "sixel"),
            ("\u{1B}P>|VTE(7800)\u{1B}\\\u{1B}[?65;1;9c", "octant"),
            ("\u{1B}[>0;1302;1c\u{1B}[?6c", "sextant"), ("\u{1B}[?6c", "half"),
            // Claims to be kitty, and does not reply to its query.
            ("\u{1B}P>|kitty(0.40.0)\u{1B}\\\u{1B}[?62;c", "octant"),
            // Nonsense.
            ("\u{1B}P>|\u{7}\u{1B}\\\u{1B}[6;0;0t\u{1B}_Gi=31;\u{1B}\\\u{1B}[>;;;c\u{1B}[?;;;c", "half"),
            ("\u{1B}]11;rgb:\u{1B}\u{1B}[99;99;99;99t\u{1B}[?999999999999;4c", "sixel"),
        ])
    func replies(_ replies: String, choice: String) throws { _ = try terminal(replies, choice) }

    @Test("Kitty's reply decides, though DA1 is late")
    func kittyAlone() throws { _ = try terminal("\u{1B}_Gi=31;OK\u{1B}\\", "kitty", seconds: 2) }

    @Test("Input without end ends the wait")
    func flood() throws { _ = try terminal(String(repeating: "x", count: 6000), "silent", seconds: 600) }

    @Test("What is typed among the replies is given back", .enabled(if: TerminalQueryTests.givesBack))
    func typedBetween() throws {
        #expect(try terminal("ls\u{1B}[>41;379;0cé\u{1B}[6;-5;7t\u{1B}[?63;4c", "sixel").waitingInput == 4)
    }
}

internal import Glibc
internal import SpyglassCTerminal

/// The terminal of a session as it was before, for another program.
package struct LentTerminal: Sendable {
    /// The path that opens the terminal in a child of this process: the session's descriptor is non-blocking.
    package let path: String
    private let descriptor: Int32
    /// Milliseconds between two looks for such a signal.
    private static let signalInterval: Int32 = 50

    init(descriptor: Int32) {
        self.descriptor = descriptor
        path = "/proc/self/fd/\(descriptor)"
    }

    /// A terminal that shows nothing and has no keys, for tests.
    package init(nowhere path: String = "/dev/null") { (self.path, descriptor) = (path, -1) }

    package func print(_ line: TerminalText, glyphs: GlyphSet) {
        guard descriptor >= 0 else { return }
        try? StreamWriter(descriptor: descriptor).write(TerminalBytes(line: line, glyphs: glyphs))
    }

    /// Whether a signal has asked this program to end: its caller should return soon, before a second has passed.
    package var isEnding: Bool { descriptor >= 0 && sg_signals_recorded() != 0 }

    /// Waits for a key, which is not shown, and returns its first byte; what was typed before does not count.
    ///
    /// The bytes after `:` stay for the session; other keys may be sequences, whose rest is dropped. Returns `nil` if this
    /// program is to end.
    package func waitForKey() -> UInt8? {
        var before = termios()
        guard descriptor >= 0, tcgetattr(descriptor, &before) == 0 else { return nil }
        var during = before
        during.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        // Enter must stay a carriage return for the session, which reads what follows `:`.
        during.c_iflag &= ~tcflag_t(ICRNL)
        var key: UInt8 = 0
        defer { tcsetattr(descriptor, key == UInt8(ascii: ":") ? TCSANOW : TCSAFLUSH, &before) }
        tcsetattr(descriptor, TCSAFLUSH, &during)
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // A signal interrupts only the thread that receives it.
        while !isEnding, poll(&request, 1, Self.signalInterval) <= 0 {}
        return read(descriptor, &key, 1) == 1 ? key : nil
    }
}

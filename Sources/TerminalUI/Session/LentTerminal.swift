internal import Glibc
internal import SpyglassCTerminal

/// The terminal of a session as it was before, for another program.
package struct LentTerminal: Sendable {
    /// The path that opens the terminal in a child of this process: the session's descriptor is non-blocking.
    package let path: String
    private let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        path = "/proc/self/fd/\(descriptor)"
    }

    /// A terminal that shows nothing and presses any key, for tests.
    package init(nowhere path: String = "/dev/null") { (self.path, descriptor) = (path, -1) }

    package func print(_ line: TerminalText, glyphs: GlyphSet) {
        guard descriptor >= 0 else { return }
        try? StreamWriter(descriptor: descriptor).write(TerminalBytes(line: line, glyphs: glyphs))
    }

    /// Waits for a key, which is not shown, and returns its first byte; what was typed before does not count.
    ///
    /// What follows `:` is left for the session; other keys may be sequences, whose rest is dropped.
    package func waitForKey() -> UInt8? {
        var before = termios()
        guard descriptor >= 0, tcgetattr(descriptor, &before) == 0 else { return nil }
        var during = before
        during.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(descriptor, TCSAFLUSH, &during)
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // A signal that ends this program interrupts the wait.
        while sg_signals_recorded() == 0, poll(&request, 1, -1) < 0, errno == EINTR {}
        var key: UInt8 = 0
        guard read(descriptor, &key, 1) == 1 else { key = 0; return nil }
        tcsetattr(descriptor, key == UInt8(ascii: ":") ? TCSANOW : TCSAFLUSH, &before)
        return key
    }
}

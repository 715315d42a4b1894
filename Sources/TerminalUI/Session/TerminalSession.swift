/// A terminal that belongs to a full-screen program, from `start` to `end`.
///
///     let session = TerminalSession { event in queue.add(event) }
///     try session.start(.init(usesMouse: true))
///     session.write(frame.bytes)
///     session.end()
///
/// Raw mode, the alternate screen, no wrapping, the mouse (SGR), bracketed paste and kitty's keyboard flags, put back on every way out:
/// `end`, a signal, a stop (SIGTSTP) and a trap. A thread of its own reads and writes, on a descriptor of its own, so that no call here
/// waits and nobody else's descriptor is changed.
public final class TerminalSession: Sendable {
    /// What is wanted of the terminal.
    public struct Options: Hashable, Sendable {
        /// Whether clicks and the wheel are reported.
        public var usesMouse: Bool

        /// Options.
        public init(usesMouse: Bool = true) { self.usesMouse = usesMouse }
    }

    /// What happens to the terminal.
    public enum Event: Hashable, Sendable {
        /// Something came from it.
        case input(InputEvent)
        /// Its size changed, or may have (SIGWINCH).
        case resized(TerminalCapabilities.WindowReport)
        /// The program was stopped and goes on (SIGCONT): the screen is to be painted anew.
        case continued
        /// The terminal has taken everything that was written.
        case drained
        /// A signal asks the program to end; the terminal has been restored already, and what is written is dropped.
        case ended(signal: Int32)
        /// The terminal is gone.
        case closed
    }

    /// A session that has not begun.
    ///
    /// - Parameter onEvent: told of everything, on the session's thread; it must return at once.
    public init(onEvent: @escaping @Sendable (Event) -> Void) {}

    /// Takes the terminal over, and asks what it can do; nobody waits for its answers.
    public func start(_ options: Options = Options()) throws(TerminalSessionError) {}

    /// Sends bytes, after those before; never waits.
    public func write(_ bytes: TerminalBytes) {}

    /// Whether the terminal has not taken everything yet.
    public var isWriting: Bool { false }

    /// Switches the reports of the mouse on or off, so that text can be selected with it.
    public func setMouse(_ isOn: Bool) {}

    /// Stops the program as Ctrl-Z does elsewhere; it goes on with `continued`.
    public func suspend() {}

    /// Puts the terminal back as it was; takes less than a second, however slowly it reads.
    public func end() {}

    /// Ends the process by a signal's default action, after `ended`.
    public static func die(of signal: Int32) -> Never { fatalError() }
}

/// Why there is no session.
public enum TerminalSessionError: Error, Hashable, Sendable {
    /// Standard input or output is no terminal.
    case noTerminal
    /// A system call failed, in the C library's words.
    case failed(String)
}

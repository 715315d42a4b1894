internal import SpyglassBrowser
internal import SpyglassTerminalUI

/// A terminal that a program can have to itself: a real one, or a test's.
protocol Screen: BrowserTerminal {
    /// Takes it over.
    func start(_ options: TerminalSession.Options) throws(TerminalSessionError)
    /// Puts it back as it was.
    func end()
    /// Ends the process as the signal would have.
    func die(of signal: Int32)
}

extension TerminalSession: Screen {
    func die(of signal: Int32) { Self.die(of: signal) }
}

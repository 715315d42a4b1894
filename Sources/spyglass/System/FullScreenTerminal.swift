internal import SpyglassBrowser
internal import SpyglassTerminalUI

/// A terminal that a program can have to itself: a real one, or a test's.
protocol FullScreenTerminal: BrowserTerminal {
    /// Takes it over.
    func start(_ options: TerminalSession.Options) throws(TerminalError)
    /// Puts it back as it was.
    func end()
    /// Ends the process as the signal would have.
    func terminate(bySignal signal: Int32)
}

extension TerminalSession: FullScreenTerminal {
    func terminate(bySignal signal: Int32) { Self.terminate(bySignal: signal) }
}

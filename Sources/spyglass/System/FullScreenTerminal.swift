internal import SpyglassBrowser
internal import SpyglassTerminalUI

/// A terminal that a program takes over: a real one, or a fake.
protocol FullScreenTerminal: BrowserTerminal {
    func start(_ options: TerminalSession.Options) throws(TerminalError)
    /// Restores it.
    func end()
    /// Ends the process as the signal would have.
    func terminate(bySignal signal: Int32)
}

extension TerminalSession: FullScreenTerminal {
    func terminate(bySignal signal: Int32) { Self.terminate(bySignal: signal) }
}

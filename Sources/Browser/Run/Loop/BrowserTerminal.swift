package import SpyglassTerminalUI

/// What the browser does to a terminal; what comes from it arrives through `BrowserInbox`.
package protocol BrowserTerminal: Sendable {
    /// Whether it has not taken everything yet that was written.
    var isWriting: Bool { get }
    /// Sends bytes, after those before; never waits.
    func write(_ bytes: TerminalBytes)
    /// Switches the reports of the mouse.
    func setMouse(_ isOn: Bool)
    /// Stops the program as Ctrl-Z does elsewhere.
    func suspend()
}

extension TerminalSession: BrowserTerminal {}

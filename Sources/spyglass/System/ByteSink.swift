internal import SpyglassTerminalUI

/// An output: a standard stream, or memory in a test.
protocol ByteSink: Sendable {
    /// Writes all bytes, or throws.
    func write(_ bytes: TerminalBytes) throws(TerminalError)
}

extension StreamWriter: ByteSink {}

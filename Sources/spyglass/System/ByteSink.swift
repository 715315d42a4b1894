internal import SpyglassTerminalUI

/// Where a run writes: a standard stream, or memory in a test.
protocol ByteSink: Sendable {
    /// Writes all of it, or throws.
    func write(_ bytes: TerminalBytes) throws(TerminalError)
}

extension StreamWriter: ByteSink {}

import SpyglassTerminalUI

/// Where a run writes: a standard stream, or memory in a test.
protocol ByteSink: Sendable {
    /// Writes all of it, or throws.
    func write(_ bytes: [UInt8]) throws(StreamError)
}

extension StreamWriter: ByteSink {}

extension Duration {
    /// Whole milliseconds, for reports.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// Milliseconds with one decimal, for messages.
    var tenthsOfMilliseconds: String {
        let (seconds, attoseconds) = components
        let tenths = Int(seconds) * 10_000 + Int(attoseconds / 100_000_000_000_000)
        return "\(tenths / 10).\(tenths % 10)"
    }
}

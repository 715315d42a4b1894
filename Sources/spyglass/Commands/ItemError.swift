/// Why one of several things could not be shown.
struct ItemError: Error, Hashable, Sendable {
    let reason: String
    /// Whether the reason says already where it happened.
    let isWhole: Bool

    init(_ reason: String, isWhole: Bool = false) {
        self.reason = reason
        self.isWhole = isWhole
    }

    /// The line for people.
    func message(_ name: String) -> String { isWhole ? reason : "\(name): \(reason)" }
}

/// Says what failed in a run that goes on, and keeps account of it.
struct FailureLog {
    private let console: Console
    private let statistics: Statistics
    /// 1 when anything failed or was partial.
    private(set) var code = ExitCode.success

    init(_ console: Console, _ statistics: Statistics) {
        self.console = console
        self.statistics = statistics
    }

    mutating func add(_ message: String) {
        console.error(message)
        statistics.failed()
        code = .someFailed
    }
}

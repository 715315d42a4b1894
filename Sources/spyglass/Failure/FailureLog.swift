/// Prints and counts the failures of a run that continues.
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

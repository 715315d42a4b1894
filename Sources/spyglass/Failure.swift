internal import SpyglassBatch
internal import SpyglassBench
internal import SpyglassCaching
internal import SpyglassCatalog
internal import SpyglassFetching
internal import SpyglassTerminalUI

/// Ends a command at once, with one sentence for a person and the exit code.
struct Failure: Error, Hashable, Sendable {
    let code: ExitCode
    /// One sentence without `spyglass:` and without a newline; cleaned when it is printed.
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    static func usage(_ message: String) -> Failure { Failure(.usage, message) }
}

extension Failure {
    /// What an error means for the command that it ended; `nil` when it is none: the reader has left.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case TerminalError.outputClosed: return nil
        case let error as TerminalError: self.init(.unavailable, "\(error)")
        case let error as CatalogError: self.init(error.kind == .invalidQuery ? .usage : .unavailable, error.message)
        case let error as FetchError: self.init(ExitCode(error), error.message)
        case let error as BatchError: self.init(error)
        case let error as BenchError: self.init(.unavailable, "\(error)")
        case let problem as DiskCacheError: self.init(.unavailable, problem.message)
        case is CancellationError: self.init(.unavailable, "the work was cancelled")
        default: self.init(.fault, "a fault of ours, please report it: \(error)")
        }
    }
}

extension Failure {
    /// What ends a batch as a whole.
    init(_ error: BatchError) {
        self.init(error.kind == .usage ? .usage : .unavailable, error.message)
    }
}

extension ExitCode {
    /// What a fetch that failed means for its command: wrong usage where only the command line can mend it, by raising a
    /// limit; else that it could not go on.
    fileprivate init(_ error: FetchError) {
        switch error.exceededLimit {
        case .body, .redirects: self = .usage
        default: self = .unavailable
        }
    }
}

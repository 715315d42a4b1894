/// Starts processes that decode images for this one.
///
///     struct OwnLauncher: WorkerLauncher {
///         func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess { ... }
///     }
///     let decoder = ImageDecoder(workers: WorkerPool(launcher: OwnLauncher(), count: 2))
///
/// The started program has one end of a socket (`AF_UNIX`, `SOCK_SEQPACKET`) and calls `DecodeWorker.run`.
public protocol WorkerLauncher: Sendable {
    /// Starts one; may block for some milliseconds.
    ///
    /// - Parameter memoryBytes: the memory that it may use for images.
    /// - Returns: the process.
    /// - Throws: `CodecError`, if it cannot be started.
    func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess
}

/// A started worker: its socket, and how to end it.
public struct WorkerProcess: Sendable {
    /// The other end of its socket, which the pool closes.
    public let socket: Int32
    /// Ends it (SIGKILL), waits for its end, and returns how it ended.
    public let end: @Sendable () -> WorkerExit

    /// A process whose socket the pool owns from now on.
    public init(socket: Int32, end: @escaping @Sendable () -> WorkerExit) {
        self.socket = socket
        self.end = end
    }
}

/// How a worker ended.
@nonexhaustive
public enum WorkerExit: Hashable, Sendable {
    /// With an exit code.
    case code(Int32)
    /// By a signal; SIGKILL also if `WorkerProcess.end` sent it.
    case signal(Int32)
    /// Nothing is known of its end.
    case unknown

    /// The end that a wait status tells (`waitpid`).
    package init(waitStatus status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .code(status >> 8 & 0xFF) : .signal(signal)
    }

    /// Whether something other than its own code ended it.
    var isKill: Bool { self == .signal(9) || self == .unknown }

    /// `signal 4` or `exit code 2`.
    var words: String {
        switch self {
        case .code(let code): "exit code \(code)"
        case .signal(let signal): "signal \(signal)"
        case .unknown: "for an unknown reason"
        }
    }
}

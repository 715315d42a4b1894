/// Starts processes that decode what foreign libraries must decode.
///
///     struct OwnLauncher: WorkerLauncher {
///         func start(_ family: LibraryFamily, memoryBytes: Int) throws(CodecError) -> WorkerProcess { ... }
///     }
///     let decoder = ImageDecoder(workers: WorkerPool(launcher: OwnLauncher(), count: 2))
///
/// The started program has one end of a socket (`AF_UNIX`, `SOCK_SEQPACKET`) and calls `DecodeWorker.run`.
public protocol WorkerLauncher: Sendable {
    /// Starts one; may block for some milliseconds.
    ///
    /// - Parameters:
    ///   - family: the libraries that it opens.
    ///   - memoryBytes: the memory that it may use for images.
    /// - Returns: the process.
    /// - Throws: `CodecError`, if it cannot be started.
    func start(_ family: LibraryFamily, memoryBytes: Int) throws(CodecError) -> WorkerProcess
}

/// A started worker: its socket, and how to end it.
public struct WorkerProcess: Sendable {
    /// The other end of its socket, which the pool closes.
    public let socket: Int32
    /// Ends it (SIGKILL) and waits for its end; returns the signal or code by which it had ended by itself, as text.
    public let end: @Sendable () -> String?

    /// A process whose socket the pool owns from now on.
    public init(socket: Int32, end: @escaping @Sendable () -> String?) {
        self.socket = socket
        self.end = end
    }
}

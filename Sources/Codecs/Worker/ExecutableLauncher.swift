internal import SpyglassFiles
internal import SpyglassSandbox
internal import SpyglassThreads

/// Starts a program as a worker, with an empty environment and one socket.
package struct ExecutableLauncher: WorkerLauncher {
    package static let thisProgram = "/proc/self/exe"

    private let path: String

    package init(path: String) { self.path = path }

    package static func arguments(_ memoryBytes: Int) -> [String] { [DecodeWorker.argument, "\(memoryBytes)"] }

    package func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess {
        // Its program runs from the start again; each run would start workers of its own.
        guard CommandLine.arguments.dropFirst().first != DecodeWorker.argument else {
            throw CodecError(.library, "a worker starts no workers; \(DecodeWorker.remedy)")
        }
        do throws(FileError) {
            let (ours, theirs) = try MessageSocket.pair()
            let one = FileDescriptor(owning: ours)
            let other = FileDescriptor(owning: theirs)
            let process = try ChildProcess.spawn(path, Self.arguments(memoryBytes), socket: other.number)
            one.detach()
            let program = path == Self.thisProgram ? "this program" : path
            return WorkerProcess(socket: ours, program: program) {
                ChildProcess.end(process).map { WorkerExit(waitStatus: $0) } ?? .unknown
            }
        } catch { throw CodecError(.library, "cannot start the worker \(path): \(error.reason)") }
    }
}

extension WorkerPool {
    /// Workers that are this program again; it calls `DecodeWorker.runIfRequested()` first of all.
    ///
    ///     DecodeWorker.runIfRequested()
    ///     let workers = WorkerPool.currentExecutable(count: 2, deadline: .seconds(20))
    ///
    /// They decode every format, so that no file can harm this process. Starts nothing. An image fails with an error of kind
    /// `library` if the program does not answer as a worker.
    ///
    /// - Parameters:
    ///   - count: the maximum number of workers; by default as many as this process may use processors.
    ///   - deadline: the time that an image may take.
    /// - Returns: the pool.
    public static func currentExecutable(count: Int? = nil, deadline: Duration = .seconds(60)) -> WorkerPool {
        WorkerPool(executable: ExecutableLauncher.thisProgram, count: count, deadline: deadline)
    }

    /// Workers of another program, for one that cannot call `DecodeWorker.runIfRequested()`: an installed `spyglass` serves.
    ///
    /// - Parameters:
    ///   - executable: its path.
    ///   - count: the maximum number of workers; by default as many as this process may use processors.
    ///   - deadline: the time that an image may take.
    public convenience init(executable: String, count: Int? = nil, deadline: Duration = .seconds(60)) {
        self.init(
            launcher: ExecutableLauncher(path: executable), count: count ?? ProcessorCount.usable, deadline: deadline,
            scope: .allFormats)
    }
}

import SpyglassCodecs
import SpyglassFiles
import SpyglassSandbox
import SpyglassThreads

/// Starts this program again as a worker.
final class ProgramLauncher: WorkerLauncher {
    private let broker = Mutex<ProcessBroker?>(nil)

    /// Lets another process start workers, so that this one can be locked; call it with one thread.
    func delegate(memoryBytes: Int) {
        let made = try? ProcessBroker(ExecutableLauncher.thisProgram, ExecutableLauncher.arguments(memoryBytes))
        broker.withLock { $0 = made }
    }

    func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess {
        guard let broker = broker.withLock({ $0 }) else {
            return try ExecutableLauncher(path: ExecutableLauncher.thisProgram).start(memoryBytes: memoryBytes)
        }
        do throws(FileError) {
            let (socket, process) = try broker.start()
            return WorkerProcess(socket: socket) {
                broker.end(process).map { WorkerExit(waitStatus: $0) } ?? .unknown
            }
        } catch { throw CodecError(.library, "cannot start a worker: \(error.reason)") }
    }
}

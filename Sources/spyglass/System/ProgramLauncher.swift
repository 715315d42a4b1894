import Glibc
import SpyglassCodecs
import SpyglassFiles
import SpyglassSandbox
import SpyglassThreads

/// Starts this program again as a worker, with an empty environment and one socket.
final class ProgramLauncher: WorkerLauncher {
    private let broker = Mutex<ProcessBroker?>(nil)

    /// The hidden first argument of a worker; the second is its memory in bytes.
    private static let argument = "--decode-worker"
    private static let program = "/proc/self/exe"

    /// Runs a worker and returns its exit code; `nil` if these are not a worker's arguments.
    static func runWorker(_ arguments: [Argument]) -> Int32? {
        guard arguments.count == 2, arguments[0].text == argument, let bytes = Int(arguments[1].text), bytes >= 0 else {
            return nil
        }
        ChildProcess.endWithParent()
        return DecodeWorker.run(memoryBytes: bytes)
    }

    private static func arguments(_ memoryBytes: Int) -> [String] { [argument, "\(memoryBytes)"] }

    /// Lets another process start workers, so that this one can be locked; call it with one thread.
    func delegate(memoryBytes: Int) {
        let made = try? ProcessBroker(Self.program, Self.arguments(memoryBytes))
        broker.withLock { $0 = made }
    }

    func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess {
        @Sendable func exit(_ status: Int32?) -> WorkerExit { status.map { WorkerExit(waitStatus: $0) } ?? .unknown }
        do throws(FileError) {
            if let broker = broker.withLock({ $0 }) {
                let (socket, process) = try broker.start()
                return WorkerProcess(socket: socket) { exit(broker.end(process)) }
            }
            let (ours, theirs) = try MessageSocket.pair()
            let one = FileDescriptor(owning: ours)
            let other = FileDescriptor(owning: theirs)
            let process = try ChildProcess.spawn(Self.program, Self.arguments(memoryBytes), socket: other.number)
            one.detach()
            return WorkerProcess(socket: ours) { exit(ChildProcess.end(process)) }
        } catch { throw CodecError(.library, "cannot start a worker: \(error.reason)") }
    }
}

import Glibc
import SpyglassCodecs
import SpyglassFiles
import SpyglassSandbox
import SpyglassTestSupport
import SpyglassThreads

/// Starts `decode-worker`, which is next to the tests, in one mode after another; the last one is repeated.
///
/// The mode `none` is a system that starts no process.
final class TestLauncher: WorkerLauncher {
    private let modes: [String]
    private let started = Mutex<[Int32]>([])

    init(_ modes: String...) { self.modes = modes }

    /// The processes that were started.
    var processes: [Int32] { started.withLock { $0 } }

    /// `nil` if it has not been built.
    static let path = ThisProcess.program("decode-worker")

    func start(memoryBytes: Int) throws(CodecError) -> WorkerProcess {
        do throws(FileError) {
            let (ours, theirs) = try MessageSocket.pair()
            let other = FileDescriptor(owning: theirs)
            let mode = modes[min(processes.count, modes.count - 1)]
            guard mode != "none" else { throw FileError("posix_spawn", code: EAGAIN) }
            let process = try ChildProcess.spawn(Self.path ?? "", [mode], socket: other.number)
            started.withLock { $0.append(process) }
            return WorkerProcess(socket: ours) {
                ChildProcess.end(process).map { WorkerExit(waitStatus: $0) } ?? .unknown
            }
        } catch {
            throw CodecError(.library, "\(error)")
        }
    }
}

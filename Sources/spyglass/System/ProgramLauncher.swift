import Glibc
import SpyglassCodecs
import SpyglassFiles
import SpyglassSandbox
import SpyglassThreads

/// A launcher that another process can do the work of.
protocol DelegatingLauncher: WorkerLauncher {
    /// From now on another process starts workers, which this one then need not be able to; call it with one thread.
    func delegate(memoryBytes: Int)
}

/// Starts this program again as a worker, with an empty environment and one socket.
final class ProgramLauncher: DelegatingLauncher {
    private let broker = Mutex<ProcessBroker?>(nil)

    /// The hidden first argument of a worker; the family and its memory follow.
    private static let argument = "--decode-worker"
    private static let program = "/proc/self/exe"

    /// Runs a worker if these are its arguments; returns its exit code.
    static func runWorker(_ arguments: [Argument]) -> Int32? {
        guard arguments.count == 3, arguments[0].text == argument,
            let family = LibraryFamily(rawValue: arguments[1].text), let bytes = Int(arguments[2].text), bytes >= 0
        else { return nil }
        return DecodeWorker.run(family, memoryBytes: bytes)
    }

    private static func arguments(_ family: LibraryFamily, _ memoryBytes: Int) -> [String] {
        [argument, family.rawValue, "\(memoryBytes)"]
    }

    func delegate(memoryBytes: Int) {
        let commands = LibraryFamily.allCases.map { Self.arguments($0, memoryBytes) }
        let made = try? ProcessBroker(Self.program, commands)
        broker.withLock { $0 = made }
    }

    func start(_ family: LibraryFamily, memoryBytes: Int) throws(CodecError) -> WorkerProcess {
        do throws(FileError) {
            if let broker = broker.withLock({ $0 }) {
                let (socket, process) = try broker.start(LibraryFamily.allCases.firstIndex(of: family) ?? 0)
                return WorkerProcess(socket: socket) { broker.end(process) }
            }
            let (ours, theirs) = try MessageSocket.pair()
            let one = FileDescriptor(owning: ours)
            let other = FileDescriptor(owning: theirs)
            let arguments = Self.arguments(family, memoryBytes)
            let process = try ChildProcess.spawn(Self.program, arguments, socket: other.number)
            one.detach()
            return WorkerProcess(socket: ours) { ChildProcess.end(process) }
        } catch {
            throw CodecError(.library, "cannot start a \(family.rawValue) worker: \(error.reason)")
        }
    }
}

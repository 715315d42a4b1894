import Glibc
import SpyglassCSandbox
import SpyglassCodecs
import SpyglassFiles
import SpyglassSandbox

/// A worker for the tests of `WorkerPool`, which decodes, or misbehaves.
///
///     decode-worker honest      decodes, locked
///     decode-worker forgetful   decodes one image, locked, and says of every other one that it is corrupt
///     decode-worker mortal      decodes one image, locked, and ends by a signal when it is asked for another
///     decode-worker crash       ends by a signal when it is asked
///     decode-worker silent      never answers
///     decode-worker garbage     answers with noise
///     decode-worker large       says that the image is larger than it was asked for
///     decode-worker greedy      asks for more memory again and again
///     decode-worker scribbles   answers, and writes into the shared memory afterwards
///     decode-worker twice       answers, and answers again without being asked
///     decode-worker missing     has no library
///     decode-worker mute        does not even start
///     decode-worker stillborn   crashes while it starts
///     decode-worker --decode-worker   reports why it cannot start a worker itself
///     decode-worker forbidden   tries what the lock forbids, and reports it in place of what took hold
@main
struct TestWorker {
    static func main() {
        let mode = CommandLine.arguments.dropFirst().first ?? ""
        ChildProcess.closeOthers()
        let socket = MessageSocket(owning: ChildProcess.socket)
        switch mode {
        case "honest", "forbidden", "forgetful", "mortal":
            var images = 0
            let code = DecodeWorker.serve(
                socket,
                beforeImage: { () throws(CodecError) in
                    images += 1
                    guard images > 1 else { return }
                    if mode == "forgetful" { throw CodecError(.corrupt, "forgotten") }
                    if mode == "mortal" { raise(SIGILL) }
                },
                prepare: { _ in
                    #if THREAD_SANITIZER || ADDRESS_SANITIZER
                        // A sanitizer's runtime needs what the lock forbids.
                        return ""
                    #else
                        let report = Sandbox.lock(.worker(memoryBytes: 1 << 30, usesThreads: false))
                        return mode == "forbidden" ? ForbiddenCalls.report : "\(report)"
                    #endif
                })
            exit(code)
        case "missing":
            let code = DecodeWorker.serve(socket) { (_) throws(CodecError) in
                throw CodecError(.unsupported, "needs libtest1: apt install libtest1")
            }
            exit(code)
        case "stillborn":
            signal(SIGILL, SIG_DFL)
            kill(getpid(), SIGILL)
        case "mute":
            while true {
                pause()
                // It lives as long as the process: its end would be told.
                _ = try? socket.isReadable(within: .zero)
            }
        case "--decode-worker":
            let code = DecodeWorker.serve(socket) { _ in
                do throws(CodecError) { return try WorkerPool(executable: "/bin/true").prepare(.builtIn) } catch {
                    return "\(error)"
                }
            }
            exit(code)
        default: misbehave(mode, socket)
        }
    }

    private static func misbehave(_ mode: String, _ socket: consuming MessageSocket) {
        guard let start = try? socket.receive(), !start.bytes.isEmpty,
            (try? socket.send([start.bytes[0], 0] + number(1) + [UInt8(ascii: "x")])) != nil,
            let (request, descriptors) = try? socket.receive(), let requestNumber = request.first
        else { return }
        switch mode {
        case "crash":
            signal(SIGSEGV, SIG_DFL)
            kill(getpid(), SIGSEGV)
        case "garbage":
            try? socket.send((0..<100).map { UInt8($0 * 37 & 255) })
        case "large":
            try? socket.send([requestNumber] + decoded(side: 60_000))
        case "greedy":
            var last = requestNumber
            while (try? socket.send([last, 3] + number(4 << 20) + number(0))) != nil,
                let next = (try? socket.receive())?.bytes.first
            { last = next }
        case "scribbles", "twice":
            // The image is in the shared memory.
            guard descriptors.count == 1, let memory = try? SharedMemory(receiving: descriptors[0]) else { return }
            _ = memory.write([UInt8](repeating: 7, count: memory.byteCount), at: 0)
            try? socket.send([requestNumber] + decoded(side: 4))
            if mode == "twice" { try? socket.send([requestNumber] + decoded(side: 4)) }
            // Until it is ended.
            while mode == "scribbles" { _ = memory.write([UInt8](repeating: 9, count: memory.byteCount), at: 0) }
        default: break
        }
        while true {
            pause()
            // It lives as long as the process: its end would be told.
            _ = try? socket.isReadable(within: .zero)
        }
    }

    /// Pixels of a PNG of 40x30, complete, without warnings and EXIF.
    private static func decoded(side: Int) -> [UInt8] {
        let header: [UInt8] = [1] + number(40) + number(30) + [0, 0, 0] + number(0)
        let part = number(1) + number(side) + number(side) + number(side * side * 4)
        return [5] + header + part + [0] + number(0) + number(0) + number(0) + number(-1) + number(-1) + number(-1)
    }

    private static func number(_ value: Int) -> [UInt8] {
        stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

/// What a locked process tries: each must fail.
enum ForbiddenCalls {
    static var report: String {
        var allowed: [String] = []
        func attempt(_ name: String, _ call: () -> Int) {
            errno = 0
            if call() >= 0 { allowed.append(name) }
        }
        attempt("open") { (try? Folder.working.open("/etc/passwd")) == nil ? -1 : 0 }
        attempt("create") { (try? Folder.working.open("/tmp/spyglass-lock", [.write, .create])) == nil ? -1 : 0 }
        attempt("socket") { Int(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)) }
        attempt("socket of UDP") { Int(Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)) }
        attempt("local socket") { Int(Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)) }
        attempt("kill") { Int(kill(getppid(), 0)) }
        attempt("exec") { (try? ChildProcess.spawn("/bin/true", [], socket: 3)).map { Int($0) } ?? -1 }
        attempt("fork") {
            guard let process = try? ChildProcess.fork() else { return -1 }
            if process == 0 { _exit(0) }
            return 0
        }
        attempt("ptrace") { sg_ptrace(getppid()) }
        attempt("memory of another process") { sg_read_memory(getppid()) }
        attempt("memory that can be run") {
            mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                ? -1 : 0
        }
        attempt("giving shared memory back") {
            let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
            // What it needs.
            guard memory != MAP_FAILED, madvise(memory, 4096, MADV_DONTNEED) == 0 else { return 0 }
            return Int(madvise(memory, 4096, MADV_REMOVE))
        }
        attempt("terminal input") {
            var byte: UInt8 = 10
            return Int(ioctl(0, UInt(TIOCSTI), &byte))
        }
        return allowed.isEmpty ? "nothing" : allowed.joined(separator: ", ")
    }
}

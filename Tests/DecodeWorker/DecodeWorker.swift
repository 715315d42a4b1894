import Glibc
import SpyglassCodecs
import SpyglassFiles
import SpyglassSandbox

/// A worker for the tests of `WorkerPool`, which decodes PNG files, or misbehaves.
///
///     decode-worker honest      decodes, locked
///     decode-worker crash       ends by a signal when it is asked
///     decode-worker silent      never answers
///     decode-worker garbage     answers with noise
///     decode-worker large       says that the image is larger than it was asked for
///     decode-worker scribbles   answers, and writes into the shared memory afterwards
///     decode-worker missing     has no library
///     decode-worker forbidden   tries what the lock forbids, and reports it in place of what took hold
@main
struct TestWorker {
    static func main() {
        let mode = CommandLine.arguments.dropFirst().first ?? ""
        ChildProcess.closeOthers()
        let socket = MessageSocket(owning: ChildProcess.socket)
        switch mode {
        case "honest", "forbidden":
            let code = DecodeWorker.serve(socket) {
                #if THREAD_SANITIZER || ADDRESS_SANITIZER
                    // A sanitizer's runtime needs what the lock forbids.
                    return ""
                #else
                    let report = Sandbox.lock(.worker(memoryBytes: 1 << 30, limitsItself: false))
                    return mode == "honest" ? "\(report)" : ForbiddenCalls.report
                #endif
            }
            exit(code)
        case "missing":
            let code = DecodeWorker.serve(socket) { () throws(CodecError) in
                throw CodecError(.unsupported, "needs libtest1: apt install libtest1")
            }
            exit(code)
        default: misbehave(mode, socket)
        }
    }

    private static func misbehave(_ mode: String, _ socket: consuming MessageSocket) {
        let ready = [UInt8(0)] + number(1) + [UInt8(ascii: "x")]
        guard (try? socket.send(ready)) != nil, let (_, descriptors) = try? socket.receive() else { return }
        switch mode {
        case "crash":
            signal(SIGSEGV, SIG_DFL)
            kill(getpid(), SIGSEGV)
        case "garbage":
            try? socket.send((0..<100).map { UInt8($0 * 37 & 255) })
        case "large":
            try? socket.send([2] + number(1) + number(60_000) + number(60_000) + tail)
        case "scribbles":
            guard descriptors.count == 2, let memory = try? SharedMemory(receiving: descriptors[1]) else { return }
            _ = memory.write([UInt8](repeating: 7, count: memory.byteCount), at: 0)
            try? socket.send([2] + number(1) + number(4) + number(4) + tail)
            // Until it is ended.
            while true { _ = memory.write([UInt8](repeating: 9, count: memory.byteCount), at: 0) }
        default: break
        }
        while true {
            pause()
            // It lives as long as the process: its end would be told.
            _ = try? socket.isReadable(within: 0)
        }
    }

    /// Complete, without warnings and EXIF.
    private static let tail: [UInt8] = [0] + number(0) + number(-1) + number(-1) + number(-1)

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
        attempt("create") { (try? Folder.working.open("/tmp/spyglass-lock", O_WRONLY | O_CREAT)) == nil ? -1 : 0 }
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
        attempt("ptrace") { SystemCall.ptrace(process: getppid()) }
        attempt("memory of another process") { SystemCall.readMemory(process: getppid()) }
        attempt("memory that can be run") {
            mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                ? -1 : 0
        }
        attempt("terminal input") {
            var byte: UInt8 = 10
            return Int(ioctl(0, UInt(TIOCSTI), &byte))
        }
        return allowed.isEmpty ? "nothing" : allowed.joined(separator: ", ")
    }
}

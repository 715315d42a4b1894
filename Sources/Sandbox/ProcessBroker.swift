internal import Glibc
package import SpyglassFiles
internal import SpyglassThreads

/// A small process that starts programs for one that has given that up.
///
///     let broker = try ProcessBroker("/proc/self/exe", [["--decode-worker", "webp", "1000"]])
///     let (socket, process) = try broker.start(0)
///
/// It is a copy of this process (`fork`), made while that has one thread, and knows its few command lines from then on. It ends
/// with the process that made it. Thread-safe; calls block until it has answered.
package final class ProcessBroker: Sendable {
    private let socket: Mutex<MessageSocket>

    /// Copies this process; each of `commands` is the arguments that `path` may be started with.
    package init(_ path: String, _ commands: [[String]]) throws(FileError) {
        let (ours, theirs) = try MessageSocket.pair()
        let process: Int32
        do throws(FileError) { process = try ChildProcess.fork() } catch {
            close(ours)
            close(theirs)
            throw error
        }
        if process == 0 {
            close(ours)
            Self.serve(MessageSocket(owning: theirs), path, commands)
        }
        close(theirs)
        socket = Mutex(MessageSocket(owning: ours))
    }

    /// Starts a program with the command line of that number; the caller owns the socket.
    package func start(_ command: Int) throws(FileError) -> (socket: Int32, process: Int32) {
        let (bytes, descriptors) = try ask([0] + Self.bytes(Int32(command)))
        guard let number = Self.number(bytes), number > 0, let socket = descriptors.first else {
            for descriptor in descriptors { close(descriptor) }
            throw FileError("posix_spawn", code: Self.number(bytes).map { -$0 } ?? EPROTO)
        }
        return (socket, number)
    }

    /// Ends a process that it has started; returns how that had ended by itself.
    package func end(_ process: Int32) -> String? {
        guard let (bytes, _) = try? ask([1] + Self.bytes(process)), bytes.count > 1 else { return nil }
        return String(decoding: bytes.dropFirst(), as: UTF8.self)
    }

    private func ask(_ request: [UInt8]) throws(FileError) -> ([UInt8], [Int32]) {
        try socket.withLock { (socket) throws(FileError) in
            try socket.send(request)
            return try socket.receive()
        }
    }

    // MARK: The process

    private static func serve(
        _ socket: consuming MessageSocket, _ path: String, _ commands: [[String]]
    ) -> Never {
        // Keys of the terminal are for the others, and its end is not ours.
        setpgid(0, 0)
        for number in 1...Int32(64) { signal(number, SIG_DFL) }
        if let nothing = try? Folder.working.open("/dev/null", O_RDWR) {
            for stream in STDIN_FILENO...STDERR_FILENO { dup2(nothing.number, stream) }
        }
        var started: Set<Int32> = []
        while let (request, descriptors) = try? socket.receive(), request.count == 5, descriptors.isEmpty,
            let number = number(request.dropFirst())
        {
            if request[0] == 0 {
                guard (try? start(number, path, commands, socket, &started)) != nil else { break }
            } else {
                let fate = started.remove(number) != nil ? ChildProcess.end(number) : nil
                guard (try? socket.send([0] + Array((fate ?? "").utf8))) != nil else { break }
            }
        }
        _exit(0)
    }

    private static func start(
        _ command: Int32, _ path: String, _ commands: [[String]], _ socket: borrowing MessageSocket,
        _ started: inout Set<Int32>
    ) throws(FileError) {
        guard commands.indices.contains(Int(command)) else { return try socket.send(bytes(-EINVAL)) }
        do throws(FileError) {
            let (theirs, ours) = try MessageSocket.pair()
            let one = FileDescriptor(owning: theirs)
            let other = FileDescriptor(owning: ours)
            let process = try ChildProcess.spawn(path, commands[Int(command)], socket: other.number)
            started.insert(process)
            try socket.send(bytes(process), descriptors: [one.number])
        } catch {
            try socket.send(bytes(-error.code))
        }
    }

    private static func bytes(_ number: Int32) -> [UInt8] {
        let bits = UInt32(bitPattern: number)
        return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }

    private static func number(_ bytes: some Collection<UInt8>) -> Int32? {
        guard bytes.count == 4 else { return nil }
        return Int32(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}

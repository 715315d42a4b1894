internal import Glibc
package import SpyglassFiles
internal import SpyglassThreads

/// A small process that starts programs for one that has given that up.
///
///     let broker = try ProcessBroker("/proc/self/exe", ["--decode-worker", "1000"])
///     let (socket, process) = try broker.start()
///
/// It is a copy of this process (`fork`), made while that has one thread. It keeps nothing open but its socket, starts that one
/// command line, and ends with the process that made it. Thread-safe; calls block until it has answered.
package final class ProcessBroker: Sendable {
    private let socket: Mutex<MessageSocket>

    /// Copies this process, which must have one thread; `path` is started with `arguments`.
    package init(_ path: String, _ arguments: [String]) throws(FileError) {
        let (ours, theirs) = try MessageSocket.pair()
        let process: Int32
        do throws(FileError) { process = try ChildProcess.fork() } catch {
            close(ours)
            close(theirs)
            throw error
        }
        if process == 0 {
            close(ours)
            Self.serve(MessageSocket(owning: theirs), path, arguments)
        }
        close(theirs)
        socket = Mutex(MessageSocket(owning: ours))
    }

    /// Starts the program; the caller owns the socket.
    package func start() throws(FileError) -> (socket: Int32, process: Int32) {
        let (bytes, descriptors) = try ask(Self.bytes(0))
        guard let number = Self.number(bytes), number > 0, let socket = descriptors.first else {
            for descriptor in descriptors { close(descriptor) }
            throw FileError("posix_spawn", code: Self.number(bytes).map { -$0 } ?? EPROTO)
        }
        return (socket, number)
    }

    /// Ends a process that it has started; returns its wait status, or `nil` if there is none.
    package func end(_ process: Int32) -> Int32? {
        guard let (bytes, _) = try? ask(Self.bytes(process)), let status = Self.number(bytes), status >= 0 else {
            return nil
        }
        return status
    }

    private func ask(_ request: [UInt8]) throws(FileError) -> ([UInt8], [Int32]) {
        try socket.withLock { (socket) throws(FileError) in
            try socket.send(request)
            return try socket.receive()
        }
    }

    /// Answers each number: 0 starts the program, any other ends the process of that number.
    private static func serve(
        _ socket: consuming MessageSocket, _ path: String, _ arguments: [String]
    ) -> Never {
        // Keys of the terminal are for the others, and its end is not ours.
        setpgid(0, 0)
        for number in 1...Int32(64) { signal(number, SIG_DFL) }
        if let nothing = try? Folder.working.open("/dev/null", .readAndWrite) {
            for stream in STDIN_FILENO...STDERR_FILENO { dup2(nothing.number, stream) }
        }
        ChildProcess.closeAll(except: socket.descriptor.number)
        var started: Set<Int32> = []
        while let (request, descriptors) = try? socket.receive(), request.count == 4, descriptors.isEmpty,
            let number = number(request[...])
        {
            if number == 0 {
                guard (try? start(path, arguments, socket, &started)) != nil else { break }
            } else {
                let status = started.remove(number) != nil ? ChildProcess.end(number) : nil
                guard (try? socket.send(bytes(status ?? -1))) != nil else { break }
            }
        }
        // Reaps its children: a container may have no other process that does.
        for process in started { ChildProcess.end(process) }
        _exit(0)
    }

    private static func start(
        _ path: String, _ arguments: [String], _ socket: borrowing MessageSocket, _ started: inout Set<Int32>
    ) throws(FileError) {
        do throws(FileError) {
            let (theirs, ours) = try MessageSocket.pair()
            let one = FileDescriptor(owning: theirs)
            let other = FileDescriptor(owning: ours)
            let process = try ChildProcess.spawn(path, arguments, socket: other.number)
            do throws(FileError) { try socket.send(bytes(process), descriptors: [one.number]) } catch {
                ChildProcess.end(process)
                throw error
            }
            started.insert(process)
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

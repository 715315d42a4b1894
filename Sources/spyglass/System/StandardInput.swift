internal import Glibc

/// What `-` reads: standard input, or bytes in a test.
protocol ByteSource: Sendable {
    /// Whether somebody would have to type the bytes.
    var isTerminal: Bool { get }

    /// Everything up to the end.
    ///
    /// - Throws: `ReadError` when there are more than `limit` bytes, or reading fails.
    func readAll(limit: Int) throws(ReadError) -> [UInt8]
}

/// Why bytes could not be read.
enum ReadError: Error, Hashable, Sendable {
    case tooLarge
    /// Nothing came for too long.
    case stalled
    /// The system's own words.
    case failed(String)

    /// The error that the last call left in `errno`.
    static var ofSystem: ReadError { .failed(String(cString: strerror(errno))) }
}

/// The standard input of this process.
struct StandardInput: ByteSource {
    var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    func readAll(limit: Int) throws(ReadError) -> [UInt8] {
        try DescriptorReader(descriptor: STDIN_FILENO, patience: nil).readAll(limit: limit)
    }
}

/// A pipe with a name, `<(command)` of a shell among them.
enum NamedPipe {
    /// Whether a name is that of a pipe; links are followed (stat(2)).
    static func isPipe(_ name: Argument) -> Bool {
        var status = stat()
        return name.withPath { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Everything that its writers write; a pipe that nobody writes to is given up after `patience` seconds.
    static func readAll(_ name: Argument, limit: Int, patience: Int) throws(ReadError) -> [UInt8] {
        // Without O_NONBLOCK opening itself would wait for a writer (fifo(7)).
        let descriptor = name.withPath { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .ofSystem }
        defer { close(descriptor) }
        return try DescriptorReader(descriptor: descriptor, patience: patience).readAll(limit: limit)
    }
}

/// A file that is read into memory.
enum FileReader {
    /// Everything in it; what is not a file of its own is refused.
    static func readAll(_ name: Argument, limit: Int) throws(ReadError) -> [UInt8] {
        // A pipe would be waited for (fifo(7)).
        let descriptor = name.withPath { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .ofSystem }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .ofSystem }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .failed("it is no ordinary file") }
        return try DescriptorReader(descriptor: descriptor, patience: nil).readAll(limit: limit)
    }
}

/// Reads a descriptor to its end.
private struct DescriptorReader {
    let descriptor: Int32
    /// Seconds that may pass without a byte; `nil` waits for ever.
    let patience: Int?

    /// Bytes asked for at a time: what a Linux pipe holds (pipe(7)).
    private static let chunk = 64 << 10

    func readAll(limit: Int) throws(ReadError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            if patience != nil { try waitForBytes() }
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            switch count {
            case 0: return bytes
            case 1...:
                guard count <= limit - bytes.count else { throw .tooLarge }
                bytes += chunk[..<count]
            default:
                if errno == EINTR { continue }
                guard errno == EAGAIN else { throw .ofSystem }
                try waitForBytes()
            }
        }
    }

    private func waitForBytes() throws(ReadError) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = patience.map { Int32(clamping: $0 * 1000) } ?? -1
        while true {
            switch poll(&request, 1, milliseconds) {
            case 0: throw .stalled
            case 1...: return
            default: guard errno == EINTR else { throw .ofSystem }
            }
        }
    }
}

import Glibc
import SpyglassCodecs

/// A picture on this machine.
enum LocalPicture: Hashable, Sendable {
    case standardInput
    /// A file, or a pipe with a name.
    case file(Argument)

    /// What messages call it.
    var name: String {
        switch self {
        case .standardInput: return "standard input"
        case .file(let argument): return argument.text
        }
    }

    /// Calls `body` with what the decoder reads; blocks while a pipe is read.
    func read<Value>(
        _ settings: Settings, _ input: any ByteSource, _ body: (EncodedSource) throws(ItemError) -> Value
    ) throws(ItemError) -> Value {
        switch self {
        case .standardInput:
            guard !input.isTerminal else { throw ItemError("it is a terminal; pipe a picture into it") }
            return try body(
                .bytes(
                    try bytes(settings) { () throws(ReadError) in
                        try input.readAll(limit: settings.maxBytes)
                    }))
        case .file(let name) where NamedPipe.isPipe(name):
            return try body(
                .bytes(
                    try bytes(settings) { () throws(ReadError) in
                        try NamedPipe.readAll(name, limit: settings.maxBytes, patience: settings.timeout)
                    }))
        case .file(let name) where name.isUTF8: return try body(.file(name.text))
        case .file(let name):
            // A name that is not UTF-8 is opened here, and read by the name that the kernel gives every open file
            // (proc_pid_fd(5)).
            let descriptor = name.withPath { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
            guard descriptor >= 0 else { throw ItemError(.ofSystem, settings) }
            defer { close(descriptor) }
            return try body(.file("/proc/self/fd/\(descriptor)"))
        }
    }

    private func bytes(
        _ settings: Settings, _ read: () throws(ReadError) -> [UInt8]
    ) throws(ItemError) -> [UInt8] {
        do {
            return try read()
        } catch {
            throw ItemError(error, settings)
        }
    }
}

extension ItemError {
    fileprivate init(_ error: ReadError, _ settings: Settings) {
        switch error {
        case .tooLarge:
            self.init("it has more than \(Values.grouped(settings.maxBytes)) bytes (raise the limit with --max-bytes)")
        case .stalled: self.init("nothing came, and --timeout is \(settings.timeout) s")
        case .failed(let reason): self.init(reason)
        }
    }
}

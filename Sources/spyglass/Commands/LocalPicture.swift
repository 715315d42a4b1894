import SpyglassCodecs
import SpyglassFiles

/// A picture on this machine.
enum LocalPicture: Hashable, Sendable {
    case standardInput
    /// A file, or a pipe with a name.
    case file(Argument)

    /// What messages call it.
    var name: String {
        switch self {
        case .standardInput: return "standard input"
        case .file(let argument): return argument.text.isEmpty ? "''" : argument.text
        }
    }

    /// Calls `body` with what the decoder reads; blocks while a pipe is read.
    func read<Value>(
        _ settings: Settings, _ input: any ByteSource, _ body: (EncodedImage) throws(ItemError) -> Value
    ) throws(ItemError) -> Value {
        if let bytes = try bytes(settings, input) { return try body(.bytes(bytes)) }
        guard case .file(let name) = self else { throw ItemError("it can be read only once") }
        guard !name.isUTF8 else { return try body(.file(name.text)) }
        // A name that is not UTF-8 is opened here, and read by the name that the kernel gives every open file
        // (proc_pid_fd(5)).
        let file: FileDescriptor
        do throws(FileError) { file = try Folder.working.open(name) } catch {
            throw ItemError(ReadError(error), settings)
        }
        return try body(.file("/proc/self/fd/\(file.number)"))
    }

    /// Everything of what can be read only once; `nil` for a file.
    private func bytes(_ settings: Settings, _ input: any ByteSource) throws(ItemError) -> [UInt8]? {
        do throws(ReadError) {
            switch self {
            case .standardInput:
                guard !input.isTerminal else { throw .failed("it is a terminal; pipe a picture into it") }
                return try input.readAll(limit: settings.maxBytes)
            case .file(let name):
                guard NamedPipe.isPipe(name) else { return nil }
                return try NamedPipe.readAll(name, limit: settings.maxBytes, timeout: settings.timeout)
            }
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

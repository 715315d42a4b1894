import SpyglassCodecs
import SpyglassFiles
import SpyglassThreads

/// An image file, pipe or standard input of this machine.
enum LocalImage: Hashable, Sendable {
    case standardInput
    case file(Argument)

    var name: String {
        switch self {
        case .standardInput: return "standard input"
        case .file(let argument): return argument.text.isEmpty ? "''" : argument.text
        }
    }

    /// Calls `body` with the input of the decoder; blocks while a pipe is read.
    func read<Value>(
        _ settings: Settings, _ input: any ByteSource, _ body: (EncodedImage) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if let bytes = try bytes(settings, input) { return try body(.bytes(bytes)) }
        guard case .file(let argument) = self else { throw failure("already read") }
        guard !argument.isUTF8 else { return try body(.file(argument.text)) }
        // The kernel has a UTF-8 name for every open file (proc_pid_fd(5)).
        let file: FileDescriptor
        do throws(FileError) { file = try Folder.working.open(argument) } catch {
            throw failure(ReadError(error), settings)
        }
        return try body(.file("/proc/self/fd/\(file.number)"))
    }

    /// The content of an input that can be read only once; `nil` for a file.
    private func bytes(_ settings: Settings, _ input: any ByteSource) throws(Failure) -> [UInt8]? {
        let limit = Self.limit(settings)
        do throws(ReadError) {
            switch self {
            case .standardInput:
                guard !input.isTerminal else { throw .failed("a terminal; pipe an image into it") }
                return try input.readAll(limit: limit)
            case .file(let name):
                guard NamedPipe.isPipe(name) else { return nil }
                return try NamedPipe.readAll(name, limit: limit, timeout: settings.timeout)
            }
        } catch {
            throw failure(error, settings)
        }
    }

    /// Growing copies: twice the bytes for a moment.
    private static func limit(_ settings: Settings) -> Int {
        min(settings.limits.bodyBytes, settings.workMemory.limit / 2)
    }

    private func failure(_ reason: String) -> Failure { Failure(.someFailed, "\(name): \(reason)") }

    private func failure(_ error: ReadError, _ settings: Settings) -> Failure {
        switch error {
        case .tooLarge:
            let limit = Self.limit(settings)
            let option = limit < settings.limits.bodyBytes ? "--work-memory" : "--max-bytes"
            return failure("more than \(Values.grouped(limit)) bytes (raise the limit with \(option))")
        case .stalled: return failure("no data within \(settings.timeout) s; raise --timeout")
        case .failed(let reason): return failure(reason)
        }
    }
}

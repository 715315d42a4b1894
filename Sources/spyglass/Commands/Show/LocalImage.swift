import SpyglassCodecs
import SpyglassFiles

/// An image file, pipe or standard input of this machine.
enum LocalImage: Hashable, Sendable {
    /// `isImplied`: without being named; then an idle one times out.
    case standardInput(isImplied: Bool = false)
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
            throw failure(error.reason)
        }
        return try body(.file("/proc/self/fd/\(file.number)"))
    }

    /// The content of an input that can be read only once; `nil` for a file.
    private func bytes(_ settings: Settings, _ input: any ByteSource) throws(Failure) -> [UInt8]? {
        if case .standardInput = self, input.isTerminal { throw failure("a terminal; pipe an image into it") }
        do throws(FileError) {
            switch self {
            case .standardInput(let isImplied):
                return try input.readAll(limit: settings.pipedBytes, timeout: isImplied ? settings.timeout : nil)
            case .file(let name):
                guard NamedPipe.isPipe(name) else { return nil }
                return try NamedPipe.readAll(name, limit: settings.pipedBytes, timeout: settings.timeout)
            }
        } catch {
            throw failure(error.message(settings))
        }
    }

    /// Guesses from the first bytes of a regular file which libraries decoding needs; any, for another input.
    var needs: DecodingNeeds {
        // Opening a pipe would wake its writer, opening a device may start it.
        guard case .file(let name) = self,
            (try? Folder.working.status(of: name, followingLinks: true))?.kind == .regular,
            let file = try? Folder.working.openRegular(name)
        else { return .unknown }
        return DecodingNeeds { count in try? file.bytes(count) }
    }

    private func failure(_ reason: String) -> Failure { Failure(.someFailed, "\(name): \(reason)") }
}

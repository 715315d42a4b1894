internal import Glibc
internal import SpyglassFiles
internal import SpyglassTerminalUI

@main
struct EntryPoint {
    static func main() {
        let arguments = arguments
        if let code = ProgramLauncher.runWorker(arguments) { exit(code) }
        StandardStreams.prepare()
        SystemMemory.saveAddressSpace()
        TerminalRestorer.install()
        switch Program(.ofProcess).start(arguments) {
        case .done(let code):
            TerminalQuery.dropLateReplies()
            exit(code.rawValue)
        case .unfinished(let rest): finish(rest)
        }
    }

    /// The arguments as bytes: file names need not be UTF-8.
    private static var arguments: [Argument] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            guard let word = CommandLine.unsafeArgv[index] else { return nil }
            return Argument(bytes: Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        }
    }

    /// Runs the rest in a task, while this thread waits for signals.
    private static func finish(_ rest: @escaping @Sendable () async -> ExitCode) -> Never {
        Task.detached {
            let code = await rest()
            TerminalQuery.dropLateReplies()
            // Not `exit`: `atexit` handlers would free objects that other threads still use.
            _exit(code.rawValue)
        }
        while true { pause() }
    }
}

enum StandardStreams {
    /// Makes a closed pipe an error of `write` instead of a signal, and opens missing descriptors 0, 1 and 2.
    ///
    /// Otherwise an opened file could become standard output. The wrong direction keeps its use an error.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // `open` returns the lowest free descriptor, which is the missing one (open(2)).
            try? Folder.working.open("/dev/null", descriptor == STDIN_FILENO ? .write : []).detach()
        }
    }
}

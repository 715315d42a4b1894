internal import Glibc
internal import SpyglassTerminalUI

/// The program: settles the standard streams, runs, and exits with the code that the run ends with.
@main
struct Spyglass {
    static func main() {
        StandardStreams.prepare()
        TerminalRestorer.install()
        switch Program(.ofProcess).start(arguments) {
        case .done(let code): exit(code.rawValue)
        case .unfinished(let rest): finish(rest)
        }
    }

    /// The words behind the program's name, byte by byte: file names need not be UTF-8.
    private static var arguments: [Argument] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            guard let word = CommandLine.unsafeArgv[index] else { return nil }
            return Argument(bytes: Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        }
    }

    /// Runs the rest on a task, while this thread waits for signals.
    private static func finish(_ rest: @escaping @Sendable () async -> ExitCode) -> Never {
        Task.detached {
            let code = await rest()
            // Not `exit`: handlers of the C library's `atexit` would pull things from under threads that still run.
            _exit(code.rawValue)
        }
        while true { pause() }
    }
}

import Glibc

/// The program: settles the standard streams, runs, and exits with the code that the run ends with.
@main
struct Spyglass {
    static func main() {
        StandardStreams.prepare()
        switch Program(.ofProcess).start(arguments) {
        case .done(let code): exit(code.rawValue)
        case .unfinished(let console, let rest): finish(console, rest)
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
    private static func finish(_ console: Console, _ rest: @escaping @Sendable () async -> ExitCode) -> Never {
        let signals = console.showsProgress ? TerminationSignals.block() : nil
        Task.detached {
            let code = await rest()
            // Not `exit`: handlers of the C library's `atexit` would pull things from under threads that still run.
            _exit(code.rawValue)
        }
        guard let signals else { while true { pause() } }
        let signal = signals.wait()
        console.clearProgressSoon()
        TerminationSignals.end(by: signal)
    }
}

import Glibc
import SpyglassCodecs
import SpyglassFetching
import SpyglassFiles
import SpyglassTerminalUI
import SpyglassThreads

/// One run of the program, from its arguments to its exit code.
///
/// `show FILE`, help and the like never start Swift's concurrency, which would take longer than they do.
struct Program: Sendable {
    enum Work: Sendable {
        case done(ExitCode)
        /// The rest needs a task.
        case unfinished(@Sendable () async -> ExitCode)
    }

    private let system: SystemServices

    init(_ system: SystemServices) { self.system = system }

    /// Parses the command line and runs it, up to where a task is needed.
    func start(_ arguments: [Argument]) -> Work {
        let parser = CommandLineParser(environment: system.environment, exists: \.exists)
        do { return try start(try parser.invocation(for: arguments)) } catch {
            return .done(Self.end(error, Console(system)))
        }
    }

    private func start(_ invocation: Invocation) throws -> Work {
        switch invocation {
        case .version: .done(try printing("spyglass \(SpyglassVersion.current)\n"))
        case .manual: .done(try printing(ManualPage.text()))
        case .nothing(let options) where hasScreen: try start(.browse, options, [])
        case .nothing, .help(nil): .done(try printing(HelpPage.overview()))
        case .help(let command?): .done(try printing(HelpPage.page(for: command)))
        case .keys: .done(try printKeys())
        case .run(let command, let options, let operands): try start(command, options, operands)
        }
    }

    private func printing(_ text: String) throws -> ExitCode {
        try Console(system).print(text)
        return .success
    }

    /// Prints the keys of the browser, and names the lines of the user's file that are wrong.
    private func printKeys() throws -> ExitCode {
        let folder = UserFolder.settings(in: system.environment)
        let file = KeysFile(in: folder)
        let console = Console(system)
        try console.print(HelpPage.keys(file.keys, path: folder?.path(of: KeysFile.file.name)))
        for problem in file.problems { console.error(problem) }
        return file.problems.isEmpty ? .success : .someFailed
    }

    private func start(_ command: Command, _ options: Options, _ operands: [Argument]) throws -> Work {
        if command == .browse, !options.picks, !hasScreen { return try start(.list, options, operands) }
        let settings = try Settings(options, for: command, on: system)
        let console = Console(system, options, progressOn: settings.terminal)
        if [.list, .show].contains(command), let note = settings.pixelsNote { console.note(note) }
        switch command {
        case .help: return .done(try printing(HelpPage.overview()))
        case .completions:
            return .done(try printing(CompletionScript.text(for: try Shell(operands, of: .completions, "shell"))))
        case .cache: return .done(try CacheCommand(settings, operands, system).run(console))
        case .bench:
            let bench = try BenchCommand(settings, operands, system)
            return bench.needsNetwork ? Self.unfinished(console, bench.runFetching) : .done(try bench.run(console))
        case .doctor: return Self.unfinished(console, try DoctorCommand(settings, operands, system).run)
        case .show:
            let show = try ShowCommand(settings, operands, system)
            return show.needsTasks ? Self.unfinished(console, show.runInTasks) : .done(try show.run(console))
        case .resize:
            var resize = try ResizeCommand(settings, operands, system)
            try resize.readInput()
            SystemMemory.keepFreedMemory()
            return Self.unfinished(console, resize.run)
        case .browse:
            let browse = BrowseCommand(settings: settings, operands: operands, system: system)
            return Self.unfinished(console, browse.run)
        case .list: return Self.unfinished(console, try ListCommand(settings, operands, system).run)
        }
    }

    private var hasScreen: Bool { system.screen { _ in } != nil }

    /// Minimum threads of a task: those of Swift's pool, of libcurl and of decoders.
    private static let minThreads = 6
    /// Minimum files that a task may open: Swift's runtime ends the program if it can open none.
    private static let minDescriptors = 64

    private static func unfinished(
        _ console: Console, _ body: @escaping @Sendable (Console) async throws -> ExitCode
    ) -> Work {
        let descriptors = DescriptorLimit.raise()
        guard descriptors >= minDescriptors else {
            let message = "needs \(minDescriptors) open files, and may have \(descriptors) (raise `ulimit -n`)"
            return .done(end(Failure(.unavailable, message), console))
        }
        do throws(ThreadError) { try SystemThreads.check(minThreads) } catch {
            let message = "cannot start threads: \(error) (raise `ulimit -u`, `-v` or `-d`)"
            return .done(end(Failure(.unavailable, message), console))
        }
        return .unfinished {
            do {
                let code = try await body(console)
                console.clearProgress()
                return code
            } catch { return end(error, console) }
        }
    }

    private static func end(_ error: any Error, _ console: Console) -> ExitCode {
        console.clearProgress()
        guard let failure = Failure(error) else { return .success }
        console.error(failure.message)
        return failure.code
    }
}

@main
struct EntryPoint {
    static func main() {
        let arguments = arguments
        DecodeWorker.runIfRequested()
        prepareStreams()
        // Swift reads them from /proc/self/cmdline; one without a word would mean help.
        guard CommandLine.argc > 0 else {
            Console(.ofProcess).error("cannot read the arguments: mount /proc")
            exit(ExitCode.unavailable.rawValue)
        }
        SystemMemory.saveAddressSpace()
        TerminalRestorer.install()
        switch Program(.ofProcess).start(arguments) {
        case .done(let code):
            TerminalQuery.dropLateReplies()
            exit(code.rawValue)
        case .unfinished(let rest): finish(rest)
        }
    }

    /// The arguments as bytes, since file names may not be UTF-8.
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

    /// Makes closed pipes and file size limits (`ulimit -f`) errors of `write` instead of signals, and opens missing descriptors 0,
    /// 1 and 2.
    ///
    /// Otherwise a file opened later could be standard output. The wrong direction makes their use an error.
    private static func prepareStreams() {
        for error in [SIGPIPE, SIGXFSZ] { signal(error, SIG_IGN) }
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // `open` returns the lowest free descriptor, which is the missing one (open(2)).
            try? Folder.working.open("/dev/null", descriptor == STDIN_FILENO ? .write : []).detach()
        }
    }
}

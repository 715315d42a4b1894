import Glibc
import SpyglassFetching
import SpyglassFiles
import SpyglassTerminalUI
import SpyglassThreads

/// One run of the program, from its arguments to its exit code.
///
/// `show FILE`, help and the like end without starting Swift's concurrency, which would cost more than they do.
struct Program: Sendable {
    enum Work: Sendable {
        case done(ExitCode)
        /// The rest needs a task.
        case unfinished(@Sendable () async -> ExitCode)
    }

    let system: SystemServices

    init(_ system: SystemServices) { self.system = system }

    /// Parses the command line and runs it, up to where a task is needed.
    func start(_ arguments: [Argument]) -> Work {
        let parser = CommandLineParser(environment: system.environment, exists: system.exists)
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
        case .run(let command, let options, let operands): try start(command, options, operands)
        }
    }

    private func printing(_ text: String) throws -> ExitCode {
        try Console(system).print(text)
        return .success
    }

    private func start(_ command: Command, _ options: Options, _ operands: [Argument]) throws -> Work {
        if command == .browse, !hasScreen { return try start(.list, options, operands) }
        let settings = try Settings(options, for: command, on: system)
        if [.list, .show].contains(command), let note = settings.pixelsNote { Console(system, settings).note(note) }
        switch command {
        case .help: return .done(try printing(HelpPage.overview()))
        case .completions:
            return .done(try printing(CompletionScript.text(for: try Shell(operands, of: .completions, "shell"))))
        case .cache:
            let cache = try CacheCommand(settings, operands, system)
            return .done(try cache.run(Console(system, settings, showsProgress: false)))
        case .bench:
            let bench = try BenchCommand(settings, operands, system)
            let console = Console(system, settings)
            guard bench.needsNetwork else { return .done(try bench.run(console)) }
            return Self.unfinished(console, bench.runFetching)
        case .doctor:
            let doctor = try DoctorCommand(settings, operands, system)
            return Self.unfinished(Console(system, settings, showsProgress: false), doctor.run)
        case .show:
            let show = try ShowCommand(settings, operands, system)
            let console = Console(system, settings, showsProgress: show.waits)
            guard show.needsTasks else { return .done(try show.run(console)) }
            return Self.unfinished(console, show.runInTasks)
        case .resize:
            var resize = try ResizeCommand(settings, operands, system)
            let console = Console(system, settings)
            try resize.readInput()
            SystemMemory.keepFreedMemory()
            return Self.unfinished(console, resize.run)
        case .browse:
            let browse = BrowseCommand(settings, operands, system)
            return Self.unfinished(Console(system, settings, showsProgress: false), browse.run)
        case .list:
            let list = try ListCommand(settings, operands, system)
            return Self.unfinished(Console(system, settings), list.run)
        }
    }

    private var hasScreen: Bool { system.screen { _ in } != nil }

    /// Threads that a task needs at least: those of Swift's pool, of libcurl and of decoders.
    private static let threadsNeeded = 6
    /// Files that a task needs open at least: Swift's runtime ends the program where it can open none.
    private static let descriptorsNeeded = 64

    private static func unfinished(
        _ console: Console, _ body: @escaping @Sendable (Console) async throws -> ExitCode
    ) -> Work {
        let descriptors = DescriptorLimit.raise()
        guard descriptors >= descriptorsNeeded else {
            let message = "needs \(descriptorsNeeded) open files, and may have \(descriptors) (raise `ulimit -n`)"
            return .done(end(Failure(.unavailable, message), console))
        }
        let code = SystemThreads.check(threadsNeeded)
        guard code == 0 else {
            let reason = String(cString: strerror(code))
            let failure = Failure(.unavailable, "cannot start threads: \(reason) (raise `ulimit -u`, `-v` or `-d`)")
            return .done(end(failure, console))
        }
        return .unfinished {
            do {
                let code = try await body(console)
                console.clearProgress()
                return code
            } catch {
                return end(error, console)
            }
        }
    }

    private static func end(_ error: any Error, _ console: Console) -> ExitCode {
        console.clearProgress()
        guard let failure = Failure(error) else { return .success }
        console.error(failure.message)
        return failure.code
    }
}

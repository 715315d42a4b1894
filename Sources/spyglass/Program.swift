import SpyglassFetching
import SpyglassTerminalUI

/// One run of the program, from its arguments to its exit code.
///
///     switch Program(system).start(arguments) {
///     case .done(let code): exit(code.rawValue)
///     case .unfinished(let rest): exit(await rest().rawValue)
///     }
///
/// `show FILE`, help and the like end without Swift's concurrency ever being started, which costs more than they do.
struct Program: Sendable {
    /// What is left after the part that needs no task.
    enum Work: Sendable {
        case done(ExitCode)
        /// The rest.
        case unfinished(@Sendable () async -> ExitCode)

        /// Waits for the rest.
        func code() async -> ExitCode {
            switch self {
            case .done(let code): return code
            case .unfinished(let rest): return await rest()
            }
        }
    }

    let system: SystemServices

    init(_ system: SystemServices) { self.system = system }

    /// Reads the command line and does what it asks, up to where a task is needed.
    func start(_ arguments: [Argument]) -> Work {
        let context = ParsingContext(environment: system.environment, isFile: system.isFile)
        do {
            return try start(try CommandLineParser(context).invocation(for: arguments))
        } catch {
            return .done(Self.end(error, Console(system)))
        }
    }

    private func start(_ invocation: Invocation) throws -> Work {
        switch invocation {
        case .version: try Console(system).print("spyglass \(SpyglassVersion.current)\n")
        case .manual: try Console(system).print(ManualPage.text())
        case .nothing(let settings):
            let browse = BrowseCommand(settings, [], system)
            guard browse.takesScreen else {
                try Console(system).print(HelpPage.overview())
                break
            }
            return try start(.browse, settings, [])
        case .help(nil): try Console(system).print(HelpPage.overview())
        case .help(let command?): try Console(system).print(HelpPage.page(for: command))
        case .run(let command, let settings, let operands): return try start(command, settings, operands)
        }
        return .done(.success)
    }

    private func start(_ command: Command, _ settings: Settings, _ operands: [Argument]) throws -> Work {
        switch command {
        case .help: try Console(system).print(HelpPage.overview())
        case .completions: try Console(system).print(CompletionScript.text(for: try Shell(operands)))
        case .cache:
            let cache = try CacheCommand(settings, operands, system)
            return .done(try cache.run(Console(system, settings)))
        case .bench:
            let bench = try BenchCommand(settings, operands, system)
            guard bench.needsNetwork else { return .done(try bench.run(bench.console)) }
            return Self.unfinished(bench.console) { console in try await bench.runFetching(console) }
        case .doctor:
            let doctor = try DoctorCommand(settings, operands, system)
            return Self.unfinished(Console(system, settings)) { console in try await doctor.run(console) }
        case .show:
            let show = try ShowCommand(settings, operands, system)
            guard show.needsNetwork else { return .done(try show.run(show.console)) }
            return Self.unfinished(show.console) { console in try await show.runFetching(console) }
        case .resize:
            let resize = try ResizeCommand(settings, operands, system)
            return Self.unfinished(resize.console) { console in try await resize.run(console) }
        case .browse:
            let browse = BrowseCommand(settings, operands, system)
            guard browse.takesScreen else { return try start(.list, settings, operands) }
            return Self.unfinished(Console(system, settings)) { console in try await browse.run(console) }
        case .list:
            let list = try ListCommand(settings, operands, system)
            return Self.unfinished(list.console) { console in try await list.run(console) }
        }
        return .done(.success)
    }

    /// Work for a task, which says itself what ended it early.
    private static func unfinished(
        _ console: Console, _ body: @escaping @Sendable (Console) async throws -> ExitCode
    ) -> Work {
        .unfinished {
            do {
                let code = try await body(console)
                console.clearProgress()
                return code
            } catch {
                return end(error, console)
            }
        }
    }

    /// The exit code of an error, after its message.
    private static func end(_ error: any Error, _ console: Console) -> ExitCode {
        console.clearProgress()
        guard let failure = Failure(error) else { return .success }
        console.error(failure.message)
        return failure.code
    }
}

extension Shell {
    /// The shell that the operands of `completions` name.
    fileprivate init(_ operands: [Argument]) throws(Failure) {
        let names = Values.alternatives(Shell.allCases.map(\.rawValue))
        guard operands.count == 1, let name = operands.first?.text else {
            throw .usage("completions needs a shell: \(names)")
        }
        guard let shell = Shell(rawValue: name) else { throw .usage("no completions for \(name), only for \(names)") }
        self = shell
    }
}

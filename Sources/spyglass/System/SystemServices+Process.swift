internal import Glibc
internal import SpyglassCaching
internal import SpyglassFetching
import SpyglassFiles
internal import SpyglassSandbox
internal import SpyglassTerminalUI

extension SystemServices {
    static var ofProcess: SystemServices {
        SystemServices(
            environment: .ofProcess, output: StreamWriter.standardOutput, errors: StreamWriter.standardError,
            input: StandardInput(), errorsAreTerminal: isatty(STDERR_FILENO) == 1,
            terminal: { TerminalCapabilities.current(color: $0) },
            ask: { TerminalQuery.ask(asksPalette: $0) { Environment.ofProcess[$0] } },
            device: { TerminalSession.name(of: STDOUT_FILENO) }, isFile: isFile,
            exists: { (try? Folder.working.status(of: $0, followingLinks: true)) != nil },
            clock: ContinuousClock(), network: network, now: WallTime.now, peakMemory: PeakMemory.bytes,
            cpuTime: cpuTime, screen: screen, outputScreen: outputScreen, launcher: ProgramLauncher(),
            lock: { Sandbox.lock($0, reading: $1) }, interruption: { SignalInterruption() })
    }

    /// Requires a terminal at both ends that supports control sequences (terminfo(5), `dumb`).
    private static func screen(
        _ onEvent: @escaping @Sendable (TerminalSession.Event) -> Void
    ) -> (any FullScreenTerminal)? {
        isatty(STDIN_FILENO) == 1 ? outputScreen(onEvent) : nil
    }

    private static func outputScreen(
        _ onEvent: @escaping @Sendable (TerminalSession.Event) -> Void
    ) -> (any FullScreenTerminal)? {
        let kind = Environment.ofProcess["TERM"] ?? ""
        guard isatty(STDOUT_FILENO) == 1, !kind.isEmpty, kind != "dumb" else { return nil }
        return TerminalSession(onEvent: onEvent)
    }

    /// `CLOCK_PROCESS_CPUTIME_ID` (clock_gettime(2)).
    private static func cpuTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func isFile(_ name: Argument) -> Bool {
        guard let status = try? Folder.working.status(of: name, followingLinks: true) else { return false }
        return status.kind != .folder
    }

    private static func network(
        _ settings: Settings, _ connections: Int?, observedBy observer: @escaping FetchEvent.Observer
    ) -> any Transport {
        CurlTransport(
            connections: connections, stallTimeout: .seconds(settings.timeout),
            deadline: .seconds(settings.timeout * Options.timeoutsOfBody), userAgent: settings.userAgent,
            memory: settings.workMemory, onEvent: observer)
    }
}

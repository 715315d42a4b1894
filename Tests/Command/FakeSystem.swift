import Glibc
import SpyglassBrowser
import SpyglassCaching
import SpyglassFetching
import SpyglassFiles
import SpyglassSandbox
import SpyglassTerminalUI
import SpyglassTestSupport
import SpyglassThreads
import Testing

@testable import spyglass

/// A system in memory: it keeps what a command writes, and shows only what the test provides.
struct FakeSystem: Sendable {
    let output = MemorySink()
    let errors = MemorySink()
    /// Without retries, since the clock does not advance, and without a cache folder.
    var environment = [
        "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "en_US.UTF-8", "SPYGLASS_RETRIES": "0",
    ]
    /// The size of the terminal at standard output; `nil`: a file or a pipe.
    var screen: CellSize?
    var errorsAreTerminal = false
    var outputIsPipe = false
    /// What the terminal replies to queries.
    var reply = TerminalQuery.Outcome.notAsked
    /// The number of times that it was asked.
    let asked = WatchedValue(0)
    /// The number of times that it was asked for its colours.
    let askedPalette = WatchedValue(0)
    /// The path of its device.
    var device = "/dev/pts/1"
    /// The terminal of a full-screen program, if any.
    var taken: FakeScreen?
    var input = MemorySource(bytes: [])
    var clock: any Clock<Duration> = ManualClock()
    let now = ManualCalendar()
    var transport: any Transport = StubTransport { _ in throw FetchError(.unreachable, "no network in tests") }

    /// What its lock reports.
    var locked: Sandbox.Report?

    /// What a command sees.
    var services: SystemServices {
        let transport = transport
        let screen = screen
        let environment = Environment(environment)
        return SystemServices(
            environment: environment, output: output, errors: errors, input: input,
            errorsAreTerminal: errorsAreTerminal, outputIsPipe: outputIsPipe,
            terminal: { color in
                TerminalCapabilities.detect(
                    environment: { environment[$0] }, isTerminal: screen != nil,
                    window: screen.map {
                        .init(columns: UInt16($0.columns), rows: UInt16($0.rows), source: "the test")
                    }, color: color)
            },
            ask: { [reply, asked, askedPalette] asksPalette in
                asked.change { $0 += 1 }
                if asksPalette { askedPalette.change { $0 += 1 } }
                return reply
            },
            device: { [device] in device },
            clock: clock,
            network: { _, _, observer in
                StubTransport { request in
                    observer(.requestSent(request.address))
                    let response = try await transport.fetch(request)
                    observer(.received(response.address, status: response.status, bytes: response.body.count))
                    return response
                }
            },
            now: { [now] in now.now },
            peakMemory: { 1_048_576 },
            cpuTime: ElapsedClock(TickingClock(step: .milliseconds(1))).now,
            screen: { [taken] onEvent in
                taken?.listen(onEvent)
                return taken
            },
            pickScreen: { [taken] onEvent in
                taken?.listen(onEvent)
                return taken
            },
            outputScreen: { [taken] onEvent in
                taken?.listen(onEvent)
                return taken
            },
            lock: { [locked] _, _ in locked })
    }

    /// Runs a command line to its end.
    func run(_ words: String...) async -> Outcome { await run(words) }

    func run(_ words: [String]) async -> Outcome {
        let code = await Program(services).start(words.map { Argument($0) }).code()
        return Outcome(code: code, output: output.text, errors: errors.text)
    }

    /// Runs a command line that can be interrupted.
    func run(_ words: [String], _ signals: FakeInterruption) async {
        var system = services
        system.interruption = { signals }
        _ = await Program(system).start(words.map { Argument($0) }).code()
    }

    /// The exit code and the output of a run.
    struct Outcome: Equatable {
        var code = ExitCode.success
        var output = ""
        var errors = ""

        /// The outcome of a run that printed only one line on standard error.
        static func failed(_ message: String, _ code: ExitCode = .someFailed) -> Outcome {
            Outcome(code: code, output: "", errors: "spyglass: \(message)\n")
        }

        var lines: [Substring] { output.split(separator: "\n", omittingEmptySubsequences: false) }

        /// Whether one line of the output has all these words.
        func hasLine(with words: [String]) -> Bool { lines.contains { line in words.allSatisfy { line.contains($0) } } }
    }
}

/// Stores what is written; can fail.
final class MemorySink: ByteSink {
    private let bytes = Mutex<[UInt8]>([])
    private let failure = Mutex<TerminalError?>(nil)

    func write(_ bytes: TerminalBytes) throws(TerminalError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        self.bytes.withLock { $0 += bytes.raw }
    }

    /// Makes further writes fail.
    func fail(_ error: TerminalError) { failure.withLock { $0 = error } }

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}

/// Standard input in memory.
struct MemorySource: ByteSource {
    var bytes: [UInt8]
    var isTerminal = false
    var isConnected = false
    /// Whether nothing ever comes.
    var isIdle = false

    func isReady(within milliseconds: Int32) -> Bool { !isIdle }

    func readAll(limit: Int, timeout: Int?) throws(FileError) -> [UInt8] {
        if isIdle, timeout != nil { throw FileError("poll", code: ETIMEDOUT) }
        guard bytes.count <= limit else { throw FileError("read", cause: .tooLarge) }
        return bytes
    }
}

extension FetchResponse {
    init(_ request: FetchRequest, status: Int = 200, text: String) {
        self.init(address: request.address, status: status, body: Array(text.utf8))
    }

    init(_ request: FetchRequest, status: Int = 200, body: [UInt8] = []) {
        self.init(address: request.address, status: status, body: body)
    }
}

extension Program.Work {
    func code() async -> ExitCode {
        switch self {
        case .done(let code): code
        case .unfinished(let rest): await rest()
        }
    }
}

/// A scripted terminal in memory: once a text is written, the next event is sent.
final class FakeScreen: spyglass.FullScreenTerminal {
    private struct State {
        var shown = ""
        var script: [(text: String, event: TerminalSession.Event)]
        var onEvent: @Sendable (TerminalSession.Event) -> Void = { _ in }
        var log: [String] = []
    }

    private let state: Mutex<State>
    private let failure: TerminalError?
    /// Whether it answers each frame, so that the next one does not wait for the clock.
    private let answers: Bool

    init(
        _ script: [(text: String, event: TerminalSession.Event)], failure: TerminalError? = nil, answers: Bool = false
    ) {
        state = Mutex(State(script: script))
        self.failure = failure
        self.answers = answers
    }

    /// The calls, in order.
    var log: [String] { state.withLock { $0.log } }
    /// Everything that was written, escape sequences included.
    var shown: String { state.withLock { $0.shown } }
    var isWriting: Bool { false }

    func listen(_ onEvent: @escaping @Sendable (TerminalSession.Event) -> Void) {
        state.withLock { $0.onEvent = onEvent }
    }

    func start(_ options: TerminalSession.Options) throws(TerminalError) {
        if let failure { throw failure }
        state.withLock { $0.log.append(options.usesMouse ? "start with mouse" : "start") }
        Task.detached { [self] in
            try? await Task.sleep(for: .seconds(120))
            guard !log.contains("end"), let next = state.withLock({ $0.script.first }) else { return }
            Issue.record("\(next.text) was not shown: \(shown.suffix(2000))")
            state.withLock { $0.onEvent }(.closed)
        }
    }

    func write(_ bytes: TerminalBytes) {
        let text = String(decoding: bytes.raw, as: UTF8.self)
        let (events, onEvent) = state.withLock { state in
            state.shown += text
            var events: [TerminalSession.Event] = []
            while let next = state.script.first, state.shown.contains(next.text) {
                events.append(next.event)
                state.script.removeFirst()
            }
            return (events, state.onEvent)
        }
        for event in events { onEvent(event) }
        if answers, text.contains("\u{1B}[5n") { onEvent(.input(.reply(.status))) }
    }

    func end() { state.withLock { $0.log.append("end") } }
    func terminate(bySignal signal: Int32) { state.withLock { $0.log.append("terminate by \(signal)") } }
    func setMouse(_ isOn: Bool) { state.withLock { $0.log.append("mouse \(isOn)") } }
    func suspend() { state.withLock { $0.log.append("suspend") } }
    func lend(_ body: @escaping @Sendable (LentTerminal) -> Void) { body(LentTerminal(nowhere: "/dev/null")) }
}

/// Signals sent by a test.
final class FakeInterruption: Interruption {
    private let gate = AsyncStream<Int32>.makeStream()
    private let signals = Mutex<[Int32]>([])
    private let arrived: Mutex<Int32?>

    /// `received` is a signal that has arrived and not been delivered.
    init(received: Int32? = nil) { arrived = Mutex(received) }

    var received: Int32? { arrived.withLock { $0 } }

    var terminations: [Int32] { signals.withLock { $0 } }

    func send(_ signal: Int32) {
        arrived.withLock { $0 = signal }
        gate.continuation.yield(signal)
    }

    func signal() async -> Int32 {
        for await signal in gate.stream { return signal }
        return 0
    }

    func terminate(bySignal signal: Int32) { signals.withLock { $0.append(signal) } }
}

import SpyglassBrowser
import SpyglassTerminalUI
import SpyglassThreads

@testable import spyglass

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
}

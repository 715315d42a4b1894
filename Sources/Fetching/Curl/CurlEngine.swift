internal import Glibc
internal import SpyglassCCurl
internal import SpyglassThreads

enum CurlCommand: Sendable {
    case start(CurlFetch), cancel(CurlFetch), unpause(CurlFetch)
    case checkTime, shutDown
}

/// Passes commands to the thread that owns libcurl, which keeps the engine alive; after a failure the next fetch starts another.
final class CurlEngine: Sendable {
    private enum Phase { case idle, running, ended }

    private struct State {
        var phase = Phase.idle
        var commands: [CurlCommand] = []
        var wakeEvent: Int32?
        /// The first one receives the thread, and joins it.
        var waitingForEnd: [CheckedContinuation<pthread_t?, Never>] = []
    }

    let settings: CurlSettings
    private let state = Mutex(State())

    static let shutDownError = FetchError(.unavailable, "the transport was shut down")

    init(_ settings: CurlSettings) { self.settings = settings }

    func post(_ command: CurlCommand) {
        let refusal: FetchError? = state.withLock { state in
            if state.phase == .ended { return Self.shutDownError }
            if state.phase == .idle {
                switch command {
                case .start:
                    if let refusal = startThread() { return refusal }
                    state.phase = .running
                case .shutDown:
                    state.phase = .ended
                    return nil
                // Their fetches have ended.
                case .cancel, .unpause, .checkTime: return nil
                }
            }
            // The loop takes all commands at once: the first of them wakes it.
            if state.commands.isEmpty, let event = state.wakeEvent { _ = eventfd_write(event, 1) }
            state.commands.append(command)
            return nil
        }
        if let refusal, case .start(let fetch) = command { fetch.continuation?.resume(throwing: refusal) }
    }

    func shutDown() async {
        post(.shutDown)
        let thread: pthread_t? = await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.phase == .ended { return true }
                state.waitingForEnd.append(continuation)
                return false
            }
            if hasEnded { continuation.resume(returning: nil) }
        }
        // It has no work left. Exit handlers of libraries must not run concurrently with its last steps.
        if let thread { pthread_join(thread, nil) }
    }

    func takeCommands() -> [CurlCommand] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// The loop's `eventfd`, while it runs.
    func setWakeEvent(_ event: Int32?) { state.withLock { $0.wakeEvent = event } }

    /// Starts the thread, which `shutDown` joins or `run` detaches; it gets no signals, so SIGPIPE from a TLS library stays pending.
    private func startThread() -> FetchError? {
        do throws(ThreadError) {
            _ = try SystemThreads.start { [self] in
                // For `/proc` and debuggers; at most 15 bytes.
                sg_name_thread("spyglass-fetch")
                run()
            }
            return nil
        } catch { return FetchError(.unavailable, "cannot start the network thread: \(error)") }
    }

    private func run() {
        let reason: FetchError
        do throws(FetchError) {
            reason = try CurlLoop(try settings.library().get(), self).run()
        } catch {
            reason = error
        }
        let (unheard, waiting) = state.withLock { state in
            let isShutDown =
                reason == Self.shutDownError
                || state.commands.contains { if case .shutDown = $0 { true } else { false } }
            state.phase = isShutDown ? .ended : .idle
            defer {
                state.commands = []
                state.waitingForEnd = []
            }
            return (state.commands, state.waitingForEnd)
        }
        for case .start(let fetch) in unheard { fetch.continuation?.resume(throwing: reason) }
        if waiting.isEmpty { pthread_detach(pthread_self()) }
        for (index, continuation) in waiting.enumerated() {
            continuation.resume(returning: index == 0 ? pthread_self() : nil)
        }
    }
}

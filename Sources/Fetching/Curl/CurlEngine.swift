internal import Glibc
internal import SpyglassCCurl
internal import SpyglassThreads

enum CurlCommand: Sendable {
    case start(CurlFetch)
    case cancel(CurlFetch)
    case move(CurlFetch)
    case unpause(CurlFetch)
    case checkTime
    case shutDown

    var isShutDown: Bool { if case .shutDown = self { true } else { false } }
}

/// Passes commands to the thread that owns libcurl, which keeps the engine alive; after a failure the next fetch starts another.
final class CurlEngine: Sendable {
    private enum Phase {
        case idle, running, ended
    }

    private struct State {
        var phase = Phase.idle
        var commands: [CurlCommand] = []
        var wakeEvent: Int32?
        var isAsleep = false
        /// The first one receives the thread, and joins it.
        var waitingForEnd: [CheckedContinuation<pthread_t?, Never>] = []
    }

    let settings: CurlSettings
    private let state = Mutex(State())

    static let shutDownError = FetchError(.unavailable, "the transport was shut down")

    init(_ settings: CurlSettings) { self.settings = settings }

    /// Sends a command to the loop; does not block.
    func post(_ command: CurlCommand) {
        let refusal: FetchError? = state.withLock { state in
            switch state.phase {
            case .ended: return Self.shutDownError
            case .idle:
                switch command {
                case .start:
                    if let refusal = startThread() { return refusal }
                    state.phase = .running
                case .shutDown:
                    state.phase = .ended
                    return nil
                // Their fetches have ended.
                case .cancel, .move, .unpause, .checkTime: return nil
                }
            case .running: break
            }
            state.commands.append(command)
            // One wake-up is enough for all commands until the loop takes them.
            if state.isAsleep, let wakeEvent = state.wakeEvent {
                state.isAsleep = false
                eventfd_write(wakeEvent, 1)
            }
            return nil
        }
        if let refusal, case .start(let fetch) = command { fetch.continuation?.resume(throwing: refusal) }
    }

    func shutDown() async {
        post(.shutDown)
        let thread: pthread_t? = await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if case .ended = state.phase { return true }
                state.waitingForEnd.append(continuation)
                return false
            }
            if hasEnded { continuation.resume(returning: nil) }
        }
        // It has no work left. Exit handlers of libraries must not run beside its last steps.
        if let thread { pthread_join(thread, nil) }
    }

    /// Called by the loop when it is awake.
    func takeCommands() -> [CurlCommand] {
        state.withLock { state in
            state.isAsleep = false
            guard !state.commands.isEmpty else { return [] }
            let commands = state.commands
            state.commands = []
            return commands
        }
    }

    /// Whether no command is pending; if so, the next one wakes the loop.
    func mayFallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.commands.isEmpty
            return state.isAsleep
        }
    }

    func setWakeEvent(_ wakeEvent: Int32?) { state.withLock { $0.wakeEvent = wakeEvent } }

    private func startThread() -> FetchError? {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(&thread, nil, runEngine, context.toOpaque())
        guard code == 0 else {
            context.release()
            let message = String(cString: strerror(code))
            return FetchError(.unavailable, "cannot start the network thread: \(message)")
        }
        return nil
    }

    fileprivate func run() {
        let reason: FetchError
        switch settings.library() {
        case .failure(let error): reason = error
        case .success(let curl):
            do {
                let loop = try CurlLoop(curl, self)
                reason = loop.run()
            } catch {
                reason = error
            }
        }
        let (unheard, waiting) = state.withLock { state in
            let isShutDown = reason == Self.shutDownError || state.commands.contains { $0.isShutDown }
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

/// For `/proc` and debuggers; at most 15 bytes.
let curlThreadName = "spyglass-fetch"

private func runEngine(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    // The main thread handles signals; SIGPIPE from a TLS library stays pending here.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    sg_name_thread(curlThreadName)
    Unmanaged<CurlEngine>.fromOpaque(context).takeRetainedValue().run()
    return nil
}

internal import Glibc
internal import SpyglassCCurl
internal import SpyglassThreads
internal import struct Synchronization.Atomic

/// One call of `fetch`: tells the loop which transfer is meant when the caller's task is cancelled.
final class FetchTicket: Sendable {
    private let cancelled = Atomic(false)

    /// Set before the loop hears of it, so that a fetch that comes in behind its own cancellation is never started.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// What other threads tell the loop.
enum CurlCommand: Sendable {
    struct Start: Sendable {
        let request: FetchRequest
        let ticket: FetchTicket
        let continuation: CheckedContinuation<FetchResponse, any Error>
    }

    case start(Start)
    case cancel(FetchTicket)
    case move(FetchTicket, FetchPriority)
    /// Its body is held no more.
    case unpause(FetchTicket)
    /// Some time went by: look for what was due.
    case checkTime
    case shutDown

    var isShutDown: Bool { if case .shutDown = self { true } else { false } }
}

/// The door between callers and the thread that owns libcurl: commands go in here, answers leave through continuations.
///
/// The thread starts with the first fetch and keeps the engine alive until it is told to end. Where it cannot start, or
/// libcurl gives up, the fetches of that moment fail, and the next one starts another.
final class CurlEngine: Sendable {
    private enum Phase {
        case idle
        case running
        /// It was shut down.
        case ended
    }

    private struct State {
        var phase = Phase.idle
        var commands: [CurlCommand] = []
        /// The bell of the loop, and whether it may be waiting for it.
        var bell: Int32?
        var isAsleep = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    let settings: CurlSettings
    private let state = Mutex(State())

    static let shutDownError = FetchError(.unavailable, "the transport was shut down")

    init(_ settings: CurlSettings) { self.settings = settings }

    /// Hands a command to the loop; never waits.
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
                // Whoever they are about has had an answer.
                case .cancel, .move, .unpause, .checkTime: return nil
                }
            case .running: break
            }
            state.commands.append(command)
            // Whoever finds the loop asleep rings; it then takes everything that came meanwhile.
            if state.isAsleep, let bell = state.bell {
                state.isAsleep = false
                eventfd_write(bell, 1)
            }
            return nil
        }
        if let refusal, case .start(let start) = command { start.continuation.resume(throwing: refusal) }
    }

    /// Ends the loop and returns when its thread has nothing left to do.
    func shutDown() async {
        post(.shutDown)
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if case .ended = state.phase { return true }
                state.waitingForEnd.append(continuation)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Everything that was posted since the last call; for the loop, which is awake then.
    func takeCommands() -> [CurlCommand] {
        state.withLock { state in
            state.isAsleep = false
            guard !state.commands.isEmpty else { return [] }
            let commands = state.commands
            state.commands = []
            return commands
        }
    }

    /// Whether nothing was posted, so that the loop may wait: from now on it is woken; for the loop.
    func mayFallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.commands.isEmpty
            return state.isAsleep
        }
    }

    /// The descriptor (`eventfd`) that wakes the loop from now on, as long as it is open; for the loop.
    func setBell(_ bell: Int32?) { state.withLock { $0.bell = bell } }

    private func startThread() -> FetchError? {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(&thread, nil, runEngine, context.toOpaque())
        guard code == 0 else {
            context.release()
            let words = String(cString: strerror(code))
            return FetchError(.unavailable, "no thread could be started for the network (\(words))")
        }
        pthread_detach(thread)
        return nil
    }

    /// The thread from its start to its end.
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
        for case .start(let start) in unheard { start.continuation.resume(throwing: reason) }
        for continuation in waiting { continuation.resume() }
    }
}

/// What the thread is called in `/proc` and debuggers; 15 bytes are the kernel's limit.
let curlThreadName = "spyglass-fetch"

private func runEngine(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    // Signals are the main thread's business; a SIGPIPE of a TLS library stays pending here and harms nobody.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    sg_name_thread(curlThreadName)
    Unmanaged<CurlEngine>.fromOpaque(context).takeRetainedValue().run()
    return nil
}

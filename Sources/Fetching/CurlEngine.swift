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
    /// Some time went by: look for transfers that stand still.
    case checkProgress
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
        var alarm: CurlAlarm?
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
                case .cancel, .move, .checkProgress: return nil
                }
            case .running: break
            }
            // Whoever finds the box empty rings; the loop then takes everything that came meanwhile.
            if state.commands.isEmpty { state.alarm?.ring() }
            state.commands.append(command)
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

    /// Everything that was posted since the last call; for the loop.
    func takeCommands() -> [CurlCommand] {
        state.withLock { state in
            let commands = state.commands
            state.commands = []
            return commands
        }
    }

    /// How the loop is woken from now on; for the loop.
    func setAlarm(_ alarm: CurlAlarm?) { state.withLock { $0.alarm = alarm } }

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

private func runEngine(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    // Signals are the main thread's business; a SIGPIPE of a TLS library stays pending here and harms nobody.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    Unmanaged<CurlEngine>.fromOpaque(context).takeRetainedValue().run()
    return nil
}

/// Wakes the loop (`curl_multi_wakeup`).
///
/// `@unchecked Sendable`: this is the call that libcurl allows from any thread, and it is made only under the engine's
/// lock, where the loop also takes the alarm away before the handle ends.
struct CurlAlarm: @unchecked Sendable {
    let curl: CurlLibrary
    let multi: OpaquePointer

    func ring() { _ = sg_multi_wakeup(curl.functions, multi) }
}

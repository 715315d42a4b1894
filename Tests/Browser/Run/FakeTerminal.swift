import SpyglassTerminalUI
import SpyglassThreads

@testable import SpyglassBrowser

/// A terminal in memory, with controlled speed.
final class FakeTerminal: BrowserTerminal {
    struct State {
        var writes: [TerminalBytes] = []
        var isWriting = false
        var isSlow = false
        var mouse: [Bool] = []
        var suspensions = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// A slow terminal is busy after each write, until `drain`.
    init(isSlow: Bool = false) { state.withLock { $0.isSlow = isSlow } }

    var writes: [TerminalBytes] { state.withLock { $0.writes } }
    var mouse: [Bool] { state.withLock { $0.mouse } }
    var suspensions: Int { state.withLock { $0.suspensions } }
    var isWriting: Bool { state.withLock { $0.isWriting } }

    func write(_ bytes: TerminalBytes) {
        let watchers = state.withLock { state in
            state.writes.append(bytes)
            state.isWriting = state.isSlow
            let count = state.writes.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return state.watchers.filter { $0.count <= count }.map(\.continuation)
        }
        for watcher in watchers { watcher.resume() }
    }

    func setMouse(_ isOn: Bool) { state.withLock { $0.mouse.append(isOn) } }
    func suspend() { state.withLock { $0.suspensions += 1 } }

    /// Makes it slow, and busy until `drain`.
    func block() {
        state.withLock { state in
            state.isSlow = true
            state.isWriting = true
        }
    }

    /// Completes all writes.
    func drain(_ inbox: BrowserInbox) {
        state.withLock { $0.isWriting = false }
        inbox.receive(.drained)
    }

    /// Waits for `count` writes.
    func waitForWrites(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.writes.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

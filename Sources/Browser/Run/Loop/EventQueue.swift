internal import SpyglassTerminalUI
internal import SpyglassThreads

/// What waits for the browser's loop: added by any thread, taken by the loop, everything that waits at once.
///
/// One reader at a time.
final class EventQueue: Sendable {
    /// What the loop is woken for.
    enum Item: Sendable {
        /// The terminal has something to say.
        case terminal(TerminalSession.Event)
        /// An effect has something to say.
        case event(BrowserEvent)
        /// A picture has come on, to its end by the load of that number.
        case picture(PictureKey, Picture, load: Int, isLast: Bool)
        /// Saving has come on, by the work of that number.
        case saving(SaveEvent, work: Int)
        /// A moment that the loop waited for has come.
        case timer(LoopTimer.Kind)
    }

    private struct State {
        var items: [Item] = []
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Adds an item and wakes the loop; never waits.
    func add(_ item: Item) {
        let reader = state.withLock { state in
            state.items.append(item)
            let reader = state.reader
            state.reader = nil
            return reader
        }
        reader?.resume()
    }

    /// Everything that waits, in the order it came; waits while there is nothing.
    func next() async -> [Item] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.items.isEmpty else { return true }
                state.reader = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
        return state.withLock { state in
            defer { state.items = [] }
            return state.items
        }
    }
}

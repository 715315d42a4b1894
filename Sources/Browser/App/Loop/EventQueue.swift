internal import SpyglassPipeline
internal import SpyglassTerminalUI
internal import SpyglassThreads

/// Events for the browser's loop, from any thread; one reader at a time.
final class EventQueue: Sendable {
    enum Item: Sendable {
        case terminal(TerminalSession.Event)
        case event(BrowserEvent)
        case picture(PictureKey, Picture, load: Int, isLast: Bool)
        case frame(PictureKey, CellImage, player: Int)
        case progress(PictureKey, BodyProgress, load: Int)
        case saving(SaveEvent, work: Int)
        case folderChanged
        case innerFoldersChanged(Set<[UInt8]>)
        case timer(LoopTimer.Kind)
    }

    private struct State {
        var items: [Item] = []
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func add(_ item: Item) {
        let reader = state.withLock { state in
            state.items.append(item)
            let reader = state.reader
            state.reader = nil
            return reader
        }
        reader?.resume()
    }

    /// Waits for at least one item; returns all, oldest first.
    func next() async -> [Item] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.items.isEmpty else { return true }
                state.reader = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
        return takeAll()
    }

    func takeAll() -> [Item] {
        state.withLock { state in
            defer { state.items = [] }
            return state.items
        }
    }
}

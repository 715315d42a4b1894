internal import SpyglassCaching
internal import SpyglassThreads

/// Writes behind the answers: what is to be kept waits here, is read from here meanwhile, and goes to the store one
/// after another.
///
/// So much waits at most; what does not fit is not kept, since a disk that stands still must not hold up pictures.
final class CachingWriter: Sendable {
    /// What is to become of a key.
    enum Change: Sendable {
        case keep(CachedAnswer)
        case forget
    }

    /// Bytes of bodies that may wait: as much as one body by the usual limit.
    static let byteLimit = 64 << 20
    /// And how many changes: several screens of pictures.
    static let countLimit = 512

    private struct State {
        /// The latest change of every key that waits or is being written, with its number.
        var staged: [String: (number: Int, change: Change)] = [:]
        /// The order of their writing; a key changed again stands there once.
        var order: ArraySlice<String> = []
        var nextNumber = 0
        var byteCount = 0
        var isWriting = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let store: any ByteStore
    private let threads: WorkerThreads
    private let onStored: @Sendable (CachedAnswer) -> Void

    /// Below every reader's rank, which is that of a `FetchPriority`.
    private static let rank = -1

    /// A writer with nothing to write; `onStored` is told what was kept, on a thread of `threads`.
    init(_ store: any ByteStore, _ threads: WorkerThreads, onStored: @escaping @Sendable (CachedAnswer) -> Void) {
        self.store = store
        self.threads = threads
        self.onStored = onStored
    }

    /// What was put here for a key and may not have reached the store.
    func staged(for key: String) -> Change? { state.withLock { $0.staged[key]?.change } }

    /// Has a change made, unless too much waits already.
    func put(_ change: Change, for key: String) {
        let starts = state.withLock { state in
            let size = change.byteCount
            let old = state.staged[key]
            let bytes = state.byteCount - (old?.change.byteCount ?? 0) + size
            let hasRoom = state.staged.isEmpty || (bytes <= Self.byteLimit && state.staged.count < Self.countLimit)
            // An older change of the same key must not win over this one.
            let change: Change = hasRoom ? change : .forget
            guard hasRoom || old != nil else { return false }
            state.byteCount += change.byteCount - (old?.change.byteCount ?? 0)
            state.staged[key] = (state.nextNumber, change)
            state.nextNumber += 1
            if old == nil { state.order.append(key) }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        // Not a child of the fetch: it goes on when that is cancelled.
        if starts { Task { await self.write() } }
    }

    /// Returns once nothing waits any more.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.isWriting { state.waiting.append(continuation) }
                return !state.isWriting
            }
            if isDone { continuation.resume() }
        }
    }

    private func write() async {
        while let (key, number, change) = next() {
            // It throws only when its task is cancelled, and nobody holds this one.
            try? await threads.run(rank: Self.rank) { [store, onStored] _ in
                switch change {
                case .forget: store.remove(key)
                case .keep(let answer):
                    if store.store(answer.entry, for: key) { onStored(answer) }
                }
            }
            wrote(key, number)
        }
    }

    /// The next change, or `nil` when there is none and this writing has ended.
    private func next() -> (String, Int, Change)? {
        let (next, finished) = state.withLock {
            state -> ((String, Int, Change)?, [CheckedContinuation<Void, Never>]) in
            while let key = state.order.popFirst() {
                if let staged = state.staged[key] { return ((key, staged.number, staged.change), []) }
            }
            state.isWriting = false
            defer { state.waiting = [] }
            return (nil, state.waiting)
        }
        for continuation in finished { continuation.resume() }
        return next
    }

    private func wrote(_ key: String, _ number: Int) {
        state.withLock { state in
            guard let staged = state.staged[key] else { return }
            if staged.number == number {
                state.byteCount -= staged.change.byteCount
                state.staged[key] = nil
            } else {
                // It was changed while the older change was being written.
                state.order.append(key)
            }
        }
    }
}

extension CachingWriter.Change {
    fileprivate var byteCount: Int {
        switch self {
        case .keep(let answer): answer.response.body.count
        case .forget: 0
        }
    }
}

internal import SpyglassCaching
internal import SpyglassThreads

/// Writes behind the answers: what is to be kept waits here, is read from here meanwhile, and goes to the store one
/// after another.
///
/// Little waits at most, since it costs memory. Where much waits already, fetches are held back before they go to the
/// network (`CacheWriter+Backpressure.swift`). What comes all the same and does not fit is not kept: a disk that stands still must
/// not hold up pictures that are here.
final class CacheWriter: Sendable {
    /// What is to become of a key.
    enum Change: Sendable {
        case keep(StoredResponse)
        case forget
    }

    /// Bytes of answers that may wait before fetches are held back.
    ///
    /// A hundred previews of 40 KB.
    static let roomLimit = 4 << 20
    /// Bytes that may wait at all.
    ///
    /// As much again is for what was under way when room ran out; where there is room, one answer of any size waits.
    static let byteLimit = 2 * roomLimit
    /// How many changes may wait before fetches are held back, several screens of pictures, and how many at all.
    static let roomCount = 256
    static let countLimit = 2 * roomCount

    struct State {
        /// The latest change of every key that waits or is being written, with its number.
        fileprivate(set) var staged: [String: (number: Int, change: Change)] = [:]
        /// The order of their writing; a key changed again stands there once.
        fileprivate var order: ArraySlice<String> = []
        fileprivate var nextNumber = 0
        fileprivate(set) var byteCount = 0
        fileprivate var isWriting = false
        fileprivate var waiting: [CheckedContinuation<Void, Never>] = []
        /// Fetches that are held back.
        var room = Backpressure()
    }

    let state = Mutex(State())
    let time: ElapsedClock
    private let store: any ByteStore
    private let threads: ThreadPool
    private let onStored: @Sendable (StoredResponse) -> Void

    /// Below every reader's rank, which is that of a `FetchPriority`.
    private static let priority = -1

    /// A writer with nothing to write; `onStored` is told what was kept, on a thread of `threads`.
    init(
        _ store: any ByteStore, _ threads: ThreadPool, time: ElapsedClock,
        onStored: @escaping @Sendable (StoredResponse) -> Void
    ) {
        self.store = store
        self.threads = threads
        self.time = time
        self.onStored = onStored
    }

    /// What was put here for a key and may not have reached the store.
    func staged(for key: String) -> Change? { state.withLock { $0.staged[key]?.change } }

    /// Has a change made, unless too much waits already or it would replace a whole answer by the beginning of one.
    func put(_ change: Change, for key: String) {
        let starts = state.withLock { state in
            let old = state.staged[key]
            guard !(change.isBeginning && old?.change.isWhole == true) else { return false }
            let waiting = state.byteCount - (old?.change.byteCount ?? 0)
            let hasRoom =
                state.staged.count < Self.countLimit
                && (waiting < Self.roomLimit || waiting + change.byteCount <= Self.byteLimit)
            // An older change of the same key must not win over this one.
            let change: Change = hasRoom ? change : .forget
            guard hasRoom || old != nil else { return false }
            state.byteCount = waiting + change.byteCount
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
            try? await threads.run(priority: Self.priority) { [store, onStored] _ in
                switch change {
                case .forget: store.remove(key)
                case .keep(let answer):
                    // Another fetch may have brought the whole since, or have kept it of another variant.
                    if answer.isPartial, store.entry(for: key)?.isPartial == false { return }
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
        let admitted = state.withLock { state in
            if let staged = state.staged[key] {
                if staged.number == number {
                    state.byteCount -= staged.change.byteCount
                    state.staged[key] = nil
                } else {
                    // It was changed while the older change was being written.
                    state.order.append(key)
                }
            }
            return state.room.admit(all: state.staged.isEmpty)
        }
        for fetch in admitted { fetch.continuation.resume() }
    }
}

extension CacheWriter.Change {
    fileprivate var byteCount: Int {
        switch self {
        case .keep(let answer): answer.response.byteCount
        case .forget: 0
        }
    }

    fileprivate var isWhole: Bool { if case .keep(let answer) = self { !answer.isPartial } else { false } }
    fileprivate var isBeginning: Bool { if case .keep(let answer) = self { answer.isPartial } else { false } }
}

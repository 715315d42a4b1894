internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels
internal import SpyglassThreads

/// Writes thumbnails behind the answers, one after another.
///
/// Pixels that wait are held up to a limit. Beyond it only their keys wait, and the pixels are taken from the pipeline's memory when
/// their turn comes, if they are there still: a disk that is slow for a moment costs neither memory nor the thumbnails of a list,
/// and one that stands still holds up no picture. What is lost is only decoded again.
final class ThumbnailWriter: Sendable {
    private struct Waiting: Sendable {
        let key: ImageKey
        let lifetime: FetchResponse.Lifetime?
        let madeAt: WallTime
        /// `nil` of what memory is to be asked for.
        let image: DecodedImage?
    }

    private struct State {
        /// By number, in the order of writing; not a slice of an array, which would keep what was taken from it.
        var waiting: [Int: Waiting] = [:]
        var nextNumber = 0
        var lastNumber = 0
        /// Of the pixels that wait or are being written.
        var heldBytes = 0
        var isWriting = false
        var onEmpty: [CheckedContinuation<Void, Never>] = []
    }

    /// Some two hundred pictures of 24 columns: what a disk that writes a thousand a second is behind after a moment.
    static let heldLimit = 2 << 20
    /// Pictures that wait, held or not: twice a long list; at some 300 bytes for a key, about a MiB.
    static let countLimit = 4096
    /// Behind every read, whose rank is that of a `FetchPriority`.
    private static let rank = -1

    private let state = Mutex(State())
    private let store: any ByteStore
    private let memory: ImagePipeline.Memory
    private let threads: ThreadPool

    init(_ store: any ByteStore, memory: ImagePipeline.Memory, threads: ThreadPool) {
        self.store = store
        self.memory = memory
        self.threads = threads
    }

    /// Has a picture written, unless too many wait.
    func put(_ record: CachedImage, for key: ImageKey) {
        let size = record.image.pixels.bytes.count
        let starts = state.withLock { state in
            guard state.waiting.count < Self.countLimit else { return false }
            let isPaused = state.heldBytes + size <= Self.heldLimit
            if isPaused { state.heldBytes += size }
            state.waiting[state.lastNumber] = Waiting(
                key: key, lifetime: record.lifetime, madeAt: record.madeAt, image: isPaused ? record.image : nil)
            state.lastNumber += 1
            defer { state.isWriting = true }
            return !state.isWriting
        }
        // Not a child of the request: it goes on when that is cancelled.
        if starts { Task.detached { await self.write() } }
    }

    /// Returns once nothing waits any more.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.isWriting { state.onEmpty.append(continuation) }
                return !state.isWriting
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Pixels that are kept alive here, in bytes.
    var heldBytes: Int { state.withLock { $0.heldBytes } }

    private func write() async {
        while let waiting = next() {
            // It throws only when its task is cancelled, and nobody holds this one.
            try? await threads.run(rank: Self.rank) { [self] _ in
                guard let name = waiting.key.thumbnailName, let image = image(of: waiting),
                    let entry = CachedImage(image, madeAt: waiting.madeAt, lifetime: waiting.lifetime).entry
                else { return }
                store.store(entry, for: name)
            }
            state.withLock { $0.heldBytes -= waiting.image?.pixels.bytes.count ?? 0 }
        }
    }

    /// The pixels that waited, or those in memory if they are of the same answer.
    private func image(of waiting: Waiting) -> DecodedImage? {
        if let image = waiting.image { return image }
        guard let kept = memory.peek(waiting.key), kept.madeAt == waiting.madeAt, kept.lifetime == waiting.lifetime
        else { return nil }
        return kept.image
    }

    /// The next picture, or `nil` when there is none and this writing has ended.
    private func next() -> Waiting? {
        let (next, finished) = state.withLock { state -> (Waiting?, [CheckedContinuation<Void, Never>]) in
            if let next = state.waiting.removeValue(forKey: state.nextNumber) {
                state.nextNumber += 1
                return (next, [])
            }
            state.isWriting = false
            defer { state.onEmpty = [] }
            return (nil, state.onEmpty)
        }
        for continuation in finished { continuation.resume() }
        return next
    }
}

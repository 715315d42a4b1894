internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels
internal import SpyglassThreads

/// Small decoded pictures beyond this process, so that a list that was seen before is shown without decoding anything.
///
/// Decoding is most of what a cached list costs. An entry is used as long as the answer was fresh that it was made of; it is written behind
/// the answer, so that nobody waits for it. Everything is read and written on file threads, and all that comes back is
/// doubted: what is not exactly a picture of the size that is wanted is no hit.
struct ThumbnailCache: Sendable {
    /// A picture that was found.
    struct Hit: Sendable {
        let image: DecodedImage
        let lifetime: FetchResponse.Lifetime
        let isFresh: Bool
        /// Whether it may be shown without asking anybody.
        let isUsable: Bool

        /// Whether it may be shown in place of an answer that did not come (RFC 9111 section 4.2.4).
        func helps(after error: FetchError) -> Bool {
            lifetime.mayBeStale && (error.kind == .unreachable || error.kind == .timedOut)
        }
    }

    private let store: any ByteStore
    private let usesStale: Bool
    private let threads: WorkerThreads
    private let now: @Sendable () -> WallTime
    private let backlog = WriteBacklog()

    /// Above this a picture is not small, and reading it costs as much as decoding it: 360x240 opaque pixels.
    private static let bodyLimit = 256 << 10
    /// Behind every read.
    private static let writingRank = -1

    init(
        _ store: any ByteStore, usesStale: Bool, threads: WorkerThreads, now: @escaping @Sendable () -> WallTime
    ) {
        self.store = store
        self.usesStale = usesStale
        self.threads = threads
        self.now = now
    }

    /// The picture of a key, as urgently as `control` says; `nil` also when the task is cancelled.
    func hit(for key: ImageKey, _ control: FetchControl) async -> Hit? {
        let ticket = WorkTicket(rank: control.priority.rawValue)
        control.forward { ticket.rank = $0.rawValue }
        return try? await threads.run(ticket) { _ in readHit(for: key) }
    }

    private func readHit(for key: ImageKey) -> Hit? {
        guard let entry = store.entry(for: Self.name(of: key)), !entry.isPrefix,
            let record = ThumbnailRecord(entry, isFor: key.target)
        else { return nil }
        let now = now()
        // One that seems to come from the future says that the calendar was set back.
        let isFresh = record.madeAt <= now && now < record.lifetime.freshUntil
        return Hit(
            image: record.image, lifetime: record.lifetime, isFresh: isFresh, isUsable: isFresh || usesStale)
    }

    /// Writes a picture behind the answer, if it is small and flawless, and unless too much waits to be written already.
    func store(_ image: DecodedImage, _ lifetime: FetchResponse.Lifetime, for key: ImageKey) {
        let cost = image.pixels.bytes.count
        guard image.completeness == .whole, image.warnings == 0, cost <= Self.bodyLimit, backlog.begin(cost) else {
            return
        }
        let record = ThumbnailRecord(image: image, lifetime: lifetime, madeAt: now())
        Task.detached { [store, threads, backlog] in
            _ = try? await threads.run(rank: Self.writingRank) { _ in
                store.store(record.entry, for: Self.name(of: key))
            }
            backlog.end(cost)
        }
    }

    /// Waits until everything is written that was given to `store` before.
    func finishWriting() async { await backlog.waitUntilEmpty() }

    /// The name of an entry: what decided its pixels, without secrets.
    static func name(of key: ImageKey) -> String {
        let trust = key.trust == .user ? "user" : "public"
        return "thumbnail \(ThumbnailRecord.version) \(key.target) \(key.isExact ? "exact" : "fast") \(trust) "
            + key.address.withoutSecrets.text
    }
}

/// What waits to be written, in bytes; bounded, since a picture that is not written is only decoded again.
private final class WriteBacklog: Sendable {
    private struct State {
        var bytes = 0
        var count = 0
        var onEmpty: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Some thousand pictures of 24 columns, sixty of the largest.
    private static let byteLimit = 16 << 20

    /// Whether there is room for so many bytes more, which are counted then.
    func begin(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard state.bytes + bytes <= Self.byteLimit else { return false }
            state.bytes += bytes
            state.count += 1
            return true
        }
    }

    func end(_ bytes: Int) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.bytes -= bytes
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.onEmpty = [] }
            return state.onEmpty
        }
        for continuation in waiting { continuation.resume() }
    }

    func waitUntilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.count > 0 { state.onEmpty.append(continuation) }
                return state.count == 0
            }
            if isEmpty { continuation.resume() }
        }
    }
}

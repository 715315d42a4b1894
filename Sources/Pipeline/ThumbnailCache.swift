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
            lifetime.allowsStale && (error.kind == .unreachable || error.kind == .timedOut)
        }

        /// Whether it may be shown in place of an answer that says that the server cannot answer now (RFC 9111 section 4.3.3).
        func helps(afterStatus status: Int) -> Bool {
            lifetime.allowsStale && [429, 500, 502, 503, 504].contains(status)
        }
    }

    private let store: any ByteStore
    private let usesStale: Bool
    private let threads: ThreadPool
    private let now: @Sendable () -> WallTime
    private let writer: ThumbnailWriter

    /// Above this a picture is not small, and reading it costs as much as decoding it: 360x240 opaque pixels.
    private static let bodyLimit = 256 << 10

    /// A cache over `store`; `memory` is where the pictures are that wait to be written.
    init(
        _ store: any ByteStore, memory: ImagePipeline.Memory, usesStale: Bool, threads: ThreadPool,
        now: @escaping @Sendable () -> WallTime
    ) {
        self.store = store
        self.usesStale = usesStale
        self.threads = threads
        self.now = now
        writer = ThumbnailWriter(store, memory: memory, threads: threads)
    }

    /// The picture of a key, as urgently as `control` says; `nil` also when the task is cancelled.
    func hit(for key: ImageKey, _ control: FetchControl) async -> Hit? {
        let ticket = WorkTicket(priority: control.priority.rawValue)
        control.forward { ticket.priority = $0.rawValue }
        return try? await threads.run(ticket) { _ in readHit(for: key) }
    }

    private func readHit(for key: ImageKey) -> Hit? {
        guard let name = Self.name(of: key), let entry = store.entry(for: name), !entry.isPartial,
            let record = ThumbnailRecord(entry, isFor: key.target)
        else { return nil }
        let now = now()
        // One that seems to come from the future says that the calendar was set back.
        let isFresh = record.madeAt <= now && now < record.lifetime.freshUntil
        return Hit(
            image: record.image, lifetime: record.lifetime, isFresh: isFresh, isUsable: isFresh || usesStale)
    }

    /// Writes a picture behind the answer that came at `madeAt`, if it is small and flawless; see `ThumbnailWriter`.
    func store(_ image: DecodedImage, _ lifetime: FetchResponse.Lifetime, madeAt: WallTime, for key: ImageKey) {
        guard image.completeness == .complete, image.warnings == 0, image.colorWarning == nil,
            image.pixels.bytes.count <= Self.bodyLimit
        else { return }
        writer.put(ThumbnailRecord(image: image, lifetime: lifetime, madeAt: madeAt), for: key)
    }

    /// Waits until everything is written that was given to `store` before.
    func flush() async { await writer.flush() }

    /// Pixels that wait to be written and are kept alive for that, in bytes.
    var heldBytes: Int { writer.pixelBytes }

    /// The name of an entry: what decided its pixels, without secrets; `nil` of an address that says who asks, since without that it
    /// would be the name of another picture.
    static func name(of key: ImageKey) -> String? {
        guard !key.address.identifiesUser else { return nil }
        let trust = key.trust == .user ? "user" : "public"
        return "thumbnail \(ThumbnailRecord.version) \(key.target) \(key.isExact ? "exact" : "fast") \(trust) "
            + key.address.withoutSecrets.text
    }
}

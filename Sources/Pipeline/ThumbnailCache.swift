internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels
internal import SpyglassThreads

/// Stores small decoded images, fresh as long as their responses: decoding is most of the cost of a cached list.
struct ThumbnailCache: Sendable {
    let usesStale: Bool
    private let store: any ByteStore
    private let threads: ThreadPool
    private let writer: ThumbnailWriter

    /// The largest image in bytes, 360x240 opaque pixels; reading a larger one costs as much as decoding it.
    private static let bodyLimit = 256 << 10

    init(_ store: any ByteStore, memory: ImagePipeline.Memory, usesStale: Bool, threads: ThreadPool) {
        self.store = store
        self.usesStale = usesStale
        self.threads = threads
        writer = ThumbnailWriter(store, memory: memory, threads: threads)
    }

    /// `nil` also if the task is cancelled.
    func image(for key: ImageKey, _ control: FetchControl) async -> CachedImage? {
        guard let name = key.thumbnailName else { return nil }
        let ticket = WorkTicket(priority: control.priority.rawValue)
        control.forward { ticket.priority = $0.rawValue }
        return try? await threads.run(ticket) { _ in
            guard let entry = store.entry(for: name), !entry.isPartial else { return nil }
            return CachedImage(entry, target: key.target)
        }
    }

    /// Writes an image in the background, if it is small and flawless.
    func store(_ cached: CachedImage, for key: ImageKey) {
        let image = cached.image
        guard image.completeness == .complete, image.warnings == 0, image.colorWarning == nil,
            image.pixels.bytes.count <= Self.bodyLimit
        else { return }
        writer.put(cached, for: key)
    }

    func flush() async { await writer.flush() }
    var pixelBytes: Int { writer.pixelBytes }
}

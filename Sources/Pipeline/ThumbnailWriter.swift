internal import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels
internal import SpyglassThreads

/// Writes thumbnails in the background; beyond a limit only keys are queued, and pixels taken from memory: slow disks cost little.
final class ThumbnailWriter: Sendable {
    private struct Item: Sendable {
        let key: ImageKey
        let lifetime: FetchResponse.Lifetime?
        let madeAt: WallTime
        let bodyHash: UInt64
        let image: DecodedImage?
    }

    /// About two hundred images of 24 columns: what a disk with a thousand writes a second is behind for a moment.
    static let maxPixelBytes = 2 << 20
    /// Pending images, with or without pixels: twice a long list; about 1 MiB at 300 bytes a key.
    static let maxCount = 4096

    private let queue: WriteBehindQueue<Never, Item, Void>

    init(_ store: any ByteStore, memory: ImagePipeline.Memory, threads: ThreadPool) {
        // The priority is below that of every reader, a `FetchPriority`.
        queue = WriteBehindQueue((), on: threads, priority: -1) { item, _ in
            guard let name = item.key.thumbnailName, let image = Self.image(of: item, memory),
                let entry = CachedImage(
                    image, madeAt: item.madeAt, lifetime: item.lifetime, bodyHash: item.bodyHash
                ).entry
            else { return }
            store.store(entry, for: name)
        }
    }

    func put(_ cached: CachedImage, for key: ImageKey) {
        let size = cached.image.pixels.bytes.count
        queue.withLock { state in
            guard state.count <= Self.maxCount else { return }
            let keepsPixels = state.byteCount + size <= Self.maxPixelBytes
            state.put(
                Item(
                    key: key, lifetime: cached.lifetime, madeAt: cached.madeAt, bodyHash: cached.bodyHash,
                    image: keepsPixels ? cached.image : nil),
                byteCount: keepsPixels ? size : 0)
        }
    }

    func flush() async { await queue.flush() }
    var pixelBytes: Int { queue.withLock(\.byteCount) }

    private static func image(of item: Item, _ memory: ImagePipeline.Memory) -> DecodedImage? {
        if let image = item.image { return image }
        guard let cached = memory.peek(item.key), cached.madeAt == item.madeAt, cached.lifetime == item.lifetime
        else { return nil }
        return cached.image
    }
}

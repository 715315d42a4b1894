public import SpyglassCaching
public import SpyglassCodecs
internal import SpyglassPixels

/// A whole picture in memory, and how long it may be shown without asking.
public struct CachedImage: Sendable {
    /// The picture.
    public let image: DecodedImage
    /// When it was put here.
    let keptAt: WallTime
    /// Until when it is fresh; `nil` for what does not age, as in a recorded archive.
    let freshUntil: WallTime?

    /// Whether it may be shown; one that seems to come from the future says that the calendar was set back, and may not.
    func isFresh(at now: WallTime) -> Bool {
        guard let freshUntil else { return true }
        return keptAt <= now && now < freshUntil
    }
}

extension ImagePipeline {
    /// Where a pipeline keeps decoded pictures; several may share one.
    public typealias Memory = MemoryCache<ImageKey, CachedImage>

    /// Memory for decoded pictures, which counts the bytes that they own.
    ///
    /// - Parameter totalCostLimit: in bytes; by default a part of what this process may use.
    /// - Returns: an empty cache, an entry of which may have a tenth of the limit.
    public static func makeMemoryCache(totalCostLimit: Int = MemoryBudget.defaultCacheBytes()) -> Memory {
        Memory(name: "pictures", totalCostLimit: totalCostLimit) {
            $0.image.pixels.bytes.count + Memory.bytesPerEntry + addressBytes
        }
    }

    /// The strings of an address, each in a heap block of its own; an estimate, since what a key owns is not asked for.
    private static var addressBytes: Int { 256 }
}

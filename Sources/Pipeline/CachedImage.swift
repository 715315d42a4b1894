package import SpyglassCaching
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels

/// A complete image in a cache, and how long it is fresh.
package struct CachedImage: Sendable {
    let image: DecodedImage
    let madeAt: WallTime
    /// `nil` if it does not age, as in a recorded archive.
    let lifetime: FetchResponse.Lifetime?
    /// The hash of the encoded bytes (`XXHash64`); 0 if unknown.
    let bodyHash: UInt64

    init(_ image: DecodedImage, madeAt: WallTime, lifetime: FetchResponse.Lifetime?, bodyHash: UInt64 = 0) {
        self.image = image
        self.madeAt = madeAt
        self.lifetime = lifetime
        self.bodyHash = bodyHash
    }

    /// True if the image may be shown without revalidation; false if the calendar was set back since.
    func isFresh(at now: WallTime) -> Bool { lifetime.map { madeAt <= now && now < $0.freshUntil } ?? true }

    /// True if the image may replace a response that did not arrive (RFC 9111 section 4.2.4).
    func isFallback(for error: FetchError) -> Bool {
        lifetime?.allowsStale == true && (error.kind == .unreachable || error.kind == .timedOut)
    }

    /// True if the image may replace the response of an unavailable server (RFC 9111 section 4.3.3).
    func isFallback(forStatus status: Int) -> Bool {
        lifetime?.allowsStale == true && RetryPolicy.isTransient(status: status)
    }
}

extension ImagePipeline {
    /// A cache of decoded images, which several pipelines may share.
    package typealias Memory = MemoryCache<ImageKey, CachedImage>

    /// Makes an empty cache for decoded images, which counts the bytes that they own.
    ///
    /// - Parameter totalCostLimit: in bytes; by default a share of the memory that this process may use.
    /// - Returns: a cache; one entry may cost up to a tenth of the limit.
    package static func makeMemoryCache(totalCostLimit: Int? = nil) -> Memory {
        Memory(name: "pictures", totalCostLimit: totalCostLimit) {
            $0.image.pixels.bytes.count + Memory.bytesPerEntry + addressBytes
        }
    }

    /// An estimate for the strings of an address, each in a heap block of its own.
    private static var addressBytes: Int { 256 }
}

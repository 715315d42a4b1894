internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPixels
internal import SpyglassThreads

/// Makes thumbnails of photos: fetches the preview, decodes it straight to the size of its place.
///
///     let thumbnail = await loader.thumbnail(of: photo)
///
/// It may be asked for any number at once. Transfers are bounded by the transport, decoding by its threads. This is the
/// seam where a pipeline with caches and shared work will stand.
struct ThumbnailLoader: Sendable {
    let transport: any Transport
    let threads: WorkerThreads
    let decoder: ImageDecoder
    /// Whether JPEGs are decoded in full.
    let isExact: Bool
    /// The place of a thumbnail, in pixels.
    let target: TargetSize
    /// The largest preview that is fetched.
    let bodyLimit: Int
    let statistics: Statistics

    /// The thumbnail of a photo; never throws, since a list goes on without one.
    func thumbnail(of photo: Photo) async -> Thumbnail {
        guard let address = photo.thumbnail else { return .absent }
        do {
            return try await transport.picture(at: address, limit: bodyLimit, trust: photo.trust, decode: decoded)
        } catch {
            return .failed(error.message("\(address)"))
        }
    }

    private func decoded(_ bytes: [UInt8]) async throws(ItemError) -> Thumbnail {
        let result = try? await threads.run { [decoder, target, isExact] isCancelled in
            Result { () throws(ItemError) in
                try decoder.picture(.bytes(bytes), to: target, isExact: isExact, isCancelled: isCancelled)
            }
        }
        guard let image = try result?.get() else { throw ItemError("it is no longer wanted") }
        statistics.decoded()
        return .picture(image.pixels, note: image.note)
    }
}

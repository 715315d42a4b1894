internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassPixels

/// Makes thumbnails of photos through the pipeline.
///
///     let thumbnail = await loader.thumbnail(of: photo)
///
/// It may be asked for any number at once: what is bounded is bounded below.
struct ThumbnailLoader: Sendable {
    let pipeline: ImagePipeline
    /// The place of a thumbnail, in pixels.
    let target: TargetSize
    /// Whether JPEGs are decoded in full.
    let isExact: Bool
    let limits: ImageLimits

    /// The thumbnail of a photo; never throws, since a list goes on without one.
    func thumbnail(of photo: Photo) async -> Thumbnail {
        guard let address = photo.thumbnail else { return .absent }
        let request = ImageRequest(.address(address, photo.trust), target: target, isExact: isExact)
        do {
            let result = try await pipeline.image(for: request)
            return .picture(
                result.image.pixels, note: result.note.map { "\(address): \($0)" },
                isStale: result.freshness == .stale)
        } catch {
            return .failed(ItemError(error, within: limits).message("\(address)"))
        }
    }
}

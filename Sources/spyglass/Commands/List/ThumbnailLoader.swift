internal import SpyglassBrowser
internal import SpyglassCatalog
internal import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassPipeline
internal import SpyglassPixels

enum Thumbnail: Hashable, Sendable {
    /// The image at its target size; `note` names the missing part.
    case image(PixelBuffer, note: String?, isStale: Bool = false)
    /// The photo has no preview: a sound, or an item that was never scanned.
    case absent
    case failed(String)
}

/// Makes thumbnails of photos through the pipeline, which limits the work of concurrent calls.
struct ThumbnailLoader: Sendable {
    let pipeline: ImagePipeline
    let target: TargetSize
    let limits: ImageLimits

    func thumbnail(of photo: Photo) async -> Thumbnail {
        guard let source = photo.preview else { return .absent }
        let thumbnail = await thumbnail(source, of: photo)
        guard case .failed = thumbnail, let spare = photo.sparePreview, !Task.isCancelled else { return thumbnail }
        return await self.thumbnail(spare, of: photo)
    }

    private func thumbnail(_ source: ImageSource, of photo: Photo) async -> Thumbnail {
        let name = photo.thumbnail.map { "\($0)" } ?? photo.title
        let request = ImageRequest(source, target: target)
        do {
            let frame = try await pipeline.image(for: request)
            return .image(
                frame.image.pixels, note: frame.note.map { "\(name): \($0)" }, isStale: frame.freshness == .stale)
        } catch {
            return .failed(Failure(error, of: name, within: limits).message)
        }
    }
}

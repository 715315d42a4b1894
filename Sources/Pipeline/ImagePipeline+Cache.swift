public import SpyglassCodecs
internal import SpyglassCaching

extension ImagePipeline {
    /// The images in memory, by request.
    public var cache: Cache { Cache(pipeline: self) }

    /// The images that a pipeline has in memory.
    ///
    ///     if !pipeline.cache.contains(request) { prefetcher.setRequests([request]) }
    public struct Cache: Sendable {
        let pipeline: ImagePipeline

        /// Whether the image of a request is in memory, fresh or not.
        public func contains(_ request: ImageRequest) -> Bool {
            ImageKey(request).map { pipeline.memory.images.value(for: $0) != nil } ?? false
        }

        /// The image of a request, if it is in memory and fresh; in the time of a look-up.
        ///
        /// Always `nil` for files by their path, for bytes without a `cacheKey`, and for the policy `reload`.
        public func image(for request: ImageRequest) -> ImageResponse? {
            guard let image = pipeline.imageInMemory(for: request) else { return nil }
            pipeline.configuration.onEvent(.memoryHit(request.source))
            return image
        }

        /// Keeps an image for a request for ever, as if it had been loaded.
        ///
        /// - Returns: `false` for sources that have no key (bytes and files by path without a `cacheKey`), and images that are too large.
        @discardableResult
        public func insert(_ image: DecodedImage, for request: ImageRequest) -> Bool {
            guard let key = ImageKey(request) else { return false }
            return pipeline.insert(
                CachedImage(image: image, madeAt: pipeline.configuration.now(), lifetime: nil), for: key)
        }

        /// Removes the image of a request, its files in memory, and its thumbnail on disk, on a thread for files.
        ///
        /// Does nothing for sources without a key: bytes and files by path without a `cacheKey`.
        public func remove(_ request: ImageRequest) async {
            guard let key = ImageKey(request) else { return }
            pipeline.memory.images.remove(key)
            pipeline.memory.files.remove(key)
            await pipeline.thumbnails?.remove(key)
        }

        /// Removes all images and files from memory; those on disk stay.
        public func removeAll() {
            pipeline.memory.images.removeAll()
            pipeline.memory.files.removeAll()
        }
    }
}

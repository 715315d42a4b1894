public import SpyglassCodecs
internal import SpyglassFetching
internal import SpyglassThreads

extension ImagePipeline {
    /// Reads the header and the metadata of an image on a decoding thread, within the pipeline's limits; keeps nothing.
    ///
    /// - Throws: `CodecError`, as `ImageDecoder.metadata`; `CancellationError` if the task is cancelled.
    public func metadata(of image: EncodedImage) async throws -> ImageMetadata {
        let decoder = configuration.decoder
        return try await threads.run(priority: FetchPriority.visible.rawValue, isLight: true) { _ in
            try decoder.metadata(of: image)
        }
    }

    /// Counts the frames of an image, as `metadata(of:)`; reads a GIF up to the frame `max`.
    package func frameCount(of image: EncodedImage, upTo max: Int = .max) async throws -> Int {
        let decoder = configuration.decoder
        return try await threads.run(priority: FetchPriority.visible.rawValue) { _ in
            try decoder.frameCount(of: image, upTo: max)
        }
    }
}

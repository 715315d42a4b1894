public import SpyglassFetching

/// A stage of a request, for statistics and logs.
@nonexhaustive
public enum PipelineEvent: Sendable {
    /// The image was in memory.
    case memoryHit(ImageSource)
    /// The decoded image was on disk.
    case thumbnailHit(ImageSource, FetchResponse.Freshness)
    /// The request joined work in progress: the same decode, or the same transfer.
    case coalesced(ImageSource, Level)
    /// More bytes of the body arrived, of so many if the server named a length.
    ///
    /// For requests that include previews and for parts of images: once per 64 KiB, and per hundredth of a known length.
    case received(ImageSource, Int, of: Int?)
    /// A decoding thread started on the image.
    case decoding(ImageSource)
    /// The image was decoded, in this time on a decoding thread.
    case decoded(ImageSource, Duration)
    /// A coarse frame was made while the transfer goes on.
    case previewed(ImageSource, ImageFrame)
    /// The request failed.
    case failed(ImageSource, ImageError)
    /// The last caller cancelled.
    case cancelled(ImageSource)

    /// The work that two requests can share.
    public enum Level: Hashable, Sendable {
        /// One decode: the same source at the same size.
        case image
        /// One transfer: the same source at different sizes.
        case transfer
    }

    /// Receives a pipeline's events, on any thread; it must return quickly.
    public typealias Observer = @Sendable (PipelineEvent) -> Void
}

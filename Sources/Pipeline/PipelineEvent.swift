public import SpyglassFetching

/// What happens to a request for a picture, stage by stage, for statistics and for people who watch.
///
/// The pipeline takes one observer, and calls it from any thread; it must return at once. There may be more events in a later
/// version: keep a `default`.
public enum PipelineEvent: Sendable {
    /// A request found its picture in memory.
    case memoryHit(ImageSource)
    /// A request found its picture decoded on disk.
    case thumbnailHit(ImageSource, FetchResponse.Freshness)
    /// A request joined work that was under way for another: the same picture, or the same transfer.
    case coalesced(ImageSource, Level)
    /// A decoding thread begins with a picture.
    case decoding(ImageSource)
    /// A picture was decoded, in so much time of a decoding thread.
    case decoded(ImageSource, Duration)
    /// A picture was shown coarse while its transfer went on.
    case previewed(ImageSource)
    /// A request failed.
    case failed(ImageSource, ImageError)
    /// A request was cancelled by the last who wanted it.
    case cancelled(ImageSource)

    /// What two requests can share.
    public enum Level: Hashable, Sendable {
        /// One decode: the same source at the same size.
        case image
        /// One transfer: the same source at different sizes.
        case transfer
    }

    /// What the pipeline reports to.
    public typealias Observer = @Sendable (PipelineEvent) -> Void
}

public import SpyglassFetching
public import SpyglassPixels

/// Which picture is wanted, at what size, and how urgently.
///
///     let request = ImageRequest(.address(preview), target: TargetSize(box: PixelSize(width: 60, height: 40)))
///
/// The target is known before anything is read, always: what is decoded follows it and not the file.
public struct ImageRequest: Hashable, Sendable {
    /// Where the picture is.
    public var source: ImageSource
    /// The size that is wanted.
    public var target: TargetSize
    /// Whether a JPEG is decoded in full and averaged in linear light alone (`ImageDecoder.decode`).
    public var isExact: Bool
    /// How urgent it is; it does not tell one picture from another.
    public var priority: FetchPriority
    /// Whether the server is asked for a newer picture, however fresh the caches' is; neither memory nor decoded thumbnails answer.
    public var revalidates: Bool

    /// A request.
    public init(
        _ source: ImageSource, target: TargetSize, isExact: Bool = false, priority: FetchPriority = .visible,
        revalidates: Bool = false
    ) {
        self.source = source
        self.target = target
        self.isExact = isExact
        self.priority = priority
        self.revalidates = revalidates
    }
}

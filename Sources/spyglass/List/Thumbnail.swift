import SpyglassPixels

/// What came of a photo's preview picture.
enum Thumbnail: Hashable, Sendable {
    /// The picture at the size of its place; the note says what is missing of it, and a stale one is older than it should be,
    /// its server out of reach.
    case picture(PixelBuffer, note: String?, isStale: Bool = false)
    /// The photo has none: a sound, or an item that was never scanned.
    case absent
    /// It could not be had, and why, in a few words.
    case failed(String)
}

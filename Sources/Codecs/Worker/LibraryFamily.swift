/// The foreign libraries that one worker process opens.
@nonexhaustive
public enum LibraryFamily: String, Hashable, Sendable, CaseIterable {
    /// libwebp and libwebpdemux.
    case webp
    /// libheif.
    case heif
    /// libavif for AVIF, else libheif.
    case avif
    /// libtiff.
    case tiff
}

/// Where a format is decoded.
enum DecodingHome: Hashable, Sendable {
    /// In this process.
    case process
    /// In a worker with these libraries.
    case worker(LibraryFamily)
}

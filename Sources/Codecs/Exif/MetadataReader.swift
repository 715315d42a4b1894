internal import SpyglassPixels

/// A reader of a file's header, which may have an EXIF block and a colour profile.
protocol MetadataReader: ~Copyable {
    /// Calls `body` with the block; `nil` if there is none.
    func withExif<Value>(_ body: (Span<UInt8>) -> Value?) -> Value?
    func profile() -> EmbeddedProfile
}

extension MetadataReader where Self: ~Copyable {
    func orientation() -> Orientation? { withExif(Exif.orientation) }
    func exif() -> [UInt8]? { withExif(Exif.copy) }

    func metadata(_ info: ImageInfo) -> ImageMetadata {
        var metadata = ImageMetadata(info, profile())
        _ = withExif { metadata.read(exif: $0) }
        return metadata
    }
}

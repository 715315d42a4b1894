internal import SpyglassPixels

/// A reader of a file's header, which may have an EXIF block and a colour profile.
protocol MetadataReader: ~Copyable {
    /// Returns the EXIF as the file stores it, perhaps after a JPEG's name for it; `nil` if there is none.
    func exifSegment() -> [UInt8]?
    func profile() -> EmbeddedProfile
}

extension MetadataReader where Self: ~Copyable {
    func exifSegment() -> [UInt8]? { nil }
    func profile() -> EmbeddedProfile { .none }
    func orientation() -> Orientation? { exifSegment().flatMap { Exif.orientation(in: Exif.block(of: $0)) } }
    /// Returns a copy of the EXIF block; `nil` unless it starts like a TIFF file.
    func exif() -> [UInt8]? { exifSegment().map(Exif.block).flatMap { TIFFBlock($0) == nil ? nil : Array($0) } }

    func metadata(_ info: ImageInfo) -> ImageMetadata {
        var metadata = ImageMetadata(info, profile())
        if let segment = exifSegment() { metadata.read(exif: Exif.block(of: segment)) }
        return metadata
    }
}

public import SpyglassFiles
public import SpyglassPixels
package import SpyglassThreads

/// One decoded file: upright sRGB pixels at each requested size, its header, and how much of it was present.
public struct DecodedImage: Sendable {
    /// How much of an image its file holds.
    public enum Completeness: Hashable, Sendable {
        /// All rows of the region. A file that lacks only its end marker is complete.
        case complete
        /// The first `rows` of the stored image's `of` rows; the others are transparent, also those of a region.
        case truncated(rows: Int, of: Int)
        /// All rows, but flawed: a cut progressive file is coarse, one without all of its scans has gaps.
        case degraded
    }

    /// The pixels at each target size, in the order of the targets.
    public internal(set) var buffers: [PixelBuffer]
    /// The file's header.
    public internal(set) var info: ImageInfo
    /// How much of the image was present.
    public internal(set) var completeness: Completeness
    /// The number of the library's warnings.
    public let warnings: Int
    /// The first warning or, for a partial image without any, why it ends; in the library's words.
    public internal(set) var firstWarning: String?
    /// Why an embedded colour profile was not applied; `nil` if it was, or if there is none.
    public let colorWarning: String?
    /// The file's EXIF as a TIFF block, if it was requested and is present.
    ///
    /// The file's bytes as they are: the orientation is for the stored pixels, and only the first bytes are validated.
    public internal(set) var exif: [UInt8]?

    /// The colour profile of the pixels, where it was kept; `nil`: they are sRGB.
    var profile: [UInt8]?

    /// The reserved memory, for a caller that goes on to encode the pixels; `nil` in public results.
    package private(set) var share: WorkMemory.Share?

    /// The pixels at the first target size; traps if the image was decoded for none.
    public var pixels: PixelBuffer { buffers[0] }

    /// The image with other pixels.
    package func replacing(_ pixels: PixelBuffer) -> DecodedImage {
        var image = self
        image.buffers = [pixels]
        return image
    }

    func holding(_ share: WorkMemory.Share?) -> DecodedImage {
        var image = self
        image.share = share
        return image
    }
}

extension DecodedImage {
    /// An image of one size; complete and without warnings by default.
    package init(
        pixels: PixelBuffer, info: ImageInfo, completeness: Completeness = .complete, warnings: Int = 0,
        firstWarning: String? = nil, colorWarning: String? = nil
    ) {
        self.init(
            buffers: [pixels], info: info, completeness: completeness, warnings: warnings, firstWarning: firstWarning,
            colorWarning: colorWarning, exif: nil)
    }
}

/// An encoded image: bytes, or a file.
@nonexhaustive
public enum EncodedImage: Hashable, Sendable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A file that must have the contents that it had when it was looked at.
    case localFile(LocalFile)
    /// A regular file, by its path.
    ///
    /// It is read through a window while decoding, never whole and never mapped: another process may change it.
    case file(String)

    /// Copies the bytes, such as those in the buffer of a network library: decoding may outlast the span.
    public init(_ bytes: Span<UInt8>) { self = .bytes(bytes.withUnsafeBufferPointer { Array($0) }) }
}

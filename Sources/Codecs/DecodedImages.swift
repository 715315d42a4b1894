public import SpyglassPixels

/// The pictures that one decoding of a file gave, one for each size that was asked for, and how much of the file was there.
public struct DecodedImages: Sendable {
    /// The pictures in the order of their targets, upright, in sRGB; equal targets have equal pictures.
    public let pictures: [PixelBuffer]
    /// What the header says.
    public let info: ImageInfo
    /// How much of the picture there was.
    public let completeness: DecodedImage.Completeness
    /// Complaints of the library that did not keep it from going on.
    public let warnings: Int
    /// The first of them or, of a partial picture without any, the reason why it ends; in the library's words.
    public let firstWarning: String?
    /// Why an embedded colour profile was not applied; `nil` when it was, or when there is none.
    public let colorWarning: String?
    /// The file's EXIF as a TIFF block, which starts with its byte order, if it was asked for and is there.
    ///
    /// It is as it stands in the file, so that its orientation is that of the stored pixels, and nothing in it has been checked
    /// but those first bytes.
    public let exif: [UInt8]?
}

extension DecodedImage {
    /// The one picture that was asked for.
    init(_ pixels: PixelBuffer, of images: DecodedImages) {
        self.init(
            pixels: pixels, info: images.info, completeness: images.completeness, warnings: images.warnings,
            firstWarning: images.firstWarning, colorWarning: images.colorWarning)
    }
}

package import SpyglassPixels

/// A file to make of an image: its size, and how it is encoded.
package struct FilePlan: Hashable, Sendable {
    /// A format that is written, and its options.
    package enum Format: Hashable, Sendable {
        case jpeg(ImageEncoder.JPEGOptions)
        case png
        /// A quality from 1 to 100, `nil` for lossless, and an effort from 0, fast, to 6, small.
        case webp(quality: Int?, effort: Int)
        case avif(quality: Int, effort: Int)

        package var image: ImageFormat {
            switch self {
            case .jpeg: .jpeg
            case .png: .png
            case .webp: .webp
            case .avif: .avif
            }
        }

        /// The library that encodes it.
        var library: WorkerLibrary {
            switch self {
            case .jpeg, .png: .builtIn
            case .webp: .webp
            case .avif: .avif
            }
        }
    }

    package struct Encoding: Hashable, Sendable {
        package var format: Format
        package var comment: String
        /// The comment if a colour profile could not be applied because lcms2 is missing.
        package var commentWithoutColor: String
        package var background: RGBA

        func isSigned(_ file: [UInt8]) -> Bool {
            FileKind.sniff(file.span) == .image(format.image)
        }

        package init(_ format: Format, comment: String, commentWithoutColor: String, background: RGBA) {
            (self.format, self.background) = (format, background)
            (self.comment, self.commentWithoutColor) = (comment, commentWithoutColor)
        }
    }

    package var target: TargetSize
    /// Longer sides are cut to these, from both ends.
    package var crop: PixelSize?
    /// `nil` for a size that is decoded, because it decides the DCT scale, but not written.
    package var encoding: Encoding?
    /// Whether an image that is not complete makes files, too.
    package var isMadeOfDamage = false

    func cropped(_ size: PixelSize) -> PixelSize {
        guard let crop else { return size }
        return PixelSize(width: min(size.width, crop.width), height: min(size.height, crop.height))
    }

    package init(_ target: TargetSize, crop: PixelSize? = nil, encoding: Encoding?, isMadeOfDamage: Bool = false) {
        (self.target, self.crop, self.encoding) = (target, crop, encoding)
        self.isMadeOfDamage = isMadeOfDamage
    }
}

/// What a file holds beside its pixels.
struct FileMetadata {
    var comment: String
    var source: ImageFormat
    /// The block as the source has it.
    var exif: [UInt8]?
    var profile: [UInt8]?
}

extension FilePlan.Encoding {
    fileprivate func encode(_ image: PixelBuffer, _ metadata: FileMetadata) throws(CodecError) -> [UInt8] {
        let comment = metadata.comment.isEmpty ? nil : metadata.comment
        switch format {
        case .jpeg(let options):
            return try ImageEncoder(
                .jpeg(options), comment: comment, exif: metadata.exif, background: background
            ).encode(image)
        case .png:
            var encoder = ImageEncoder(.png, comment: comment, exif: metadata.exif)
            encoder.hasWholeBytes = metadata.source == .fits
            return try encoder.encode(image)
        case .webp(let quality, let effort):
            return try WebPEncoding(quality: quality, effort: effort).encoded(image, metadata.upright)
        case .avif(let quality, let effort):
            return try AVIFEncoding(quality: quality, effort: effort).encoded(image, metadata.upright)
        }
    }
}

extension FileMetadata {
    /// EXIF marked as upright, without its thumbnail; none if it is invalid or too long.
    fileprivate var upright: FileMetadata {
        var copy = self
        copy.exif = exif.flatMap(Exif.upright).flatMap { $0.count <= Exif.maxStored ? $0 : nil }
        return copy
    }
}

/// Memory that encoding takes, besides the image.
package struct EncodingMemory: Hashable, Sendable {
    package var pixelBytes = 0
    /// Bytes for each pixel of width and height.
    package var sideBytes = 0
    package var fixedBytes = 0

    package init(pixelBytes: Int = 0, sideBytes: Int = 0, fixedBytes: Int = 0) {
        (self.pixelBytes, self.sideBytes, self.fixedBytes) = (pixelBytes, sideBytes, fixedBytes)
    }

    func bytes(for size: PixelSize) -> Int {
        pixelBytes * size.pixelCount + sideBytes * (size.width + size.height) + fixedBytes
    }
}

package struct EncodedFiles: Sendable {
    package struct File: Sendable {
        package let size: PixelSize
        package let bytes: [UInt8]
    }

    /// The image without pixels: its header, how complete it is, warnings.
    package let image: DecodedImage
    /// A file for each plan with an encoding; of an image that is not complete only if the plans say so.
    package let files: [File?]
}

extension DecodedImage {
    func files(_ plans: [FilePlan]) throws(CodecError) -> [EncodedFiles.File?] {
        var files: [EncodedFiles.File?] = []
        let lacksColor = colorWarning != nil && CodecLibraries.colorManagement == nil
        for (plan, image) in zip(plans, buffers) where completeness == .complete || plan.isMadeOfDamage {
            files.append(nil)
            guard let encoding = plan.encoding else { continue }
            let image = plan.crop.map { image.croppedToCenter($0) } ?? image
            let comment = lacksColor ? encoding.commentWithoutColor : encoding.comment
            do throws(CodecError) {
                let bytes = try encoding.encode(image, FileMetadata(comment: comment, source: info.format, exif: exif))
                files[files.count - 1] = EncodedFiles.File(size: image.size, bytes: bytes)
            } catch {
                throw CodecError(error.kind, "cannot encode the output: \(error)", error.exceeded)
            }
        }
        return files
    }

    var withoutPixels: DecodedImage {
        DecodedImage(
            buffers: [], info: info, completeness: completeness, warnings: warnings, firstWarning: firstWarning,
            colorWarning: colorWarning, exif: nil
        ).holding(share)
    }
}

package import SpyglassPixels

/// An output file to make from an image: its size, and how it is encoded.
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
    package var filling: BoxFilling?
    /// `nil` for a size that is decoded, because it decides the DCT scale, but not written.
    package var encoding: Encoding?
    /// Whether an image that is not complete makes files, too.
    package var isMadeOfDamage = false

    var paddedSize: PixelSize? { if case .pad(let box, _) = filling { box } else { nil } }

    private var isCropped: Bool { if case .crop = filling { true } else { false } }

    /// Returns the size of the file's image, of one decoded to `size`.
    func size(of size: PixelSize) -> PixelSize { filling?.size(of: size) ?? size }

    package init(
        _ target: TargetSize, filling: BoxFilling? = nil, encoding: Encoding?, isMadeOfDamage: Bool = false
    ) {
        (self.target, self.filling, self.encoding) = (target, filling, encoding)
        self.isMadeOfDamage = isMadeOfDamage
    }
}

/// The metadata of a source that files made of it keep.
package struct KeptMetadata: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// EXIF, marked as upright, without its thumbnail.
    package static let exif = KeptMetadata(rawValue: 1)
    /// A colour profile for RGB, and pixels in its colours.
    package static let profile = KeptMetadata(rawValue: 2)
    /// Entries of EXIF that hold a position (GPS), or may: the maker's notes.
    package static let position = KeptMetadata(rawValue: 4)
}

/// The contents of an output file besides its pixels.
struct FileMetadata {
    /// Printable ASCII.
    var comment: String
    /// The source's, which decides on the depth of a grey PNG.
    var source: ImageFormat?
    /// Marked as upright.
    var exif: [UInt8]?
    /// For RGB.
    var profile: [UInt8]?
}

extension FilePlan.Encoding {
    fileprivate func encode(_ image: PixelBuffer, _ metadata: FileMetadata) throws(CodecError) -> [UInt8] {
        var file: [UInt8] = []
        switch format {
        case .jpeg(let options):
            let rows = OpaqueRows(image, over: background, allowsGray: metadata.profile == nil)
            try JPEGEncoding(rows).encode(options, metadata, into: &file)
        case .png: try PNGEncoding(image, metadata).encode(into: &file)
        case .webp(let quality, let effort):
            return try WebPEncoding(quality: quality, effort: effort).encoded(image, metadata)
        case .avif(let quality, let effort):
            return try AVIFEncoding(quality: quality, effort: effort).encoded(image, metadata)
        }
        return file
    }
}

extension FilePlan {
    /// The maximum memory while an image of `size` is encoded, besides it: the image in its box, what the library needs, the file as
    /// it grows, and a copy of it.
    func encodingBytes(for size: PixelSize) -> Int {
        guard let encoding else { return 0 }
        let size = paddedSize ?? size
        let boxBytes = filling == nil ? 0 : PixelBuffer.bytesPerPixel * size.pixelCount
        return switch encoding.format {
        case .jpeg(let options):
            boxBytes + size.pixelCount * (options.isProgressive || options.isOptimized ? 9 : 3)
        case .png: boxBytes + 12 * size.pixelCount
        // Measured with noise.
        case .webp: boxBytes + 54 * size.pixelCount + 1 << 20
        case .avif(let quality, let effort):
            boxBytes + AVIFEncoding(quality: quality, effort: effort).workBytes(for: size, isCropped: isCropped)
        }
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
    func files(_ plans: [FilePlan], keeping kept: KeptMetadata) throws(CodecError) -> [EncodedFiles.File?] {
        var files: [EncodedFiles.File?] = []
        let exif = exif.flatMap { kept.contains(.position) ? $0 : Exif.withoutPosition($0) }.flatMap(Exif.upright)
            .flatMap { $0.count <= Exif.maxStored ? $0 : nil }
        let lacksColor = colorWarning != nil && CodecLibraries.colorManagement == nil
        for (plan, image) in zip(plans, buffers) where completeness == .complete || plan.isMadeOfDamage {
            files.append(nil)
            guard let encoding = plan.encoding else { continue }
            let image = plan.filling?.applied(to: image) ?? image
            let comment = ImageComment.cleaned(lacksColor ? encoding.commentWithoutColor : encoding.comment)
            do throws(CodecError) {
                let metadata = FileMetadata(
                    comment: comment, source: info.format, exif: exif.map { Exif.settingSize(image.size, in: $0) },
                    profile: profile)
                let bytes = try encoding.encode(image, metadata)
                files[files.count - 1] = EncodedFiles.File(size: image.size, bytes: bytes)
            } catch {
                throw CodecError(error.kind, "the output: \(error)", error.exceeded)
            }
        }
        return files
    }

    var withoutPixels: DecodedImage {
        var image = self
        (image.buffers, image.exif, image.profile) = ([], nil, nil)
        return image
    }
}

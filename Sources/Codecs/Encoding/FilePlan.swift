package import SpyglassPixels

/// A file to make of an image: its size, and how it is encoded.
package struct FilePlan: Hashable, Sendable {
    package struct Encoding: Hashable, Sendable {
        package var format: ImageEncoder.Format
        package var comment: String
        /// The comment if a colour profile could not be applied because lcms2 is missing.
        package var commentWithoutColor: String
        package var background: RGBA

        func isSigned(_ file: [UInt8]) -> Bool {
            switch format {
            case .jpeg: file.starts(with: JPEGDecoding.signature)
            case .png: file.starts(with: [0x89, 0x50, 0x4E, 0x47])
            }
        }

        package init(_ format: ImageEncoder.Format, comment: String, commentWithoutColor: String, background: RGBA) {
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

    /// Returns the size of the file's image, of one decoded to `size`.
    func size(of size: PixelSize) -> PixelSize { filling?.size(of: size) ?? size }

    package init(
        _ target: TargetSize, filling: BoxFilling? = nil, encoding: Encoding?, isMadeOfDamage: Bool = false
    ) {
        (self.target, self.filling, self.encoding) = (target, filling, encoding)
        self.isMadeOfDamage = isMadeOfDamage
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
            let image = plan.filling?.applied(to: image) ?? image
            let encoder = ImageEncoder(
                encoding.format, comment: lacksColor ? encoding.commentWithoutColor : encoding.comment, exif: exif,
                background: encoding.background)
            do throws(CodecError) {
                files[files.count - 1] = EncodedFiles.File(size: image.size, bytes: try encoder.encode(image))
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

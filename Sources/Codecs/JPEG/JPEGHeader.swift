internal import SpyglassCJPEG
internal import SpyglassPixels

struct JPEGHeader {
    let info: ImageInfo
    let fields: sg_jpeg_header

    init(_ fields: sg_jpeg_header, from reader: borrowing JPEGReader, _ limits: ImageLimits) throws(CodecError) {
        let size = try limits.size(fields.width, fields.height)
        info = ImageInfo(
            format: .jpeg, storedSize: size, orientation: reader.orientation() ?? .up,
            isProgressive: fields.is_progressive, hasAlpha: false, colorDescription: Self.describe(fields))
        self.fields = fields
    }

    /// Memory of the coefficients, which a file of several scans needs.
    var coefficientBytes: Int { fields.has_several_scans ? Int(clamping: fields.coefficient_bytes) : 0 }

    var colors: ImageColors {
        switch fields.color {
        case SG_JPEG_COLOR_GRAY: .gray
        case SG_JPEG_COLOR_CMYK: .cmyk(isInverted: fields.has_adobe_marker)
        default: .rgb
        }
    }

    private static func describe(_ header: sg_jpeg_header) -> String {
        let space =
            switch (header.color, header.is_luma_chroma) {
            case (SG_JPEG_COLOR_GRAY, _): "grey"
            case (SG_JPEG_COLOR_RGB, false): "RGB"
            case (SG_JPEG_COLOR_RGB, true): "YCbCr"
            case (SG_JPEG_COLOR_CMYK, false): "CMYK"
            case (SG_JPEG_COLOR_CMYK, true): "YCCK"
            default: "\(header.components) components"
            }
        return "\(space), 8 bits"
    }

    func checkedSizes(for spec: DecodeSpec, _ limits: ImageLimits) throws(CodecError) -> [PixelSize] {
        let sizes = try spec.storedSizes(of: info, limits)
        if fields.color == SG_JPEG_COLOR_OTHER {
            throw .unsupported(.jpeg, "\(fields.components) components of unknown colours")
        }
        if fields.has_several_scans, fields.coefficient_bytes > UInt64(clamping: limits.coefficientBytes) {
            let (needed, limit) = (fields.coefficient_bytes >> 20, limits.coefficientBytes >> 20)
            throw CodecError(
                .coefficientBytes(needing: Int(clamping: fields.coefficient_bytes)),
                "\(info.storedSize) in several scans needs \(needed) MiB, above the limit of \(limit) MiB")
        }
        return sizes
    }
}

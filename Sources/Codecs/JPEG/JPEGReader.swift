internal import SpyglassCJPEG
internal import SpyglassPixels

/// Reads JPEG scanlines through libjpeg-turbo (`jpeg_read_scanlines`); not thread-safe.
///
/// A step that needs input is repeated after `feed`. Rows that the data does not reach are never returned.
struct JPEGReader: ~Copyable, MetadataReader {
    enum Progress {
        case done
        case needsInput
        /// The data ended before the image did.
        case cut
    }

    static let maxRows = Int(SG_JPEG_MAX_ROWS)

    private let handle: OpaquePointer

    init(_ limits: ImageLimits) throws(CodecError) {
        guard let handle = sg_jpeg_create(limits.warnings, max(limits.coefficientBytes, 0), EmbeddedProfile.maxBytes)
        else { throw .outOfMemory(to: "decode") }
        self.handle = handle
    }

    deinit { sg_jpeg_destroy(handle) }

    /// Returns false at the end of the input.
    func feed(from input: ByteReader, atMost count: Int) throws(CodecError) -> Bool {
        guard let room = sg_jpeg_input_room(handle, count) else { throw .outOfMemory(to: "decode") }
        let filled = try input.read(into: UnsafeMutableRawBufferPointer(start: room, count: count))
        if filled > 0 { sg_jpeg_add_input(handle, filled) } else { sg_jpeg_end_input(handle) }
        return filled > 0
    }

    func feed(_ bytes: Span<UInt8>) throws(CodecError) {
        guard let room = sg_jpeg_input_room(handle, bytes.count) else { throw .outOfMemory(to: "decode") }
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: room, count: $0.count).copyMemory(from: $0) }
        sg_jpeg_add_input(handle, bytes.count)
    }

    func readHeader(_ header: inout sg_jpeg_header) throws(CodecError) -> Progress {
        try progress(sg_jpeg_read_header(handle, &header))
    }

    func exifSegment() -> [UInt8]? {
        var count = 0
        return sg_jpeg_exif(handle, &count).map { Array(UnsafeBufferPointer(start: $0, count: count)) }
    }

    func profile() -> EmbeddedProfile {
        var count = 0
        switch sg_jpeg_profile(handle, &count) {
        case SG_JPEG_PROFILE_NONE: return .none
        case SG_JPEG_PROFILE_BROKEN: return .unusable("its segments are incomplete or contradictory")
        case SG_JPEG_PROFILE_TOO_LARGE: return .tooLarge
        default: break
        }
        return .bytes(
            [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
                if let start = bytes.baseAddress { sg_jpeg_copy_profile(handle, start) }
                initialized = count
            })
    }

    func start(eighths: Int, fancyUpsampling: Bool, _ output: inout sg_jpeg_output) throws(CodecError) -> Progress {
        try progress(sg_jpeg_start(handle, CInt(eighths), fancyUpsampling, &output))
    }

    /// Reads some of the scans, and sets `haveEnded` after the last one; throws above the limit.
    func readScans(_ limits: ImageLimits, _ haveEnded: inout Bool) throws(CodecError) -> Progress {
        var current: CInt = 1
        let progress = try progress(sg_jpeg_read_scan(handle, CInt(Self.maxRows), &current, &haveEnded))
        if progress == .cut { haveEnded = true }
        if progress == .done, Int(current) > limits.scans {
            throw CodecError(.scans(needing: Int(current)), "more than \(limits.scans) scans")
        }
        return progress
    }

    /// 0 before a preview is possible: a component has no scan, or only the first is complete.
    var coveredScans: Int { Int(sg_jpeg_covered_scans(handle)) }

    /// Call after the scans, or for a preview; `realRows` are the rows that the first scan reached.
    func startOutput(_ realRows: inout UInt32) throws(CodecError) -> Progress {
        try progress(sg_jpeg_start_output(handle, &realRows))
    }

    /// Crops rows to these columns and a margin that decoding needs; call before the first row.
    func crop(_ part: inout sg_jpeg_part) throws(CodecError) { _ = try progress(sg_jpeg_crop(handle, &part)) }

    /// Reads rows, the first to `offset` and the others `stride` bytes apart; `done` of them are valid, whatever the outcome.
    func readRows(
        into buffer: inout [UInt8], from offset: Int, stride: Int, count: Int, skipping: Bool, done: inout UInt32
    ) throws(CodecError) -> Progress {
        precondition(offset + count * stride <= buffer.count, "room for the rows")
        let status = buffer.withUnsafeMutableBufferPointer { rows in
            guard let start = rows.baseAddress.map({ $0 + offset }) else { return SG_JPEG_DONE }
            let count = UInt32(clamping: count)
            return skipping
                ? sg_jpeg_skip_rows(handle, start, stride, count, &done)
                : sg_jpeg_read_rows(handle, start, stride, count, &done)
        }
        return try progress(status)
    }

    func finishOutput() throws(CodecError) -> Progress { try progress(sg_jpeg_finish_output(handle)) }

    var hasGaps: Bool { sg_jpeg_has_gaps(handle) }
    var warningCount: Int { sg_jpeg_warning_count(handle) }
    var firstWarning: String? { warningCount > 0 ? String(libraryMessage: sg_jpeg_first_warning(handle)) : nil }

    private func progress(_ status: sg_jpeg_status) throws(CodecError) -> Progress {
        switch status {
        case SG_JPEG_DONE: return .done
        case SG_JPEG_NEEDS_INPUT: return .needsInput
        case SG_JPEG_INPUT_CUT: return .cut
        default: throw failure()
        }
    }

    /// Begins libjpeg's message about samples that do not have 8 bits (`JERR_BAD_PRECISION`).
    private static let badPrecision = "Unsupported JPEG data precision "
    /// Begins its message about lossless and hierarchical frames (`JERR_SOF_UNSUPPORTED`).
    private static let badProcess = "Unsupported JPEG process: "

    private func failure() -> CodecError {
        let message = String(libraryMessage: sg_jpeg_message(handle))
        return switch sg_jpeg_how_failed(handle) {
        case SG_JPEG_NO_MEMORY: .outOfMemory(to: "decode")
        case SG_JPEG_TOO_LARGE: CodecError(.limit, "too large for libjpeg: \(message)")
        case SG_JPEG_UNSUPPORTED where message.hasPrefix(Self.badPrecision):
            .unsupported(bits: message.dropFirst(Self.badPrecision.count))
        case SG_JPEG_UNSUPPORTED where message.hasPrefix(Self.badProcess):
            .unsupported(.jpeg, String(message.dropFirst(Self.badProcess.count)))
        case SG_JPEG_UNSUPPORTED: .unsupported(.jpeg, message)
        default: .corrupt(.jpeg, message)
        }
    }
}

struct JPEGHeader {
    let info: ImageInfo
    let fields: sg_jpeg_header

    /// The file that a JPEG is in.
    struct Origin {
        var format = ImageFormat.jpeg
        /// Takes precedence over what the JPEG states.
        var orientation: Orientation?
    }

    init(
        _ fields: sg_jpeg_header, from reader: borrowing JPEGReader, _ limits: ImageLimits, _ origin: Origin = Origin()
    ) throws(CodecError) {
        let size = try limits.size(fields.width, fields.height)
        info = ImageInfo(
            format: origin.format, storedSize: size, orientation: origin.orientation ?? reader.orientation() ?? .up,
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

internal import SpyglassCJPEG
internal import SpyglassPixels

/// Reads JPEG scanlines through libjpeg-turbo (`jpeg_read_scanlines`) from bytes that are fed to it.
///
///     let reader = try JPEGReader(limits)
///     while try reader.readHeader(&header) == .needsInput { feed(reader) }
///
/// Every step may ask for input and is then made again after `feed` or `endInput`. Rows are real: those that the data did not
/// reach are never given out. The decompressor is not thread-safe and moves with its owner.
struct JPEGReader: ~Copyable {
    /// How far a step came.
    enum Progress {
        case done
        case needsInput
        /// The data ended before the picture did.
        case cut
    }

    /// The most rows that one `readRows` gives (`SG_JPEG_MOST_ROWS`).
    static let maxRows = Int(SG_JPEG_MOST_ROWS)

    private let handle: OpaquePointer

    init(_ limits: ImageLimits) throws(CodecError) {
        guard let handle = sg_jpeg_create(limits.warnings, max(limits.coefficientBytes, 0), EmbeddedProfile.maxBytes)
        else {
            throw .outOfMemory(to: "decode")
        }
        self.handle = handle
    }

    deinit { sg_jpeg_destroy(handle) }

    // MARK: Input

    /// Has `fill` write the next bytes, `count` at the most, into the reader's own buffer.
    ///
    /// `fill` returns how many there are, 0 at the end of the file. Whether there were any.
    func feed(
        atMost count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(CodecError) -> Int
    ) throws(CodecError) -> Bool {
        guard let room = sg_jpeg_input_room(handle, count) else { throw .outOfMemory(to: "decode") }
        let filled = try fill(UnsafeMutableRawBufferPointer(start: room, count: count))
        if filled > 0 { sg_jpeg_add_input(handle, filled) } else { sg_jpeg_end_input(handle) }
        return filled > 0
    }

    /// Takes `bytes` into the reader's own buffer.
    func feed(_ bytes: Span<UInt8>) throws(CodecError) {
        guard let room = sg_jpeg_input_room(handle, bytes.count) else { throw .outOfMemory(to: "decode") }
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: room, count: $0.count).copyMemory(from: $0) }
        sg_jpeg_add_input(handle, bytes.count)
    }

    /// There are no more bytes.
    func endInput() { sg_jpeg_end_input(handle) }

    // MARK: Steps

    func readHeader(_ header: inout sg_jpeg_header) throws(CodecError) -> Progress {
        try progress(sg_jpeg_read_header(handle, &header))
    }

    /// The orientation that the header's EXIF segment states.
    func orientation() -> Orientation? {
        var count = 0
        guard let bytes = sg_jpeg_exif(handle, &count) else { return nil }
        return ExifOrientation.find(in: UnsafeBufferPointer(start: bytes, count: count).span)
    }

    /// The header's EXIF segment as a TIFF block.
    func exif() -> [UInt8]? {
        var count = 0
        guard let bytes = sg_jpeg_exif(handle, &count) else { return nil }
        return ExifOrientation.block(of: UnsafeBufferPointer(start: bytes, count: count).span)
    }

    /// The colour profile of the header's APP2 segments.
    func profile() -> EmbeddedProfile {
        var count = 0
        switch sg_jpeg_profile(handle, &count) {
        case SG_JPEG_PROFILE_NONE: return .none
        case SG_JPEG_PROFILE_BROKEN: return .unusable("its pieces do not fit together")
        case SG_JPEG_PROFILE_TOO_LARGE: return .tooLarge
        default: break
        }
        return .bytes(
            [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
                if let start = bytes.baseAddress { sg_jpeg_copy_profile(handle, start) }
                initialized = count
            })
    }

    func start(
        eighths: Int, fancyUpsampling: Bool, _ output: inout sg_jpeg_output
    ) throws(CodecError) -> Progress {
        try progress(sg_jpeg_start(handle, CInt(eighths), fancyUpsampling, &output))
    }

    /// Reads some of the scans; `scan` is the one under way, from 1, and `hasEnded` says that the last one is in.
    func readScan(_ scan: inout CInt, _ hasEnded: inout Bool) throws(CodecError) -> Progress {
        try progress(sg_jpeg_read_scan(handle, CInt(Self.maxRows), &scan, &hasEnded))
    }

    /// How many scans are whole, or 0 while there cannot be a preview: one of the components had none, or only the first is.
    var coveredScans: Int { Int(sg_jpeg_covered_scans(handle)) }

    /// After the scans, or for a preview; `realRows` are the output rows that the first scan reached.
    func startOutput(_ realRows: inout UInt32) throws(CodecError) -> Progress {
        try progress(sg_jpeg_start_output(handle, &realRows))
    }

    /// Reads rows that are `stride` bytes apart; `done` of them are there, whatever the progress.
    func readRows(
        into buffer: inout [UInt8], stride: Int, count: Int, done: inout UInt32
    ) throws(CodecError) -> Progress {
        precondition(count * stride <= buffer.count, "room for the rows")
        let status = buffer.withUnsafeMutableBufferPointer { rows in
            guard let start = rows.baseAddress else { return SG_JPEG_DONE }
            return sg_jpeg_read_rows(handle, start, stride, UInt32(clamping: count), &done)
        }
        return try progress(status)
    }

    /// After a preview.
    func finishOutput() throws(CodecError) -> Progress { try progress(sg_jpeg_finish_output(handle)) }

    // MARK: What was found

    /// Whether data is missing, at the end or before it.
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

    private func failure() -> CodecError {
        let words = String(libraryMessage: sg_jpeg_message(handle))
        return switch sg_jpeg_how_failed(handle) {
        case SG_JPEG_NO_MEMORY: .outOfMemory(to: "decode")
        case SG_JPEG_TOO_LARGE: CodecError(.limit, "a JPEG too large for its library: \(words)")
        case SG_JPEG_UNSUPPORTED: .unsupported(.jpeg, words)
        default: .corrupt(.jpeg, words)
        }
    }
}

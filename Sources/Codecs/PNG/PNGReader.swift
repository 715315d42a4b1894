internal import SpyglassCPNG
internal import SpyglassPixels

/// Reads rows through libpng (`png_read_row`), expanded to eight bits a channel; not thread-safe.
struct PNGReader: ~Copyable, MetadataReader {
    private let handle: OpaquePointer
    /// The library pulls bytes from it through a pointer.
    private let puller: Puller

    private final class Puller {
        let input: ByteReader
        let limits: ImageLimits
        var isInHeader = true
        var error: CodecError?

        init(_ input: ByteReader, _ limits: ImageLimits) {
            self.input = input
            self.limits = limits
        }

        func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            do throws(CodecError) {
                if isInHeader, input.bytesRead > limits.bodyBytes { throw limits.longHeader() }
                return try input.read(into: buffer)
            } catch {
                self.error = error
                return -1
            }
        }
    }

    init(_ input: ByteReader, _ limits: ImageLimits) throws(CodecError) {
        let puller = Puller(input, limits)
        var bounds = sg_png_limits(
            max_side: UInt32(clamping: limits.side),
            max_chunk_bytes: max(limits.pngChunkBytes, 0), max_warnings: limits.warnings)
        let read: sg_png_reader = { context, buffer, capacity in
            Unmanaged<Puller>.fromOpaque(context).takeUnretainedValue()
                .read(UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
        }
        guard let handle = sg_png_create(read, Unmanaged.passUnretained(puller).toOpaque(), &bounds) else {
            throw .outOfMemory(to: "decode")
        }
        self.handle = handle
        self.puller = puller
    }

    deinit { sg_png_destroy(handle) }

    // MARK: Steps

    func readHeader() throws(CodecError) -> sg_png_header {
        var header = sg_png_header()
        guard sg_png_read_header(handle, &header) else {
            if sg_png_how_failed(handle) == SG_PNG_CUT { throw .corrupt(.png, "the file ends inside its header") }
            throw failure()
        }
        puller.isInHeader = false
        return header
    }

    func exifSegment() -> [UInt8]? {
        var count = 0
        return sg_png_exif(handle, &count).map { Array(UnsafeBufferPointer(start: $0, count: count)) }
    }

    func profile() -> EmbeddedProfile {
        var count = 0
        guard let bytes = sg_png_profile(handle, &count) else {
            let reason = String(libraryMessage: sg_png_profile_warning(handle))
            return reason.isEmpty ? .none : .unusable(reason)
        }
        if count > EmbeddedProfile.maxBytes { return .tooLarge }
        return .bytes(Array(UnsafeBufferPointer(start: bytes, count: count)))
    }

    func start() throws(CodecError) -> (layout: RowLayout, rowBytes: Int) {
        var channels: CInt = 0
        var rowBytes = 0
        guard sg_png_start(handle, &channels, &rowBytes) else { throw failure() }
        guard let layout = RowLayout(rawValue: Int(channels)) else { throw .unsupported(.png, "\(channels) channels") }
        return (layout, rowBytes)
    }

    /// Reads rows, `stride` bytes apart, from the row `first` of the buffer on; `done` of them are valid.
    ///
    /// An interlaced image has seven passes over all its rows, each of which adds pixels to the rows in the buffer.
    ///
    /// - Returns: whether the library can continue.
    func readRows(
        into buffer: inout [UInt8], at first: Int = 0, stride: Int, count: Int, done: inout UInt32
    ) -> Bool {
        precondition(first >= 0 && (first + count) * stride <= buffer.count, "room for the rows")
        return buffer.withUnsafeMutableBufferPointer { rows in
            guard let start = rows.baseAddress else { return true }
            return sg_png_read_rows(handle, start + first * stride, stride, UInt32(clamping: count), &done)
        }
    }

    // MARK: Results

    func failure() -> CodecError {
        if let error = puller.error { return error }
        if sg_png_how_failed(handle) == SG_PNG_LIMIT { return CodecError(.pngChunkBytes, message) }
        // libpng reports a bad header without the reason, which is in the warning before it.
        let detail = firstWarning.map { " (\($0))" } ?? ""
        return .corrupt(.png, message + detail)
    }

    /// Whether the last step failed to read bytes: not a fault of the image.
    var isUnread: Bool { puller.error != nil }
    /// Whether the last step failed after the rows: no more bytes, or far too many.
    var failedBeyondRows: Bool {
        let failure = sg_png_how_failed(handle)
        return failure == SG_PNG_CUT || failure == SG_PNG_TAIL
    }
    var message: String { String(libraryMessage: sg_png_message(handle)) }
    var warningCount: Int { sg_png_warning_count(handle) }
    var firstWarning: String? { warningCount > 0 ? String(libraryMessage: sg_png_first_warning(handle)) : nil }
}

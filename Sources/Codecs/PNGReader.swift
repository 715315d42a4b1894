internal import SpyglassCPNG
internal import SpyglassPixels

/// Reads PNG rows through libpng (`png_read_row`), expanded to eight bits a channel.
///
/// Of an interlaced picture the rows are those of its passes, as they are stored. The decoder is not thread-safe and moves with
/// its owner.
struct PNGReader: ~Copyable {
    private let handle: OpaquePointer
    /// The bytes, which the library pulls; kept alive as long as the handle that points to it.
    private let source: Source

    /// What the library's read function is given: the reader, and why it failed.
    private final class Source {
        let input: ByteReader
        let limits: ImageLimits
        var isInHeader = true
        var error: DecodeError?

        init(_ input: ByteReader, _ limits: ImageLimits) {
            self.input = input
            self.limits = limits
        }

        func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            do throws(DecodeError) {
                if isInHeader, input.bytesRead > limits.bodyBytes { throw limits.longHeader() }
                return try input.read(into: buffer)
            } catch {
                self.error = error
                return -1
            }
        }
    }

    init(_ input: ByteReader, _ limits: ImageLimits) throws(DecodeError) {
        let source = Source(input, limits)
        var bounds = sg_png_limits(
            max_side: UInt32(clamping: limits.side), max_chunks: UInt32(clamping: limits.pngChunks),
            max_chunk_bytes: max(limits.pngChunkBytes, 0), max_warnings: limits.warnings)
        let read: sg_png_source = { context, buffer, capacity in
            Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
                .read(UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
        }
        guard let handle = sg_png_create(read, Unmanaged.passUnretained(source).toOpaque(), &bounds) else {
            throw .outOfMemory
        }
        self.handle = handle
        self.source = source
    }

    deinit { sg_png_destroy(handle) }

    // MARK: Steps

    func readHeader() throws(DecodeError) -> sg_png_header {
        var header = sg_png_header()
        guard sg_png_read_header(handle, &header) else {
            if sg_png_how_failed(handle) == SG_PNG_CUT { throw .corrupt(.png, "the file ends inside its header") }
            throw failure()
        }
        source.isInHeader = false
        return header
    }

    /// The orientation that an eXIf chunk before the picture states.
    func orientation() -> Orientation? {
        var count = 0
        guard let bytes = sg_png_exif(handle, &count) else { return nil }
        return ExifOrientation.find(in: UnsafeBufferPointer(start: bytes, count: count).span)
    }

    /// The layout and bytes of a full row.
    func start() throws(DecodeError) -> (layout: RowLayout, rowBytes: Int) {
        var channels: CInt = 0
        var rowBytes = 0
        guard sg_png_start(handle, &channels, &rowBytes) else { throw failure() }
        guard let layout = RowLayout(rawValue: Int(channels)) else {
            throw .unsupported(.png, "\(channels) channels")
        }
        return (layout, rowBytes)
    }

    /// Reads rows that are `stride` bytes apart; `done` of them are there, also when the library cannot go on and it is false.
    func readRows(into buffer: inout [UInt8], stride: Int, count: Int, done: inout UInt32) -> Bool {
        buffer.withUnsafeMutableBufferPointer { rows in
            guard let start = rows.baseAddress, count * stride <= rows.count else { return false }
            return sg_png_read_rows(handle, start, stride, UInt32(clamping: count), &done)
        }
    }

    // MARK: What was found

    /// Why the last step failed.
    func failure() -> DecodeError {
        if let error = source.error { return error }
        if sg_png_how_failed(handle) == SG_PNG_LIMIT { return DecodeError(.limit, message) }
        // A bad header is called that and no more; the warning before it says what is wrong.
        let detail = firstWarning.map { " (\($0))" } ?? ""
        return .corrupt(.png, message + detail)
    }

    /// Whether the last step failed because the source did, which says nothing of the picture.
    var isUnread: Bool { source.error != nil }
    /// Whether the last step failed because there are no more bytes.
    var isCut: Bool { sg_png_how_failed(handle) == SG_PNG_CUT }
    var message: String { String(libraryWords: sg_png_message(handle)) }
    var warningCount: Int { sg_png_warning_count(handle) }
    var firstWarning: String? { warningCount > 0 ? String(libraryWords: sg_png_first_warning(handle)) : nil }
}

internal import SpyglassCJPEG
internal import SpyglassPixels

/// Encodes one image through libjpeg-turbo (`jpeg_write_scanlines`); not thread-safe.
struct JPEGEncoding: ~Copyable {
    private let handle: OpaquePointer
    private let rows: OpaqueRows

    static let maxSide = 65_500
    /// The capacity of an APP1 segment after its length and EXIF's name.
    static let maxExifBytes = 65_533 - 6
    private static let rowsAtOnce = 16

    init(_ rows: OpaqueRows) throws(CodecError) {
        let size = rows.image.size
        guard max(size.width, size.height) <= Self.maxSide else {
            throw CodecError(.limit, "\(size) is too large for a JPEG, whose sides are at most 65,500 pixels")
        }
        guard let handle = sg_jpeg_encoder_create() else { throw .outOfMemory(to: "encode") }
        self.handle = handle
        self.rows = rows
    }

    deinit { sg_jpeg_encoder_destroy(handle) }

    /// Appends the file.
    func encode(
        _ options: ImageEncoder.JPEGOptions, _ metadata: FileMetadata, into file: inout [UInt8]
    ) throws(CodecError) {
        try start(options, metadata)
        try writeRows()
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard sg_jpeg_encoder_finish(handle, &bytes, &count) else { throw failure() }
        file += UnsafeBufferPointer(start: bytes, count: count)
    }

    private func start(_ options: ImageEncoder.JPEGOptions, _ metadata: FileMetadata) throws(CodecError) {
        let size = rows.image.size
        let quality = min(max(options.quality, 1), 100)
        let subsampling = options.subsampling ?? .suiting(quality: quality)
        var encoding = sg_jpeg_encoding(
            width: UInt32(size.width), height: UInt32(size.height), is_gray: rows.isGray, quality: CInt(quality),
            horizontal_sampling: CInt(subsampling.horizontal), vertical_sampling: CInt(subsampling.vertical),
            is_progressive: options.isProgressive, is_optimized: options.isOptimized)
        let (comment, profile) = (Array(metadata.comment.utf8), metadata.profile ?? [])
        var exif = metadata.exif ?? []
        if exif.count > Self.maxExifBytes { exif = [] }
        guard
            sg_jpeg_encoder_start(
                handle, &encoding, comment, comment.count, profile, profile.count, exif, exif.count)
        else { throw failure() }
    }

    private func writeRows() throws(CodecError) {
        let (image, size) = (rows.image, rows.image.size)
        if rows.isUnchanged, !rows.isGray { return try write(image.bytes, stride: image.stride, count: size.height) }
        let stride = rows.isGray ? size.width : image.stride
        var strip = [UInt8](repeating: 0, count: min(Self.rowsAtOnce, size.height) * stride)
        for start in Swift.stride(from: 0, to: size.height, by: Self.rowsAtOnce) {
            let part = start..<min(start + Self.rowsAtOnce, size.height)
            rows.copy(part, into: &strip)
            try write(strip, stride: stride, count: part.count)
        }
    }

    private func write(_ bytes: [UInt8], stride: Int, count: Int) throws(CodecError) {
        precondition(count * stride <= bytes.count, "complete rows")
        guard sg_jpeg_encoder_write_rows(handle, bytes, stride, UInt32(count)) else { throw failure() }
    }

    private func failure() -> CodecError {
        if sg_jpeg_encoder_lacks_memory(handle) { return .outOfMemory(to: "encode") }
        return CodecError(.library, "not encoded: \(String(libraryMessage: sg_jpeg_encoder_message(handle)))")
    }
}

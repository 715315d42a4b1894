internal import SpyglassCWebP
internal import SpyglassPixels

/// Encodes an image as a WebP through libwebp (`WebPEncode`), with metadata in chunks around its data (RFC 9649, section 2.7).
struct WebPEncoding {
    /// From 1 to 100; `nil` for lossless.
    let quality: Int?
    /// From 0, fast, to 6, small.
    let effort: Int

    static let maxSide = 16_383
    /// Where the chunk with XMP starts: after the first one, so that it is within the first KiB of any file.
    static let xmpAt = fileHeaderBytes + chunkHeaderBytes + canvasBytes
    private static let (fileHeaderBytes, chunkHeaderBytes, canvasBytes) = (12, 8, 10)

    func encoded(_ image: PixelBuffer, _ metadata: FileMetadata) throws(CodecError) -> [UInt8] {
        let size = image.size
        guard max(size.width, size.height) <= Self.maxSide else {
            throw CodecError(.limit, "\(size) is too large for a WebP, whose sides are at most 16,383 pixels")
        }
        let webp = try WebPLibrary.system.get().functions
        let hasAlpha = !image.isOpaque
        var encoding = sg_webp_encoding(
            width: CInt(size.width), height: CInt(size.height), has_alpha: hasAlpha, is_lossless: quality == nil,
            quality: CInt(quality ?? 0), effort: CInt(effort))
        var file = sg_webp_file()
        defer { webp.pointee.MemoryWriterClear(&file) }
        switch Int(sg_webp_encode(webp, &encoding, image.bytes, &file)) {
        case SG_WEBP_ENCODED: break
        case SG_WEBP_LACKS_MEMORY, SG_WEBP_LACKS_MEMORY_TO_WRITE: throw .outOfMemory(to: "encode")
        case let code: throw CodecError(.library, "not encoded: error \(code) of libwebp")
        }
        let data = UnsafeBufferPointer(start: file.bytes, count: file.size)
        return Self.assembled(imageChunks(data), size, hasAlpha: hasAlpha, metadata)
    }

    /// The chunks after the file's header and the canvas, of which a file without alpha has none.
    private func imageChunks(_ file: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
        let chunks = file.dropFirst(Self.fileHeaderBytes)
        return chunks.starts(with: "VP8X".utf8) ? file.dropFirst(Self.xmpAt) : chunks
    }

    private static func assembled(
        _ image: some Collection<UInt8>, _ size: PixelSize, hasAlpha: Bool, _ metadata: FileMetadata
    ) -> [UInt8] {
        let hasXMP = !metadata.comment.isEmpty
        let flags = [(metadata.profile != nil, 0x20), (hasAlpha, 0x10), (metadata.exif != nil, 0x08), (hasXMP, 0x04)]
        var canvas = number(flags.reduce(0) { $1.0 ? $0 | $1.1 : $0 }, bytes: 4)
        canvas += number(size.width - 1, bytes: 3) + number(size.height - 1, bytes: 3)
        var chunks = Array("WEBP".utf8)
        append("VP8X", canvas, to: &chunks)
        // Metadata may come in any order; the fingerprint is looked for in the first bytes.
        if hasXMP { append("XMP ", XMP.bytes(metadata.comment), to: &chunks) }
        if let profile = metadata.profile { append("ICCP", profile, to: &chunks) }
        chunks += image
        if let exif = metadata.exif { append("EXIF", exif, to: &chunks) }
        return Array("RIFF".utf8) + number(chunks.count, bytes: 4) + chunks
    }

    private static func append(_ name: String, _ content: [UInt8], to chunks: inout [UInt8]) {
        chunks += Array(name.utf8) + number(content.count, bytes: 4) + content
        if content.count % 2 != 0 { chunks.append(0) }
    }

    private static func number(_ value: Int, bytes: Int) -> [UInt8] {
        [UInt8](value, bytes: bytes, isBigEndian: false)
    }
}

internal import SpyglassCZlib

/// Writes an uncompressed PNG: the encoders are above this module.
enum StoredPNG {
    /// A file of 8-bit RGB, three bytes a pixel; both sides at least 1.
    static func bytes(of pixels: [UInt8], width: Int, height: Int) -> [UInt8] {
        let stride = width * 3
        var rows: [UInt8] = []
        rows.reserveCapacity((stride + 1) * height)
        for row in 0..<height {
            rows.append(0)  // Filter type 0: none.
            rows += pixels[row * stride..<(row + 1) * stride]
        }
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Eight bits a sample, colour type 2 (RGB), deflate, adaptive filters, no interlace.
        file += chunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 2, 0, 0, 0])
        file += chunk("IDAT", zlib(rows))
        file += chunk("IEND", [])
        return file
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + checked + bigEndian(UInt32(crc32_z(0, checked, checked.count)))
    }

    private static let blockLimit = 65_535

    private static func zlib(_ data: [UInt8]) -> [UInt8] {
        // Deflate with a window of 32 KiB; the second byte makes the pair a multiple of 31.
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + blockLimit, data.count)
            let length = UInt16(end - start)
            stream.append(end == data.count ? 1 : 0)
            stream += [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
            stream += data[start..<end]
            start = end
        } while start < data.count
        return stream + bigEndian(UInt32(adler32_z(1, data, data.count)))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }
}

/// Uncompressed PNG files of a few pixels, made by hand (PNG third edition; RFC 1950; RFC 1951 section 3.2.4).
enum TinyPNG {
    /// One colour.
    static func solid(_ red: UInt8, _ green: UInt8, _ blue: UInt8, width: Int = 2, height: Int = 2) -> [UInt8] {
        // Filter type 0: the row as it is.
        let row: [UInt8] = [0] + (0..<width).flatMap { _ in [red, green, blue] }
        let rows: [UInt8] = (0..<height).flatMap { _ in row }
        return signature
            + chunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 2, 0, 0, 0])
            + chunk("IDAT", stored(rows)) + chunk("IEND", [])
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(bytes.count)
        let header: [UInt8] = [
            0x78, 0x01, 1, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8),
        ]
        var a: UInt32 = 1
        var b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return header + bytes + bigEndian(b << 16 | a)
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + data
        var crc: UInt32 = .max
        for byte in checked {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return bigEndian(UInt32(data.count)) + checked + bigEndian(~crc)
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }
}

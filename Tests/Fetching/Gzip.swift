/// Makes gzip members (RFC 1952) for tests, without a compressor.
enum Gzip {
    private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

    /// A valid member that holds `bytes` (at most 65,535) uncompressed.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(bytes.count)
        return header + [1] + littleEndian(length) + littleEndian(~length) + bytes
            + littleEndian(checksum(bytes)) + littleEndian(UInt32(bytes.count))
    }

    /// The start of a member that unpacks to more than `size` zeros, a hundredth as long.
    static func bomb(_ size: Int) -> [UInt8] {
        var bits = BitWriter(bytes: header)
        bits.write(0b1, 1)  // the last block
        bits.write(0b01, 2)  // fixed Huffman codes, RFC 1951 section 3.2.6
        bits.write(0b0000_1100, 8)  // the literal 0 is 00110000, codes go most significant bit first
        for _ in 0...(size / 258) {
            bits.write(0b1010_0011, 8)  // length 258 is 11000101
            bits.write(0, 5)  // distance 1
        }
        return bits.bytes + [0]
    }

    private struct BitWriter {
        var bytes: [UInt8]
        var used = 8

        mutating func write(_ value: UInt32, _ count: Int) {
            for bit in 0..<count {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8(value >> UInt32(bit) & 1) << UInt8(used)
                used += 1
            }
        }
    }

    private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// CRC-32 of RFC 1952 section 8.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = ~0
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xedb8_8320 : 0) }
        }
        return ~crc
    }
}

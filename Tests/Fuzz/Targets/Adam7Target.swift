import SpyglassCodecs
import SpyglassPixels

@testable import SpyglassThreads

/// Any pixels and any size of an interlaced PNG: an image of the requested size, or an error in one line, within a budget that is
/// free again afterwards.
///
/// The first bytes select size, colours and target. `Tests/Fuzz/run` also limits single allocations.
enum Adam7Target {
    private static let memory = WorkMemory(limit: 8 << 20)
    private static let headerBytes = 8
    /// Colour types and bit depths (PNG specification, table 11.1).
    private static let colors: [(type: UInt8, depths: [UInt8])] = [
        (0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16]),
    ]

    static func run(_ input: [UInt8]) {
        guard input.count > headerBytes else { return }
        let isLarge = input[0] & 1 == 1
        let size = PixelSize(
            width: 1 + (Int(input[1]) << 8 | Int(input[2])) % (isLarge ? 4096 : 40),
            height: 1 + (Int(input[3]) << 8 | Int(input[4])) % (isLarge ? 4096 : 40))
        let color = colors[Int(input[5]) % colors.count]
        let depth = color.depths[Int(input[6]) % color.depths.count]
        let box = PixelSize(width: 1 + Int(input[7] & 15), height: 1 + Int(input[7] >> 4))
        let isOriginal = input[0] & 2 == 2 && !isLarge
        let bytes = png(size, color.type, depth, Array(input[headerBytes...]))
        expectImageOrError(within: isOriginal ? size : box) { () throws(CodecError) in
            try ImageDecoder(memory: memory).decode(.bytes(bytes), to: isOriginal ? .original : TargetSize(box: box))
        }
        precondition(memory.used == 0, "memory is still reserved")
    }

    private static func png(_ size: PixelSize, _ type: UInt8, _ depth: UInt8, _ data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        func chunk(_ name: String, _ content: [UInt8]) {
            let typed = Array(name.utf8) + content
            bytes += bigEndian(UInt32(content.count)) + typed + bigEndian(PNGTarget.checksum(typed[...]))
        }
        chunk("IHDR", bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height)) + [depth, type, 0, 0, 1])
        if type == 3 { chunk("PLTE", (0..<UInt8(48)).map { $0 &* 5 }) }
        chunk("IDAT", stored(data))
        chunk("IEND", [])
        return bytes
    }

    /// A zlib stream of one stored block (RFC 1950, RFC 1951 section 3.2.4), without its checksum, which libpng does not need.
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        let data = data.prefix(65_535)
        let count = UInt16(data.count)
        return [0x78, 0x01, 0x01, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)] + data
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

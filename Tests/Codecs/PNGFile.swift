@testable import SpyglassCodecs

/// Writes small PNG files, without compressing them.
struct PNGFile {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The color types of IHDR.
    enum Color: UInt8 {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6
    }

    init(width: Int, height: Int, depth: UInt8 = 8, color: Color = .gray, interlaced: Bool = false) {
        chunk(
            "IHDR",
            [UInt8](width, bytes: 4) + [UInt8](height, bytes: 4) + [depth, color.rawValue, 0, 0, interlaced ? 1 : 0])
    }

    /// A complete grey image whose pixels are `value(x, y)`.
    static func gray(width: Int, height: Int, value: (Int, Int) -> UInt8) -> [UInt8] {
        var file = PNGFile(width: width, height: height)
        file.pixels((0..<height).map { y in (0..<width).map { x in value(x, y) } })
        return file.ended()
    }

    /// A file with another chunk after its header.
    static func inserting(_ type: String, _ content: [UInt8], in file: [UInt8]) -> [UInt8] {
        var header = PNGFile(width: 1, height: 1)
        let start = header.bytes.count
        header.chunk(type, content)
        return Array(file[..<start] + header.bytes[start...] + file[start...])
    }

    mutating func chunk(_ type: String, _ content: [UInt8]) {
        let body = Array(type.utf8) + content
        bytes += [UInt8](content.count, bytes: 4) + body + [UInt8](Int(crc(body)), bytes: 4)
    }

    /// IDAT chunks of `pieceBytes` with unfiltered rows.
    mutating func pixels(_ rows: [[UInt8]], pieceBytes: Int = .max) {
        let stream = Self.zlib(rows.flatMap { [0] + $0 })
        for start in stride(from: 0, to: stream.count, by: min(pieceBytes, stream.count)) {
            chunk("IDAT", Array(stream[start..<min(start + min(pieceBytes, stream.count), stream.count)]))
        }
    }

    func ended() -> [UInt8] {
        var file = self
        file.chunk("IEND", [])
        return file.bytes
    }

    /// A zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4).
    static func zlib(_ data: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = data[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            stream.append(rest.isEmpty ? 1 : 0)
            for number in [length, ~length] { stream += [UInt8(number & 255), UInt8(number >> 8)] }
            stream += block
        } while !rest.isEmpty
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in data {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return stream + [UInt8](Int(b << 16 | a), bytes: 4)
    }

    private func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(.max) { crc, byte in crc >> 8 ^ Self.crcs[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }

    private static let crcs = (0..<256 as Range<UInt32>).map { byte in
        (0..<8).reduce(byte) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
}

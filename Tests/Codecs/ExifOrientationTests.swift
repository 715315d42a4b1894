import SpyglassPixels
import Testing

@testable import SpyglassCodecs

@Suite("Exif: orientation")
struct ExifOrientationTests {
    /// A TIFF block with one directory, whose numbers are written in either order.
    private struct Block {
        var isBigEndian = true
        var name: [UInt8] = Array("Exif\0\0".utf8)
        var magic = 42
        var directoryAt = 8
        var countStated: Int?
        var entries: [(tag: Int, type: Int, count: Int, value: [UInt8])] = []

        func number(_ value: Int, bytes: Int) -> [UInt8] { [UInt8](value, bytes: bytes, isBigEndian: isBigEndian) }

        func encoded() -> [UInt8] {
            var bytes =
                Array((isBigEndian ? "MM" : "II").utf8) + number(magic, bytes: 2) + number(directoryAt, bytes: 4)
            bytes += [UInt8](repeating: 0, count: max(directoryAt - 8, 0) % 1024)
            bytes += number(countStated ?? entries.count, bytes: 2)
            for entry in entries {
                bytes += number(entry.tag, bytes: 2) + number(entry.type, bytes: 2) + number(entry.count, bytes: 4)
                bytes += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            }
            return name + bytes
        }
    }

    private func block(_ value: Int, isBigEndian: Bool = true, type: Int = 3, count: Int = 1, tag: Int = 0x0112)
        -> Block
    {
        var block = Block(isBigEndian: isBigEndian)
        block.entries = [(tag, type, count, block.number(value, bytes: type == 4 ? 4 : 2))]
        return block
    }

    private func find(_ block: Block) -> Orientation? { find(block.encoded()) }
    private func find(_ bytes: [UInt8]) -> Orientation? { Exif.orientation(in: Exif.block(of: bytes)) }

    @Test("All eight orientations are read in both byte orders", arguments: Orientation.allCases, [true, false])
    func values(orientation: Orientation, isBigEndian: Bool) {
        for type in [3, 4] {
            #expect(find(block(orientation.rawValue, isBigEndian: isBigEndian, type: type)) == orientation)
        }
    }

    @Test("An orientation may be of any type of integer, and the first of several", arguments: [1, 3, 4, 6, 8, 9])
    func types(type: Int) {
        for count in [1, 2] {
            var block = block(6, type: type, count: type == 4 || type == 9 ? 1 : count)
            let width = [1: 1, 6: 1, 3: 2, 8: 2][type] ?? 4
            block.entries[0].value = block.number(6, bytes: width)
            #expect(find(block) == .right)
            block.entries[0].value = [UInt8](repeating: 0xFF, count: width)
            #expect(find(block) == nil)
        }
    }

    @Test("A block without JPEG's prefix is read, as in a PNG")
    func unnamed() {
        var block = block(6)
        block.name = []
        #expect(find(block) == .right)
    }

    @Test("The directory may be anywhere, and the tag anywhere in it")
    func elsewhere() {
        var block = block(3)
        block.directoryAt = 300
        block.entries.insert((0x010F, 2, 4, Array("abc\0".utf8)), at: 0)
        #expect(find(block) == .down)
    }

    @Test("An invalid value counts as missing", arguments: [0, 9, 255, 65_535])
    func badValue(value: Int) {
        #expect(find(block(value)) == nil)
    }

    @Test("A wrong type, count, tag, magic number or byte order counts as missing")
    func badEntry() {
        var wrong = block(6)
        wrong.magic = 43
        var bytes = block(6).encoded()
        bytes[6] = UInt8(ascii: "I")
        let blocks = [
            block(6, type: 2), block(6, type: 65_535), block(6, count: 0), block(6, count: Int(UInt32.max)),
            block(6, tag: 0x0113), wrong,
        ]
        for bytes in blocks.map({ $0.encoded() }) + [bytes] { #expect(find(bytes) == nil) }
    }

    @Test(
        "An offset outside the block counts as missing", arguments: [27, 1_000, 0x7FFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFE])
    func farDirectory(offset: Int) {
        var bytes = block(6).encoded()
        for (at, byte) in block(6).number(offset, bytes: 4).enumerated() { bytes[10 + at] = byte }
        #expect(find(bytes) == nil)
    }

    @Test("A directory with too large a count is read to the end of the block")
    func manyEntries() {
        for (tag, orientation) in [(0x0112, Orientation.right), (1, nil)] {
            var block = block(6, tag: tag)
            block.countStated = 65_535
            #expect(find(block) == orientation)
        }
    }

    @Test("Every truncation of a block is safe, and only a complete value counts")
    func cuts() {
        let bytes = block(6).encoded()
        for count in 0..<bytes.count - 2 { #expect(find(Array(bytes[..<count])) == nil) }
        #expect(find(Array(bytes.dropLast(2))) == .right)
    }
}

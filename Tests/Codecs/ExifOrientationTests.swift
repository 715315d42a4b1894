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

        func number(_ value: Int, bytes: Int) -> [UInt8] {
            let bigEndian = (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return isBigEndian ? bigEndian : bigEndian.reversed()
        }

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
        #expect(find(block(orientation.rawValue, isBigEndian: isBigEndian)) == orientation)
        #expect(find(block(orientation.rawValue, isBigEndian: isBigEndian, type: 4)) == orientation)
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
        #expect(find(block(6, type: 2)) == nil)
        #expect(find(block(6, type: 65_535)) == nil)
        #expect(find(block(6, count: 0)) == nil)
        #expect(find(block(6, count: Int(UInt32.max))) == nil)
        #expect(find(block(6, tag: 0x0113)) == nil)
        var wrong = block(6)
        wrong.magic = 43
        #expect(find(wrong) == nil)
        var bytes = block(6).encoded()
        bytes[6] = UInt8(ascii: "I")
        #expect(find(bytes) == nil)
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
        var early = block(6)
        early.countStated = 65_535
        #expect(find(early) == .right)
        var without = block(6, tag: 1)
        without.countStated = 65_535
        #expect(find(without) == nil)
    }

    @Test("Every truncation of a block is safe, and only a complete value counts")
    func cuts() {
        let bytes = block(6).encoded()
        for count in 0..<bytes.count - 2 { #expect(find(Array(bytes[..<count])) == nil) }
        #expect(find(Array(bytes.dropLast(2))) == .right)
    }
}

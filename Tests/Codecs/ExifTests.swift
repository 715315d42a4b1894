import SpyglassPixels
import Testing

@testable import SpyglassCodecs

@Suite("Exif")
struct ExifTests {
    /// A camera's block: make, orientation, an Exif directory with a long value, and a thumbnail at the end.
    private func camera(orientation: Int, isBigEndian: Bool) -> (block: [UInt8], thumbnailAt: Int) {
        var block = ExifBlock(isBigEndian: isBigEndian)
        let exifAt = 8 + 2 + 3 * 12 + 4
        let makeAt = exifAt + 2 + 12 + 4
        let thumbnailAt = makeAt + 8
        block.directory(
            [(0x010F, 2, 8, makeAt), (0x0112, 3, 1, orientation), (0x8769, 4, 1, exifAt)], next: thumbnailAt)
        block.directory([(0xA002, 4, 1, 640)])
        block.bytes += Array("Spyglas\0".utf8)
        let imageAt = thumbnailAt + 2 + 3 * 12 + 4
        block.directory([(0x0112, 3, 1, orientation), (0x0201, 4, 1, imageAt), (0x0202, 4, 1, 100)])
        block.bytes += [UInt8](repeating: 0xD8, count: 100)
        return (block.bytes, thumbnailAt)
    }

    @Test("A rotated image's block is marked upright, and has no thumbnail", arguments: 1...8, [true, false])
    func turned(orientation: Int, isBigEndian: Bool) throws {
        let (block, thumbnailAt) = camera(orientation: orientation, isBigEndian: isBigEndian)
        let upright = try #require(Exif.upright(block))
        #expect(Exif.orientation(in: upright[...]) == .up)
        var expected = Array(camera(orientation: 1, isBigEndian: isBigEndian).block[..<thumbnailAt])
        let nextAt = 8 + 2 + 3 * 12
        for at in nextAt..<nextAt + 4 { expected[at] = 0 }
        #expect(upright == expected && Exif.upright(upright) == upright)
    }

    @Test("The block states the size of the encoded image, where it states one", arguments: [true, false])
    func statedSize(isBigEndian: Bool) throws {
        func block(_ width: (type: Int, value: Int), _ height: (type: Int, value: Int)) -> [UInt8] {
            var block = ExifBlock(isBigEndian: isBigEndian)
            block.directory([(0x8769, 4, 1, 26)])
            block.directory([
                (0xA001, 3, 1, 1), (0xA002, width.type, 1, width.value), (0xA003, height.type, 1, height.value),
            ])
            return block.bytes
        }
        let source = block((4, 4000), (3, 3000))
        for (width, height) in [((3, 320), (3, 240)), ((4, 70_000), (3, 1))] {
            let size = PixelSize(width: width.1, height: height.1)
            #expect(Exif.settingSize(size, in: source) == block(width, height))
        }
        for count in source.indices {
            #expect(Exif.settingSize(PixelSize(width: 1, height: 1), in: Array(source[..<count])).count == count)
        }
        let file = try ImageEncoder(.png, exif: source).encode(PixelBuffer(size: PixelSize(width: 5, height: 3)))
        #expect(try ImageDecoder().decode(.bytes(file), to: [], readsMetadata: true).exif == block((3, 5), (3, 3)))
    }

    @Test("Unknown values and those after the thumbnail are preserved")
    func behindTheThumbnail() throws {
        for entry in [(0x010F, 2, 8, 60), (0x010F, 99, 1, 0), (0x8769, 4, 1, 1000), (0x8769, 4, 1, 8)] {
            var block = ExifBlock(isBigEndian: true)
            block.directory([(0x0112, 3, 1, 6), entry], next: 40)
            block.bytes += [UInt8](repeating: 0, count: 40)
            let upright = try #require(Exif.upright(block.bytes))
            #expect(upright.count == block.bytes.count && Exif.orientation(in: upright[...]) == .up)
            #expect(upright[34..<38].allSatisfy { $0 == 0 })  // the thumbnail's directory is unhooked
        }
    }

    @Test("Every orientation in the directory becomes 1, whatever its type", arguments: [1, 3, 4, 5, 7, 99])
    func severalEntries(type: Int) throws {
        var block = ExifBlock(isBigEndian: false)
        block.directory([(0x0112, type, 3, 6), (0x0100, 4, 1, 7), (0x0112, 4, 1, 8)])
        let upright = try #require(Exif.upright(block.bytes))
        var expected = ExifBlock(isBigEndian: false)
        expected.directory([(0x0112, 3, 1, 1), (0x0100, 4, 1, 7), (0x0112, 3, 1, 1)])
        #expect(upright == expected.bytes)
    }

    @Test("An invalid block, or one with a truncated first directory, is dropped")
    func dropped() {
        var whole = ExifBlock(isBigEndian: true)
        whole.directory([(0x0112, 3, 1, 6)])
        var far = whole.bytes
        far[4] = 0xFF
        // A directory inside the header, which rewriting would change.
        let inHeader = (0..<8).map { at -> [UInt8] in whole.bytes[..<7] + [UInt8(at)] + whole.bytes[8...] }
        let cut = whole.bytes.indices.map { Array(whole.bytes[..<$0]) }
        for block in cut + inHeader + [Array("Exif\0\0".utf8) + whole.bytes, far] {
            #expect(Exif.upright(block) == nil)
        }
        #expect(ImageEncoder(.png, exif: far).exif == nil)
    }

    @Test("Circular directories are not followed")
    func loops() throws {
        var block = ExifBlock(isBigEndian: true)
        block.directory(
            [(0x0112, 3, 1, 3)] + [(Int, Int, Int, Int)](repeating: (0x8769, 4, 1, 8), count: 5_000), next: 9)
        let upright = try #require(Exif.upright(block.bytes))
        #expect(upright.count == block.bytes.count)
    }

    @Test("A block given to an encoder is in its file, upright")
    func inFiles() throws {
        let (block, thumbnailAt) = camera(orientation: 8, isBigEndian: true)
        for format in [ImageEncoder.Format.jpeg(.init()), .png] {
            let encoder = ImageEncoder(format, exif: block)
            let info = try ImageDecoder().probe(.bytes(encoder.encode(.slopes(20, 10))))
            #expect(encoder.exif?.count == thumbnailAt && info.orientation == .up)
            #expect(info.size == PixelSize(width: 20, height: 10))
        }
    }
}

import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("BMPDecoding")
struct BMPDecodingTests {
    private let decoder = ImageDecoder()

    /// Writes a BMP of any header.
    private struct File {
        var width = 3
        var height = 2
        var bits = 24
        var compression = 0
        var headerBytes = 40
        /// After BITMAPINFOHEADER: masks, which longer headers contain.
        var masks: [Int] = []
        /// Blue, green, red, and 0 unless the header is the short one.
        var palette: [UInt8] = []
        var colorsUsed = 0
        var pixels: [UInt8] = []
        /// Bytes between the header and the pixels.
        var gap = 0
        /// Where the file says that its pixels are.
        var statedStart: Int?

        var bytes: [UInt8] {
            var header = number(headerBytes, 4)
            if headerBytes == 12 {
                header += [width, height, 1, bits].flatMap { number($0, 2) }
            } else {
                header += number(width, 4) + number(height, 4) + number(1, 2) + number(bits, 2)
                header += [compression, pixels.count, 2835, 2835, colorsUsed, 0].flatMap { number($0, 4) }
                header += masks.flatMap { number($0, 4) }
                header += repeatElement(0, count: max(0, headerBytes - header.count))
            }
            if headerBytes < 40 { header = Array(header[..<headerBytes]) }
            let start = 14 + header.count + palette.count + gap
            return Array("BM".utf8) + number(start + pixels.count, 4) + number(0, 4)
                + number(statedStart ?? start, 4) + header
                + palette
                + [UInt8](repeating: 7, count: gap) + pixels
        }

        private func number(_ value: Int, _ count: Int) -> [UInt8] { [UInt8](value, bytes: count, isBigEndian: false) }
    }

    private static let (red, green, blue) = (RGBA(255, 0, 0), RGBA(0, 255, 0), RGBA(0, 0, 255))
    private static let (black, white) = (RGBA(0, 0, 0), RGBA(255, 255, 255))
    /// Red, green, blue above black, white, red.
    private static let picture = [red, green, blue, black, white, red]
    private static let colors: [UInt8] = [0, 0, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0]

    private func expect(
        _ file: File, has colors: [RGBA], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let image = try decoder.decode(.bytes(file.bytes), to: .original)
        #expect(image.completeness == .complete && image.info.format == .bmp, sourceLocation: sourceLocation)
        #expect(image.pixels.colors == colors, sourceLocation: sourceLocation)
    }

    @Test("24 bits, from the bottom and from the top")
    func plain() throws {
        let top: [UInt8] = [0, 0, 255, 0, 255, 0, 255, 0, 0, 9, 9, 9]
        let bottom: [UInt8] = [0, 0, 0, 255, 255, 255, 0, 0, 255, 9, 9, 9]
        try expect(File(pixels: bottom + top), has: Self.picture)
        try expect(File(height: -2, pixels: top + bottom), has: Self.picture)
        try expect(File(headerBytes: 12, pixels: bottom + top), has: Self.picture)
        try expect(File(headerBytes: 124, pixels: bottom + top, gap: 5), has: Self.picture)
        // The last row may lack its padding.
        try expect(File(pixels: bottom + top[..<9]), has: Self.picture)
    }

    @Test("1, 2, 4 and 8 bits have a palette", arguments: [12, 16, 40, 46, 64, 108])
    func palettes(headerBytes: Int) throws {
        let palette =
            headerBytes == 12
            ? stride(from: 0, to: 20, by: 4).flatMap { Self.colors[$0..<$0 + 3] } : Self.colors
        func file(_ bits: Int, _ count: Int, _ pixels: [UInt8]) -> File {
            let entry = headerBytes == 12 ? 3 : 4
            let stored = palette.prefix(count * entry)
            return File(
                bits: bits, headerBytes: headerBytes, palette: Array(stored),
                colorsUsed: headerBytes == 12 ? 0 : stored.count / entry, pixels: pixels)
        }
        try expect(file(8, 5, [0, 4, 1, 0, 1, 2, 3, 0]), has: Self.picture)
        try expect(file(4, 5, [0x04, 0x10, 0, 0, 0x12, 0x30, 0, 0]), has: Self.picture)
        try expect(
            file(2, 4, [0b00_01_10_00, 0, 0, 0, 0b11_00_01_00, 0, 0, 0]),
            has: [Self.blue, Self.black, Self.red, Self.black, Self.red, Self.green])
        try expect(
            file(1, 2, [0b101 << 5, 0, 0, 0, 0b010 << 5, 0, 0, 0]),
            has: [Self.black, Self.red, Self.black, Self.red, Self.black, Self.red])
    }

    @Test("The pixels follow the palette where the file states no place for them, or that of the palette")
    func unplaced() throws {
        for statedStart in [0, 54] {
            let file = File(
                bits: 8, palette: Self.colors, colorsUsed: 5, pixels: [0, 4, 1, 0, 1, 2, 3, 0], statedStart: statedStart
            )
            try expect(file, has: Self.picture)
        }
    }

    @Test("An index beyond the palette is black")
    func shortPalette() throws {
        let file = File(
            width: 2, height: 1, bits: 8, palette: Array(Self.colors[..<8]), colorsUsed: 2, pixels: [1, 200, 0, 0])
        try expect(file, has: [Self.red, Self.black])
    }

    @Test("16 and 32 bits have masks, with alpha if one is stated")
    func masks() throws {
        func words(_ words: [Int], _ bytes: Int) -> [UInt8] {
            words.flatMap { [UInt8]($0, bytes: bytes, isBigEndian: false) }
        }
        let wide = File(width: 2, height: 1, bits: 16, pixels: words([0x7C00, 0x8000 | 0x3E0], 2))
        try expect(wide, has: [Self.red, Self.green])
        let green6 = File(
            width: 2, height: 1, bits: 16, compression: 3, masks: [0xF800, 0x7E0, 0x1F],
            pixels: words([0x7E0, 0x1F], 2))
        try expect(green6, has: [Self.green, Self.blue])
        try expect(File(width: 1, height: 1, bits: 32, pixels: [1, 2, 3, 0]), has: [RGBA(3, 2, 1)])
        let deep = File(
            width: 1, height: 1, bits: 32, compression: 3, masks: [0x3FF0_0000, 0xF_FC00, 0x3FF],
            pixels: words([0x2000_0000 | 0xF_FC00], 4))
        try expect(deep, has: [RGBA(128, 255, 0)])
        for headerBytes in [40, 56, 108] {
            let alpha = File(
                width: 2, height: 1, bits: 32, compression: headerBytes == 40 ? 6 : 3, headerBytes: headerBytes,
                masks: [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000], pixels: [10, 20, 30, 40, 1, 2, 3, 0])
            try expect(alpha, has: [RGBA(10, 20, 30, 40), RGBA(0, 0, 0, 0)])
            #expect(try decoder.probe(.bytes(alpha.bytes)).hasAlpha)
        }
    }

    @Test("Runs, literals, ends and jumps of RLE8")
    func runs8() throws {
        let file = File(
            width: 4, height: 4, bits: 8, compression: 1, palette: Self.colors, colorsUsed: 5,
            pixels: [9, 1, 0, 0, 0, 3, 1, 2, 3, 0, 1, 4, 0, 0, 0, 2, 2, 1, 1, 2, 0, 1])
        let picture = "0000 0020 0000 1234 1111".split(separator: " ")
        // A run is cut at the edge; the jump leaves two pixels and a row free.
        let expected = [picture[1], "0000", picture[3], picture[4]].joined()
        let palette = [Self.black, Self.red, Self.green, Self.blue, Self.white]
        try expect(file, has: expected.map { palette[$0.wholeNumberValue ?? 0] })
    }

    @Test("Rows of runs may end without a mark")
    func unmarkedEnd() throws {
        let file = File(
            width: 2, height: 2, bits: 8, compression: 1, palette: Self.colors, colorsUsed: 5,
            pixels: [2, 1, 0, 0, 2, 2])
        try expect(file, has: [Self.green, Self.green, Self.red, Self.red])
    }

    @Test("Runs and literals of RLE4 have two indices in a byte")
    func runs4() throws {
        let file = File(
            width: 5, height: 2, bits: 4, compression: 2, palette: Self.colors, colorsUsed: 5,
            pixels: [5, 0x12, 0, 0, 0, 3, 0x34, 0x10, 2, 0x42, 0, 1])
        let palette = [Self.black, Self.red, Self.green, Self.blue, Self.white]
        try expect(file, has: [3, 4, 1, 4, 2, 1, 2, 1, 2, 1].map { palette[$0] })
    }

    @Test("What cannot be read is an error in one line")
    func errors() {
        func failure(_ file: File) -> CodecError? { decoder.failure(.bytes(file.bytes)) }
        let kinds = [
            File(width: 0), File(height: 0), File(width: -1), File(height: Int(Int32.min)), File(bits: 5),
            File(headerBytes: 65),
        ].map { failure($0)?.kind }
        #expect(kinds == [.corrupt, .corrupt, .corrupt, .limit, .unsupported, .unsupported])
        #expect(
            failure(File(bits: 24, compression: 4))
                == .unsupported(.bmp, "24 bits a pixel with compression 4"))
        #expect(failure(File(width: 60_000, height: 60_000))?.exceeded == .pixels(needing: 3_600_000_000))
        #expect(failure(File())?.description == "corrupt BMP: the file ends before the first row")
    }

    @Test("Every truncation gives an error or the rows that are there", arguments: [0, 1])
    func truncated(compression: Int) throws {
        let row: [UInt8] = compression == 0 ? [1, 2, 3, 4] : [4, 1, 0, 0]
        let file = File(
            width: 4, height: 30, bits: 8, compression: compression, palette: Self.colors, colorsUsed: 5,
            pixels: Array(repeatElement(row, count: 30).joined()))
        let whole = try decoder.decode(.bytes(file.bytes), to: .original).pixels
        let rows = try cutEverywhere(file.bytes, at: file.bytes.indices, headerBytes: 18) { _, image in
            // From the bottom.
            let start = (30 - image.rows) * whole.stride
            #expect(image.pixels.bytes == whole.bytes[..<start].map { _ in 0 } + whole.bytes[start...])
        }
        #expect(rows >= 29)
    }

    @Test("A region is a part of the whole")
    func region() throws {
        let file = EncodedImage.bytes(
            File(
                width: 4, height: 30, bits: 8, palette: Self.colors, colorsUsed: 5,
                pixels: (0..<120).map { UInt8($0 % 7 % 5) }
            ).bytes)
        let whole = try decoder.decode(file, to: .original).pixels
        let region = ImageRegion(x: 0.25, y: 0.2, width: 0.5, height: 0.5)
        let part = try decoder.decode(file, region: region, to: .original).pixels
        #expect(part == whole.cropped(to: PixelArea(x: 1, y: 6, size: PixelSize(width: 2, height: 15))))
    }
}

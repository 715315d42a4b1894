import SpyglassPixels
import Testing

@testable import SpyglassCodecs

@Suite("ImageEncoder, PNG")
struct EncodingPNGTests {
    private let png = ImageEncoder(.png)

    /// Bit depth and colour type of the header.
    private func kind(_ picture: PixelBuffer) throws -> [UInt8] {
        let header = try #require(EncodedFile.chunks(png.encode(picture))["IHDR"])
        return Array(header[8...9])
    }

    /// The stored pixels of the file; those of `ImageDecoder` lack the colours of transparent pixels.
    private func stored(_ picture: PixelBuffer) throws -> PixelBuffer {
        let reader = try PNGReader(ByteReader(.bytes(png.encode(picture)), isCancelled: { false }), ImageLimits())
        _ = try reader.readHeader()
        let layout = try reader.start(isDeep: false)
        let (width, height) = (picture.size.width, picture.size.height)
        let rowBytes = width * layout.channels
        var rows = [UInt8](repeating: 0, count: height * rowBytes)
        var done: UInt32 = 0
        #expect(reader.readRows(into: &rows, stride: rowBytes, count: height, done: &done))
        return PixelBuffer(width, height) { x, y in
            let pixel = rows[(y * rowBytes + x * layout.channels)...].prefix(layout.channels)
            let color = pixel.prefix(layout.channels - (layout.hasAlpha ? 1 : 0))
            let isGray = color.count == 1
            return RGBA(
                pixel[pixel.startIndex], pixel[pixel.startIndex + (isGray ? 0 : 1)],
                pixel[pixel.startIndex + (isGray ? 0 : 2)], layout.hasAlpha ? pixel[pixel.endIndex - 1] : 255)
        }
    }

    /// Expects a bit depth and a colour type, and the same pixels back.
    private func expect(
        _ picture: PixelBuffer, is expected: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let back = try stored(picture)
        #expect(try kind(picture) == expected && back == picture, sourceLocation: sourceLocation)
    }

    private func value(_ x: Int, _ y: Int) -> UInt8 { UInt8(truncatingIfNeeded: 31 * x + 57 * y + x * y) }

    /// An image of each colour type, of any size.
    private func pictures(_ width: Int, _ height: Int) -> [PixelBuffer] {
        let gray = { (step: Int) in
            PixelBuffer(width, height) { x, y in
                let level = UInt8(Int(self.value(x, y)) / step * step)
                return RGBA(level, level, level)
            }
        }
        return [1, 17, 85, 255].map(gray) + [
            PixelBuffer(width, height) { x, y in RGBA(value(x, y), value(x, y), value(x, y), value(y, x)) },
            PixelBuffer(width, height) { x, y in RGBA(value(x, y), value(y, x), UInt8(x % 256)) },
            PixelBuffer(width, height) { x, y in RGBA(value(x, y), value(y, x), UInt8(x % 256), value(x, x)) },
            .colors(3, width, height), .colors(2, width, height, alpha: { $0 == 0 ? 0 : 255 }),
        ]
    }

    @Test("Every size and colour type round-trips exactly", arguments: Array(1...17) + [257])
    func sizes(width: Int) throws {
        for height in width > 17 ? 100...100 : 1...17 {
            for picture in pictures(width, height) { #expect(try stored(picture) == picture) }
        }
    }

    @Test(
        "A palette has the fewest bits, and is not used above 256 colours",
        arguments: [
            (1, [1, 3]), (2, [1, 3]), (3, [2, 3]), (4, [2, 3]), (5, [4, 3]), (16, [4, 3]), (17, [8, 3]),
            (256, [8, 3]), (257, [8, 2]),
        ] as [(Int, [UInt8])])
    func palettes(count: Int, expected: [UInt8]) throws {
        let picture = PixelBuffer.colors(count, 64, 40)
        try expect(picture, is: expected)
        let chunks = EncodedFile.chunks(try png.encode(picture))
        #expect(chunks["PLTE"]?.count == (count <= 256 ? 3 * count : nil) && chunks["tRNS"] == nil)
    }

    @Test(
        "A palette's transparent colours come first and alone have an alpha",
        arguments: [2, 3, 5, 16, 17, 256])
    func alphaPalettes(count: Int) throws {
        let picture = PixelBuffer.colors(count, 64, 40, alpha: { $0 % 3 == 1 ? UInt8($0 % 255) : 255 })
        #expect(try kind(picture)[1] == 3)
        #expect(try stored(picture) == picture)
        let transparent = (0..<count).count { $0 % 3 == 1 }
        #expect(EncodedFile.chunks(try png.encode(picture))["tRNS"]?.count == transparent)
    }

    @Test("257 colours with transparency are RGB with alpha")
    func manyColorsWithAlpha() throws {
        let picture = PixelBuffer.colors(257, 64, 40, alpha: { $0 == 256 ? 254 : 255 })
        try expect(picture, is: [8, 6])
    }

    @Test(
        "Grey has the fewest bits that its values need",
        arguments: [(255, 1), (85, 2), (17, 4), (1, 8)] as [(Int, UInt8)])
    func grays(step: Int, depth: UInt8) throws {
        let picture = PixelBuffer(64, 40) { x, y in
            let level = UInt8((x + y) * step % (255 + step))
            return RGBA(level, level, level)
        }
        try expect(picture, is: [depth, 0])
    }

    @Test("A few irregular grey values have a palette, grey with alpha two bytes")
    func otherGrays() throws {
        try expect(PixelBuffer(64, 40) { x, _ in x % 2 == 0 ? RGBA(3, 3, 3) : RGBA(101, 101, 101) }, is: [1, 3])
        try expect(PixelBuffer(64, 40) { x, y in RGBA(UInt8(x), UInt8(x), UInt8(x), UInt8(200 + y)) }, is: [8, 4])
    }

    @Test("An image smaller than its palette has none")
    func tiny() throws {
        let pictures = [PixelBuffer.colors(1, 1, 1), .colors(256, 16, 16), .colors(256, 64, 16)]
        #expect(try pictures.map(kind) == [[8, 2], [8, 2], [8, 3]])
    }

    @Test("The last pixel alone can change the colour type")
    func lastPixel() throws {
        let gray = PixelBuffer(33, 40) { x, y in
            let level = UInt8((33 * y + x) % 256)
            return RGBA(level, level, level)
        }
        for (last, expected) in [(RGBA(1, 1, 1, 254), [8, 4]), (RGBA(1, 1, 2), [8, 2])] as [(RGBA, [UInt8])] {
            var picture = gray
            picture[32, 39] = last
            try expect(picture, is: expected)
        }
    }

    @Test("A file has header, comment, palette, EXIF and image data only")
    func chunks() throws {
        let exif: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let encoder = ImageEncoder(.png, comment: "hello", exif: exif)
        let picture = PixelBuffer.colors(5, 30, 30, alpha: { $0 == 0 ? 9 : 255 })
        let chunks = EncodedFile.chunks(try encoder.encode(picture))
        #expect(chunks.names == ["IHDR", "tEXt", "PLTE", "tRNS", "eXIf", "IDAT", "IEND"])
        #expect(chunks["tEXt"] == Array("Comment\0hello".utf8) && chunks["eXIf"] == exif)
        #expect(chunks["IHDR"]?[12] == 0)  // not interlaced
        #expect(EncodedFile.chunks(try png.encode(.slopes(40, 40))).names == ["IHDR", "IDAT", "IEND"])
    }

    @Test("An image of gradients is compressed to a tenth")
    func size() throws {
        #expect(try png.encode(.slopes(160, 107)).count < 160 * 107 * 3 / 10)
    }

    @Test("Equal images give equal bytes, on any number of threads")
    func deterministic() async throws {
        for encoder in [png, ImageEncoder(.jpeg(.init(isProgressive: true)), comment: "x")] {
            for picture in pictures(90, 33) {
                let first = try encoder.encode(picture)
                try await withThrowingTaskGroup(of: [UInt8].self) { group in
                    for _ in 0..<4 { group.addTask { try encoder.encode(picture) } }
                    for try await file in group { #expect(file == first) }
                }
            }
        }
    }
}

import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("GIFDecoding")
struct GIFDecodingTests {
    private let decoder = ImageDecoder()
    private static let none = RGBA(0, 0, 0, 0)
    private static let colors = GIFFile.colors.map { RGBA($0[0], $0[1], $0[2]) }

    private func decoded(_ file: [UInt8]) throws(CodecError) -> DecodedImage {
        try decoder.decode(.bytes(file), to: .original)
    }

    /// A gradient in the order in which an interlaced image is stored.
    private static func interlaced(_ width: Int, _ height: Int, _ value: (Int, Int) -> UInt8) -> [UInt8] {
        let rows = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: height, by: $1)) }
        return rows.flatMap { y in (0..<width).map { value($0, y) } }
    }

    @Test("The header has the canvas and the colours, without decoding")
    func header() throws {
        var file = GIFFile(width: 300, height: 200)
        file.image(width: 300, height: 200, [])
        let info = try decoder.probe(.bytes(file.bytes))
        #expect(
            info
                == ImageInfo(
                    format: .gif, storedSize: PixelSize(width: 300, height: 200), colorDescription: "palette, 2 bits"))
        file.bytes.removeLast(8)
        #expect(decoder.failure(.bytes(file.bytes))?.description == "corrupt GIF: it has no image")
        #expect(decoder.failure(.bytes(Array(file.bytes[..<12])))?.kind == .corrupt)
    }

    @Test("A canvas smaller than the first image takes its size", arguments: [(0, 0), (1, 9), (3, 2)])
    func smallCanvas(width: Int, height: Int) throws {
        var file = GIFFile(width: width, height: height)
        file.image(x: 1, width: 3, height: 2, [1, 1, 1, 2, 2, 2])
        let image = try decoded(file.ended()).pixels
        #expect(image.size == PixelSize(width: max(width, 4), height: max(height, 2)))
        #expect(image[1, 0] == Self.colors[1] && image[3, 1] == Self.colors[2] && image[0, 0] == Self.none)
    }

    @Test("An image without pixels, and one above a limit, are errors")
    func sizes() {
        var file = GIFFile(width: 4, height: 4)
        file.image(width: 0, height: 4, [])
        #expect(
            decoder.failure(.bytes(file.ended())) == CodecError(.corrupt, "corrupt GIF: its first image has no pixels"))
        file = GIFFile(width: 60_000, height: 60_000)
        file.image(width: 1, height: 1, [0])
        #expect(decoder.failure(.bytes(file.ended()))?.exceeded == .pixels(needing: 3_600_000_000))
        file = GIFFile(width: 1, height: 1)
        file.image(x: 60_000, width: 60_000, height: 1, [0])
        #expect(decoder.failure(.bytes(file.ended()))?.exceeded == .side(needing: 120_000))
    }

    @Test("Pixels have the colours of their indices, with a global and with a local palette")
    func palettes() throws {
        for local in [nil, Array(GIFFile.colors.reversed())] {
            var file = GIFFile(width: 2, height: 2)
            file.image(width: 2, height: 2, [0, 1, 2, 3], colors: local)
            let image = try decoded(file.ended())
            #expect(image.pixels.gifIndices == (local == nil ? [0, 1, 2, 3] : [3, 2, 1, 0]))
        }
    }

    @Test("A transparent index, one beyond the palette, and what the image leaves free are transparent")
    func transparent() throws {
        var file = GIFFile(width: 3, height: 2, colors: Array(GIFFile.colors[..<2]))
        file.control(GIFFile.Control(transparent: 1))
        file.image(x: 1, width: 2, height: 2, [0, 1, 2, 0])
        let image = try decoded(file.ended())
        #expect(image.pixels.gifIndices == [nil, 0, nil, nil, nil, 0])
        #expect(image.pixels[2, 0] == Self.none && image.pixels[1, 1] == Self.none && image.info.hasAlpha)
    }

    @Test("Without a transparent index a GIF is opaque, with indices of any size", arguments: [2, 8])
    func opaque(codeSize: Int) throws {
        var file = GIFFile(width: 2, height: 1)
        file.image(width: 2, height: 1, [1, 3], codeSize: codeSize)
        let image = try decoded(file.ended())
        #expect(image.pixels.gifIndices == [1, 3] && !image.info.hasAlpha)
    }

    @Test("Without a palette an index is a grey")
    func noPalette() throws {
        var file = GIFFile(width: 2, height: 1, colors: nil)
        file.image(width: 2, height: 1, [7, 200], codeSize: 8)
        #expect(try decoded(file.ended()).pixels.colors == [RGBA(7, 7, 7), RGBA(200, 200, 200)])
    }

    @Test("The rows of an interlaced image are put in order", arguments: 1...20)
    func interlaced(height: Int) throws {
        let indices = Self.interlaced(5, height) { x, y in UInt8((x + y * y) % 4) }
        var file = GIFFile(width: 5, height: height)
        file.image(width: 5, height: height, indices, interlaced: true)
        let image = try decoded(file.ended())
        #expect(image.pixels.gifIndices == (0..<5 * height).map { ($0 % 5 + $0 / 5 * ($0 / 5)) % 4 })
        #expect(image.info.isProgressive && image.completeness == .complete)
    }

    @Test("A region and a small image are those of the whole", arguments: [false, true])
    func region(interlaced: Bool) throws {
        let value: (Int, Int) -> UInt8 = { x, y in UInt8((x / 3 + y / 2) % 4) }
        let indices = interlaced ? Self.interlaced(40, 30, value) : (0..<1200).map { value($0 % 40, $0 / 40) }
        var file = GIFFile(width: 50, height: 40)
        file.image(x: 4, y: 6, width: 40, height: 30, indices, interlaced: interlaced)
        let whole = try decoded(file.ended()).pixels
        for area in [
            PixelArea(x: 0, y: 0, size: PixelSize(width: 3, height: 3)),
            PixelArea(x: 10, y: 4, size: PixelSize(width: 20, height: 10)),
            PixelArea(x: 30, y: 35, size: PixelSize(width: 20, height: 5)),
        ] {
            let region = ImageRegion(
                x: Double(area.x) / 50, y: Double(area.y) / 40, width: Double(area.size.width) / 50,
                height: Double(area.size.height) / 40)
            let part = try decoder.decode(.bytes(file.ended()), region: region, to: .original)
            #expect(part.completeness == .complete && part.pixels == whole.cropped(to: area))
        }
        #expect(try decoder.decode(.bytes(file.ended()), to: .box(10, 8)).pixels[1, 2].alpha == 255)
    }

    @Test("Every truncation gives an error or the rows that are there")
    func truncated() throws {
        let indices = (0..<900).map { UInt8($0 * $0 / 7 % 4) }
        var file = GIFFile(width: 30, height: 30)
        file.image(width: 30, height: 30, indices)
        let whole = try decoded(file.ended()).pixels
        let rows = try cutEverywhere(file.bytes, at: 0..<file.ended().count - 2, headerBytes: 6) { _, image in
            #expect(image.bytes(ofRows: image.rows) == whole.bytes[..<(image.rows * whole.stride)])
        }
        #expect(rows == 30)
    }

    @Test("A cut interlaced image repeats coarser rows")
    func cutInterlaced() throws {
        let indices = Self.interlaced(8, 16) { x, y in UInt8(y / 4) }
        for rows in [1, 2, 5] {
            var file = GIFFile(width: 8, height: 16)
            file.image(width: 8, height: 16, Array(indices[..<(rows * 8)]), interlaced: true)
            let image = try decoded(file.ended())
            #expect(image.completeness == (rows == 1 ? .truncated(rows: 8, of: 16) : .degraded))
            #expect(image.pixels[0, 7] == Self.colors[rows > 2 ? 1 : 0])
        }
    }

    @Test("Stray bytes, comments and wrong extensions before the image are skipped")
    func odd() throws {
        var file = GIFFile(width: 1, height: 1)
        file.bytes += [
            0, 0x21, 0xFE, 3, 1, 2, 3, 1, 0x2C, 0, 0x21, 0xF9, 0, 0x21, 0xF9, 2, 1, 1, 0, 0x21, 0xFF, 1, 7, 3, 1, 0, 0,
            0,
        ]
        file.image(width: 1, height: 1, [2])
        #expect(try decoded(file.ended()).pixels.gifIndices == [2])
    }
}

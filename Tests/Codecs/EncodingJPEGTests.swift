import SpyglassCodecs
import SpyglassPixels
import Testing

@Suite("ImageEncoder, JPEG")
struct EncodingJPEGTests {
    private func jpeg(
        _ quality: Int = 82, progressive: Bool = false, optimized: Bool = false,
        subsampling: ChromaSubsampling? = nil
    ) -> ImageEncoder {
        ImageEncoder(
            .jpeg(
                .init(
                    quality: quality, isProgressive: progressive, isOptimized: optimized, subsampling: subsampling)))
    }

    /// The content of the frame header.
    private func frame(_ file: [UInt8]) -> [UInt8]? {
        let segments = EncodedFile.segments(file)
        return segments["C0"] ?? segments["C2"]
    }

    @Test("Every size up to two blocks and a pixel decodes close to the original", arguments: 1...17)
    func sizes(width: Int) throws {
        for height in 1...17 {
            let picture = PixelBuffer.slopes(width, height)
            let back = try jpeg(95, subsampling: .ratio444).roundTrip(picture)
            #expect(back.size == picture.size && back.isOpaque)
            #expect(back.greatestDifference(to: picture) <= 6, "\(picture.size)")
        }
    }

    @Test(
        "Every combination of options decodes close to the original", arguments: ChromaSubsampling.allCases,
        [false, true])
    func ways(subsampling: ChromaSubsampling, progressive: Bool) throws {
        let picture = PixelBuffer.slopes(150, 61)
        for optimized in [false, true] {
            let encoder = jpeg(95, progressive: progressive, optimized: optimized, subsampling: subsampling)
            #expect(try encoder.roundTrip(picture).greatestDifference(to: picture) <= 6)
        }
    }

    @Test("A file is appended to what an array has, which an error leaves alone")
    func appends() throws {
        let picture = PixelBuffer.slopes(20, 30)
        for encoder in [jpeg(), ImageEncoder(.png)] {
            var file: [UInt8] = [1, 2, 3]
            try encoder.encode(picture, into: &file)
            #expect(file == [1, 2, 3] + (try encoder.encode(picture)))
        }
        var file: [UInt8] = [1, 2, 3]
        let wide = PixelBuffer(size: PixelSize(width: 65_501, height: 1))
        #expect(throws: CodecError.self) { try jpeg().encode(wide, into: &file) }
        #expect(file == [1, 2, 3])
    }

    @Test("An edge keeps its colour from quality 90 on, and shares it below")
    func subsamplingByQuality() throws {
        let stripes = PixelBuffer(32, 32) { x, _ in x % 2 == 0 ? RGBA(255, 0, 0) : RGBA(0, 0, 255) }
        #expect(try jpeg(90).roundTrip(stripes).greatestDifference(to: stripes) < 40)
        #expect(try jpeg(89).roundTrip(stripes).greatestDifference(to: stripes) > 80)
    }

    @Test(
        "The frame header has the subsampling",
        arguments: zip(ChromaSubsampling.allCases, [0x11, 0x21, 0x22] as [UInt8]))
    func factors(subsampling: ChromaSubsampling, factors: UInt8) throws {
        let file = try jpeg(subsampling: subsampling).encode(.slopes(20, 20))
        let header = try #require(frame(file))
        #expect(header.count == 15 && [header[7], header[10], header[13]] == [factors, 0x11, 0x11])
    }

    @Test("A grey image has one component, also over a grey background", arguments: [255, 100, 0])
    func gray(alpha: UInt8) throws {
        let picture = PixelBuffer(37, 20) { x, y in
            x == 3 ? RGBA(200, 10, 10, 0) : RGBA(UInt8(5 * x), UInt8(5 * x), UInt8(5 * x), y == 2 ? alpha : 255)
        }
        let opaque = PixelBuffer(37, 20) { x, y in RGBA(UInt8(5 * x), UInt8(5 * x), UInt8(5 * x)) }
        // A single coloured pixel, the last one, makes an image colour.
        var colored = opaque
        colored[36, 19].blue += 1
        let onRed = ImageEncoder(.jpeg(.init()), background: RGBA(255, 0, 0))
        let components = try [
            (jpeg(), picture), (jpeg(), opaque), (jpeg(), colored), (onRed, picture), (onRed, opaque),
        ].map { try frame($0.encode($1))?[5] }
        #expect(components == [1, 1, 3, 3, 1])
        #expect(try jpeg(95).roundTrip(opaque).greatestDifference(to: opaque) <= 6)
    }

    @Test("Half-transparent black on white has half the light, not half the value", arguments: [1, 64, 128, 254])
    func blending(alpha: UInt8) throws {
        let picture = PixelBuffer(16, 16) { _, _ in RGBA(0, 0, 0, alpha) }
        let light = (65_535 * (255 - Int(alpha)) + 127) / 255
        let expected = LinearLight.sRGB(light)
        let back = try jpeg(100).roundTrip(picture)
        #expect(abs(Int(back[7, 7].red) - Int(expected)) <= 1)
        let colored = PixelBuffer(40, 33) { x, _ in x < 16 ? RGBA(255, 0, 0, 255) : RGBA(255, 0, 0, 0) }
        let onBlue = ImageEncoder(.jpeg(.init(quality: 100)), background: RGBA(10, 20, 200))
        let both = try onBlue.roundTrip(colored)
        let differences = [
            (both[4, 30].red, 255), (both[36, 30].blue, 200), (both[36, 30].red, 10), (both[4, 30].blue, 0),
        ]
        .map { abs(Int($0) - $1) }
        #expect(differences.allSatisfy { $0 <= 3 })
    }

    @Test("A file has JFIF, comment, EXIF, tables, frame and scan only")
    func segments() throws {
        let exif: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let encoder = ImageEncoder(.jpeg(.init()), comment: "hello", exif: exif)
        let file = try encoder.encode(.slopes(30, 30))
        let segments = EncodedFile.segments(file)
        #expect(
            segments.names == ["E0", "FE", "E1", "DB", "DB", "C0", "C4", "C4", "C4", "C4", "DA"])
        // Version 1.1, a density without a unit, 1:1, no thumbnail.
        let jfif: [UInt8] = Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
        #expect(["E0", "FE", "E1"].map { segments[$0] } == [jfif, Array("hello".utf8), Array("Exif\0\0".utf8) + exif])
        #expect(file.suffix(2) == [0xFF, 0xD9])
        let plain = EncodedFile.segments(try jpeg().encode(.slopes(30, 30)))
        #expect(plain.names == ["E0", "DB", "DB", "C0", "C4", "C4", "C4", "C4", "DA"])
    }

    @Test("A progressive file has its frame, an optimised one short tables")
    func kinds() throws {
        let picture = PixelBuffer.slopes(64, 64)
        let (plain, progressive) = (try jpeg().encode(picture), try jpeg(progressive: true).encode(picture))
        let optimized = try jpeg(optimized: true).encode(picture)
        #expect([plain, progressive, optimized].map { EncodedFile.segments($0)["C2"] != nil } == [false, true, false])
        #expect(optimized.count + 200 < plain.count)
        let back = { file in try ImageDecoder().decode(.bytes(file), to: .original).pixels }
        // The same coefficients, coded differently.
        let expected = try back(plain)
        #expect(try [optimized, progressive].map(back) == [expected, expected])
    }

    @Test("Higher quality takes more bytes, and values off the scale are clamped")
    func quality() throws {
        let picture = PixelBuffer.colors(251, 64, 64)
        let sizes = try [1, 30, 60, 82, 89].map { try jpeg($0).encode(picture).count }
        #expect(sizes == sizes.sorted() && Set(sizes).count == sizes.count)
        let files = try [-5, 1, .max, 100].map { try jpeg($0).encode(picture) }
        #expect(files[0] == files[1] && files[2] == files[3])
    }

    @Test("65,500 pixels are the maximum side", arguments: [true, false])
    func sides(isWide: Bool) throws {
        let size = { length in isWide ? PixelSize(width: length, height: 1) : PixelSize(width: 1, height: length) }
        #expect(jpeg().failure(PixelBuffer(size: size(65_500))) == nil)
        let failure = try #require(jpeg().failure(PixelBuffer(size: size(65_501))))
        #expect(failure.kind == .limit && isOneLine(failure.description))
        #expect(failure.description.hasPrefix("\(size(65_501)) is too large for a JPEG"))
    }

    @Test("EXIF of the size of a segment is written, a byte more is omitted")
    func longExif() throws {
        let block = { count in
            Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: count - 14)
        }
        for (count, expected) in [(65_527, 65_533), (65_528, nil)] as [(Int, Int?)] {
            let encoder = ImageEncoder(.jpeg(.init()), exif: block(count))
            let file = try encoder.encode(.slopes(3, 3))
            #expect(EncodedFile.segments(file)["E1"]?.count == expected)
            #expect(try ImageDecoder().decode(.bytes(file), to: .original).warnings == 0)
        }
    }
}

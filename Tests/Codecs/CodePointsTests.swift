import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

/// Expects the three colours of a pixel to be near others.
private func expect(_ pixel: RGBA, near wanted: [Int], within tolerance: Int = 2) {
    let found = [pixel.red, pixel.green, pixel.blue].map { Int($0) }
    #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= tolerance }, "\(found) for \(wanted)")
}

@Suite("CodePoints", .enabled(if: ColorFixture.hasLibrary, ColorFixture.skips))
struct CodePointsTests {
    /// Decodes a PNG of one pixel with chunks before its pixels.
    private func pixel(
        _ channels: [UInt8], cicp: [UInt8], after chunks: [(String, [UInt8])] = []
    ) throws(CodecError) -> RGBA {
        var file = PNGFile(width: 1, height: 1, color: channels.count == 1 ? .gray : .rgb)
        for (name, content) in chunks { file.chunk(name, content) }
        file.chunk("cICP", cicp)
        file.pixels([channels])
        let image = try ImageDecoder().decode(.bytes(file.ended()), to: .original)
        #expect(image.colorWarning == nil && image.warnings == 0)
        return image.pixels[0, 0]
    }

    private let gamma16 = ("gAMA", [UInt8]([0, 0, 0xF4, 0x24]))

    @Test("sRGB is not converted, whatever other chunks state")
    func sRGB() throws {
        #expect(try pixel([200, 100, 50], cicp: [1, 13, 0, 1], after: [gamma16]) == RGBA(200, 100, 50))
        #expect(try pixel([100], cicp: [9, 13, 0, 1], after: [gamma16]) == RGBA(100, 100, 100))
    }

    @Test("Primaries and curves take precedence over gAMA")
    func conversion() throws {
        // By the matrices of H.273 and IEC 61966-2-1, computed with numpy.
        expect(try pixel([128, 64, 32], cicp: [12, 13, 0, 1], after: [gamma16]), near: [138, 59, 21])
        expect(try pixel([128, 100, 80], cicp: [9, 1, 0, 1], after: [gamma16]), near: [155, 110, 91])
        expect(try pixel([100], cicp: [1, 4, 0, 1], after: [gamma16]), near: [100, 100, 100])
        expect(try pixel([100], cicp: [1, 8, 0, 1]), near: [168, 168, 168])
    }

    @Test("HDR is compressed above half of the display's white")
    func hdr() throws {
        for curve: UInt8 in [16, 18] {
            let grays = try [UInt8](stride(from: 0, through: 250, by: 25)).map { value throws(CodecError) in
                try pixel([value], cicp: [9, curve, 0, 1]).red
            }
            #expect(grays == grays.sorted() && grays[0] == 0 && grays[10] > 245, "\(grays)")
        }
        // BT.2408: diffuse white is 203 cd/m², 58 % of PQ's range and 75 % of HLG's.
        expect(try pixel([148], cicp: [9, 16, 0, 1]), near: [232, 232, 232], within: 3)
        expect(try pixel([191], cicp: [9, 18, 0, 1]), near: [232, 232, 232], within: 4)
        // 50 cd/m² is below the bend: 44 % of PQ's range.
        expect(try pixel([112], cicp: [9, 16, 0, 1]), near: [136, 136, 136], within: 3)
    }

    @Test(
        "Code points that are not known leave the colours to the other chunks",
        arguments: [[22, 13, 0, 1], [1, 17, 0, 1], [1, 13, 1, 1], [1, 13, 0, 0], [1, 13, 0], [1, 13, 0, 1, 0]])
    func unknown(cicp: [UInt8]) throws {
        // 1/1.6 of 100 as sRGB.
        #expect(try pixel([100], cicp: cicp, after: [gamma16]).red > 115)
    }
}

@Suite("Deep colours")
struct DeepColorsTests {
    /// Columns of a ramp (v, 0.9 v, 0.8 v) of 64 pixels in BT.2020 and PQ, computed with numpy; rounded to eight bits first, up
    /// to 3 off.
    private static let wanted: [Int: [Int]] = [
        0: [0, 0, 0], 12: [29, 20, 15], 20: [78, 55, 44], 28: [155, 107, 84], 29: [167, 115, 90], 31: [194, 133, 102],
        34: [234, 162, 124], 35: [244, 174, 132], 63: [255, 255, 255],
    ]

    private func expectRamp(_ pixels: PixelBuffer) {
        for (x, wanted) in Self.wanted { expect(pixels[x, pixels.size.height - 1], near: wanted, within: 1) }
    }

    private func ramp(_ color: PNGFile.Color, isInterlaced: Bool = false) -> [UInt8] {
        var file = PNGFile(width: 64, height: 1, depth: 16, color: color, interlaced: isInterlaced)
        file.chunk("cICP", [9, 16, 0, 1])
        let alpha: [UInt8] = color == .rgba ? [0x80, 0x7F] : []
        func samples(_ x: Int) -> [UInt8] {
            let shares: [Double] = [1, 0.9, 0.8]
            let colors = shares.flatMap { share -> [UInt8] in
                let value = Int((Double(x) / 63 * share * 65_535).rounded())
                return [UInt8](value, bytes: 2)
            }
            return colors + alpha
        }
        // The passes of Adam7 that have pixels of the first row.
        let passes = isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
        file.pixels(passes.map { first, step in stride(from: first, to: 64, by: step).flatMap(samples) })
        return file.ended()
    }

    @Test("A PNG of 16 bits is converted before it is rounded", arguments: [false, true])
    func png(isInterlaced: Bool) throws {
        expectRamp(try ImageFormat.png.decode(ramp(.rgb, isInterlaced: isInterlaced)).pixels)
        let right = ImageRegion(x: 0.5, y: 0, width: 0.5, height: 1)
        let bytes = ramp(.rgb, isInterlaced: isInterlaced)
        #expect(
            try ImageFormat.png.decode(bytes, region: right).pixels[2, 0] == ImageFormat.png.decode(bytes).pixels[34, 0]
        )
    }

    @Test("Alpha of 16 bits is kept, and colours beside it are converted")
    func alpha() throws {
        let pixels = try ImageFormat.png.decode(ramp(.rgba)).pixels
        #expect(pixels[20, 0].alpha == 128)
        expectRamp(pixels)
    }

    @Test("Grey of 16 bits is converted by the curve alone")
    func grey() throws {
        var file = PNGFile(width: 2, height: 1, depth: 16)
        file.chunk("cICP", [9, 8, 0, 1])
        // Light of 1 / 255 / 12.92, which eight bits cannot state.
        file.pixels([[0, 20, 0xFF, 0xFF]])
        #expect(try ImageFormat.png.decode(file.ended()).pixels.colors == [RGBA(1, 1, 1), RGBA(255, 255, 255)])
    }

    @Test("A frame of an animation has eight bits")
    func animation() throws {
        let decoding = try PNGDecoding(ByteReader(.bytes(ramp(.rgb))), ImageLimits(), isFrame: true)
        let layout = try decoding.start()
        var counts: [Int] = []
        let area = PixelArea(of: decoding.info.storedSize)
        _ = try decoding.readRows(of: area, layout, DecodeSpec(.original, isExact: false)) { counts.append($0.count) }
        #expect(counts == [64 * 3])
    }

    @Test("An AVIF or HEIC of 12 bits is converted before it is rounded", .enabled(if: WorkerLibrary.heif.isInstalled))
    func heif() throws {
        // Under the name of the other format an AVIF goes through libheif.
        for (name, format) in [("deep.avif", ImageFormat.avif), ("deep.avif", .heif), ("deep.heic", .heif)] {
            expectRamp(try format.decode(contents(TestData.fixture("formats/\(name)"))).pixels)
        }
    }

    @Test("A JPEG XL of 16 bits is converted before it is rounded", .enabled(if: WorkerLibrary.jxl.isInstalled))
    func jxl() throws {
        expectRamp(try ImageFormat.jxl.decode(contents(TestData.fixture("formats/deep.jxl"))).pixels)
    }

    @Test("Samples become 16 bits wide, divided by alpha where they are premultiplied")
    func deepened() {
        let ten: [UInt8] = [0xFF, 0x03, 0x00, 0x01, 0x00, 0x00, 0xFF, 0x03]
        #expect(
            RowLayout.rgba.deepened(ten.span, bits: 10, isPremultiplied: false) == [255, 255, 16, 64, 0, 0, 255, 255])
        let half: [UInt8] = [64, 0, 128, 128]
        let straight = RowLayout.rgba.deepened(half.span, bits: 8, isPremultiplied: true)
        #expect(straight == [0, 128, 0, 0, 255, 255, 128, 128])
    }
}

@Suite(
    "Code points of AVIF", .enabled(if: ColorFixture.hasLibrary && WorkerLibrary.heif.isInstalled, ColorFixture.skips))
struct AVIFCodePointsTests {
    @Test("Stated colours are converted as a PNG's", arguments: [(9, 16), (9, 18), (12, 13), (1, 1)])
    func conversion(primaries: UInt8, curve: UInt8) throws {
        var bytes = FormatFixture(name: "plain.avif", format: .avif).bytes
        let stored = try ImageFormat.avif.decode(bytes).pixels
        let at = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("colrnclx".utf8)) })
        (bytes[at + 9], bytes[at + 11]) = (primaries, curve)
        let points = try #require(CodePoints(primaries: Int(primaries), curve: Int(curve), isGray: false))
        let wanted = ColorTransforms.shared.conversion(of: points.profile, for: .rgb).converted(stored)
        #expect(try ImageFormat.avif.decode(bytes).pixels == wanted && wanted != stored)
    }
}

@Suite("CMYK")
struct CMYKTests {
    @Test("Every ink with every black is the rounded product of their light")
    func exact() {
        var rgb: [UInt8] = [0, 0, 0]
        for ink in 0...255 {
            for black in 0...255 {
                let pixel = [UInt8(ink), 0, 255, UInt8(black)]
                CMYK.convert(pixel.span, isInverted: true, pixels: 1, into: &rgb)
                let expected = UInt8((Double(ink * black) / 255).rounded())
                #expect(rgb == [expected, 0, UInt8(black)])
            }
        }
    }

    @Test("Without Adobe's inversion, no ink is white and black ink is black")
    func plain() {
        var rgb = [UInt8](repeating: 9, count: 9)
        let pixels: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0]
        CMYK.convert(pixels.span, isInverted: false, pixels: 3, into: &rgb)
        #expect(rgb == [255, 255, 255, 0, 0, 0, 0, 255, 255])
    }
}

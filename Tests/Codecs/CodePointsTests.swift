import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

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

    private func expect(_ pixel: RGBA, near wanted: [Int], within tolerance: Int = 2) {
        let found = [pixel.red, pixel.green, pixel.blue].map { Int($0) }
        #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= tolerance }, "\(found) for \(wanted)")
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

import Foundation
import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("FITSDecoding")
struct FITSDecodingTests {
    private let decoder = ImageDecoder()

    /// A header and its data, in whole blocks.
    private func unit(_ cards: [String], _ data: [UInt8] = []) -> [UInt8] {
        let header = (cards + ["END"]).flatMap { Array($0.utf8) + [UInt8](repeating: 0x20, count: 80 - $0.utf8.count) }
        func padded(_ bytes: [UInt8], _ filler: UInt8) -> [UInt8] {
            bytes + [UInt8](repeating: filler, count: (2880 - bytes.count % 2880) % 2880)
        }
        return padded(header, 0x20) + padded(data, 0)
    }

    private func cards(_ bits: Int, _ axes: [Int], isPrimary: Bool = true, _ more: String...) -> [String] {
        [isPrimary ? "SIMPLE  = T" : "XTENSION= 'IMAGE   '", "BITPIX  = \(bits)", "NAXIS   = \(axes.count)"]
            + axes.enumerated().map { "NAXIS\($0 + 1)  = \($1)" } + more
    }

    private func pixels(_ bytes: [UInt8], page: Int = 0) throws -> [RGBA] {
        let image = try decoder.at(page: page).decode(.bytes(bytes), to: .original)
        #expect(image.info.format == .fits && image.completeness == .complete)
        return image.pixels.colors
    }

    private func grey(_ values: [UInt8]) -> [RGBA] { values.map { RGBA($0, $0, $0) } }

    /// Big-endian bytes of 0, 51, 102, 204 as each kind of number.
    private static let ramp: [(bits: Int, bytes: [UInt8])] = [
        (8, [0, 51, 102, 204]), (16, [0, 0, 0, 51, 0, 102, 0, 204]),
        (32, [51, 102, 204].reduce([0, 0, 0, 0]) { $0 + [0, 0, 0, $1] }),
        (64, [51, 102, 204].reduce([UInt8](repeating: 0, count: 8)) { $0 + [0, 0, 0, 0, 0, 0, 0, $1] }),
        (-32, [0, 51, 102, 204].flatMap { bigEndian(Float($0).bitPattern) }),
        (-64, [0, 51, 102, 204].flatMap { bigEndian(Double($0).bitPattern) }),
    ]

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian, Array.init)
    }

    @Test("Every kind of number; rows come from the bottom", arguments: 0..<6)
    func numbers(index: Int) throws {
        let (bits, bytes) = Self.ramp[index]
        // Fewer than five values have their own limits.
        let expected = grey([128, 255, 0, 64])
        #expect(try pixels(unit(cards(bits, [2, 2]), bytes)) == expected)
        #expect(try pixels(unit(cards(bits, [2, 2], "BSCALE  = 2.5D1", "BZERO   = -7"), bytes)) == expected)
    }

    @Test("NaN, infinity and BLANK have no value")
    func missing() throws {
        let values = [Float.nan, 0, 51, 204, .infinity, -.infinity].flatMap { Self.bigEndian($0.bitPattern) }
        #expect(try pixels(unit(cards(-32, [6, 1]), values)) == grey([0, 0, 64, 255, 255, 0]))
        let bytes: [UInt8] = [9, 10, 60, 110]
        #expect(try pixels(unit(cards(8, [4, 1], "BLANK   = 9 / none"), bytes)) == grey([0, 0, 128, 255]))
        let none = [Float.nan, .nan].flatMap { Self.bigEndian($0.bitPattern) }
        #expect(try pixels(unit(cards(-32, [2, 1]), none)) == grey([0, 0]))
    }

    @Test("Three planes are colours with common limits, other planes are pages")
    func planes() throws {
        let colors = unit(cards(8, [2, 1, 3]), [0, 51, 102, 153, 204, 255])
        #expect(try pixels(colors) == [RGBA(0, 102, 204), RGBA(51, 153, 255)])
        #expect(try decoder.frameCount(of: .bytes(colors)) == 1)
        let cube = unit(cards(8, [2, 1, 2, 2]), [0, 1, 1, 0, 5, 9, 9, 5])
        #expect(try decoder.frameCount(of: .bytes(cube)) == 4)
        #expect(try (0..<4).map { try pixels(cube, page: $0)[0] } == grey([0, 255, 0, 255]))
        #expect(throws: CodecError.self) { try pixels(cube, page: 4) }
    }

    @Test("Extensions are pages; a first unit without data is not")
    func extensions() throws {
        let file =
            unit(cards(8, [], "OBJECT  = 'M ''31''   '", "EXPTIME = 12"))
            + unit(
                ["XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 4", "NAXIS2  = 1", "PCOUNT  = 8"], [1]
            )
            + unit(cards(8, [2, 1], isPrimary: false, "EXPTIME = 34"), [0, 1])
            + unit(cards(16, [1, 1], isPrimary: false), [0, 7])
        #expect(try decoder.frameCount(of: .bytes(file)) == 2)
        #expect(try decoder.frameCount(of: .bytes(file), upTo: 1) == 1)
        #expect(try pixels(file) == grey([0, 255]))
        #expect(try decoder.at(page: 1).probe(.bytes(file)).storedSize == PixelSize(width: 1, height: 1))
        let metadata = try decoder.metadata(of: .bytes(file))
        #expect(metadata.object == "M '31'" && metadata.exposureTime == 34)
        #expect(try decoder.at(page: 1).metadata(of: .bytes(file)).exposureTime == 12)
    }

    @Test("The header tells what, when and how; the scale only of the sky")
    func metadata() throws {
        func metadata(_ more: [String]) throws -> ImageMetadata {
            try decoder.metadata(of: .bytes(unit(cards(8, [1, 1]) + more, [0])))
        }
        let found = try metadata([
            "TELESCOP= 'HST     '", "INSTRUME= 'WFC3    '", "FILTER  = 'F606W   '",
            "DATE-OBS= '2024-05-17T12:30:45.12'",
            "CTYPE1  = 'RA---TAN'", "CD1_1   = -3.0E-5", "CD2_1   = 4.0E-5", "CDELT1  = 1.0",
        ])
        #expect((found.camera, found.filter) == ("HST WFC3", "F606W") && found.date == "2024-05-17T12:30:45")
        #expect(try metadata(["DATE-OBS= '19/05/94'"]).date == "1994-05-19")
        #expect(abs((found.pixelScale ?? 0) - 0.18) < 1e-9)
        #expect(try metadata(["CTYPE1  = 'DEC--TAN'", "CDELT1  = -0.5"]).pixelScale == 1800)
        #expect(try metadata(["CTYPE1  = 'RA---TAN'"]).pixelScale == nil)
        // As `WCS.to_header()` of astropy writes it, and with steps and units of its own.
        let matrix = ["CTYPE1  = 'RA---TAN'", "PC1_1   = -3.0E-5", "PC2_1   = 4.0E-5"]
        for (more, scale) in [
            ([], 0.18), (["CDELT1  = 1.0", "CDELT2  = 1.0"], 0.18), (["CDELT1  = 2.0", "CDELT2  = 2.0"], 0.36),
            (["CUNIT1  = 'deg     '"], 0.18), (["CUNIT1  = 'arcsec  '"], 5e-5), (["CUNIT1  = 'arcmin  '"], 3e-3),
            (["CUNIT1  = 'rad     '"], 10.313_240_312_354_82), (["CUNIT1  = 'mas     '"], 5e-8),
        ] {
            let found = try metadata(matrix + more).pixelScale ?? 0
            #expect(abs(found / scale - 1) < 1e-9, "\(found) for \(scale)")
        }
        #expect(try metadata(matrix + ["CUNIT1  = 'furlong '"]).pixelScale == nil)
        #expect(
            try metadata(["CTYPE1  = 'WAVE'", "CDELT1  = 1.0", "EXPTIME = 1e300"]) == ImageMetadata(info: found.info))
    }

    @Test("A table is refused, and the compression of an image is named")
    func refused() {
        let table = ["XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 8", "NAXIS2  = 1"]
        let start = unit(cards(8, []))
        let packed = table + ["ZIMAGE  = T", "ZCMPTYPE= 'RICE_1  '"]
        let groups = cards(8, [0, 2, 2]) + ["GROUPS  = T", "PCOUNT  = 1", "GCOUNT  = 1"]
        for (file, detail) in [
            (start + unit(table, [0]), "a file without an image"),
            (start + unit(packed, [0]), "tile compression RICE_1"), (unit(groups, [1, 2, 3, 4, 5]), "random groups"),
        ] { #expect(decoder.failure(.bytes(file)) == .unsupported(.fits, detail)) }
        for (bits, axes) in [(7, [1, 1]), (8, [1 << 40, 1 << 40]), (8, [1, -1])] {
            #expect(decoder.failure(.bytes(unit(cards(bits, axes), [0])))?.kind == .corrupt)
        }
        #expect(decoder.failure(.bytes(unit(cards(8, [70_000, 1]), [0])))?.exceeded == .side(needing: 70_000))
    }

    @Test("Every truncation gives an error or the rows that are there, also of a region", arguments: [2, 3])
    func truncated(planes: Int) throws {
        let bytes = unit(cards(16, [2, 10, planes]), (0..<40 * planes).map { UInt8($0 % 2 * $0) })
        let counts = Array(stride(from: 9, to: 2880, by: 97)) + Array(2880..<2880 + 40 * planes)
        let rows = try cutEverywhere(bytes, at: counts) { count, image in
            let part = try decoder.decode(
                .bytes(Array(bytes[..<count])), region: ImageRegion(x: 0, y: 0, width: 1, height: 0.3), to: .original)
            #expect(part.rows == image.rows || part.completeness == .complete && image.rows == 10)
        }
        #expect(rows == (planes == 2 ? 10 : 9))
    }

    /// Data of up to 65,535 bytes as gzip stores it, without compression (RFC 1951 and 1952).
    private func gzip(_ bytes: [UInt8]) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { [UInt8](value, bytes: count, isBigEndian: false) }
        var check = UInt32.max
        for byte in bytes {
            check ^= UInt32(byte)
            for _ in 0..<8 { check = check >> 1 ^ (check & 1) * 0xEDB8_8320 }
        }
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + number(bytes.count, 2) + number(~bytes.count, 2) + bytes
            + number(Int(~check), 4) + number(bytes.count, 4)
    }

    @Test("Compressed files are the same, whole, cut and in part", arguments: [1, 3])
    func compressed(planes: Int) throws {
        let plain = unit(cards(16, [20, 100, planes]), (0..<4000 * planes).map { UInt8($0 % 2 * ($0 % 251)) })
        let packed = gzip(plain)
        #expect(try pixels(packed) == pixels(plain))
        let cut = 2880 + 4000 * (planes - 1) + 2010
        let part = ImageRegion(x: 0, y: 0, width: 1, height: 0.3)
        let images = try [Array(plain[..<cut]), Array(packed[..<(cut + 15)])].map {
            let image = try decoder.decode(.bytes($0), to: .original)
            #expect(image.completeness == .truncated(rows: 50, of: 100))
            #expect(try decoder.decode(.bytes($0), region: part, to: .original).rows == 50)
            return image.pixels
        }
        #expect(images[0] == images[1])
    }

    @Test("All passes over a compressed file together inflate no more than the limit")
    func bomb() throws {
        let bytes = try FITSBytes(
            ByteReader(.bytes(gzip([UInt8](repeating: 0, count: 60_000)))), inflatingUpTo: 100_000)
        #expect(try bytes.bytes(2, at: 59_999).count == 1)
        #expect(throws: CodecError.self) { try bytes.again().bytes(2, at: 59_999) }
    }

    @Test("The limits are those of astropy's ZScaleInterval")
    func zScale() {
        // Computed with astropy 8.0.2 for these values.
        let faint = (0..<900).map { (number: Int) -> Double in 100 + Double(number * 7919 % 1000) / 50 }
        let bright: [Double] = (0..<100).map { 1000 + Double($0) * 37 }
        let sample = faint + bright
        let found = ZScale.limits(of: sample)
        #expect(abs(found.black - 100.0000) < 0.001 && abs(found.white - 155.5846) < 0.001)
        for (sample, limits) in [
            ([1, 2, 3], (1, 3)), ([], (0, 1)), ([Double](repeating: 4, count: 50) + [9], (4, 4)),
        ] as [([Double], (Double, Double))] { #expect(ZScale.limits(of: sample) == limits) }
    }

    @Test("The stretch brightens faint pixels")
    func stretch() throws {
        let file = EncodedImage.bytes(unit(cards(8, [3, 1]), [0, 25, 250]))
        let expected: [Stretch: UInt8] = [.linear: 26, .asinh: 75, .log: 170]
        for (stretch, value) in expected {
            var decoder = decoder
            decoder.options.stretch = stretch
            #expect(try decoder.decode(file, to: .original).pixels[1, 0] == RGBA(value, value, value))
        }
    }
}

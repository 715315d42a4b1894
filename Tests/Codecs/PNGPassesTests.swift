import SpyglassPixels
import Testing

@testable import SpyglassCodecs

@Suite("PNGDecoding: passes")
struct PNGPassesTests {
    private static let sides = [(1, 1), (1, 9), (9, 1), (3, 2), (5, 5), (33, 27), (64, 48), (200, 150)]
    private static let colors: [PNGFile.Color] = [.gray, .grayAlpha, .rgb, .rgba]

    @Test("An interlaced image equals the plain one, whether passes are kept or read again", arguments: sides, colors)
    func whole(side: (Int, Int), color: PNGFile.Color) throws {
        let plain = Self.file(side, color, interlaced: false)
        let interlaced = Self.file(side, color, interlaced: true)
        for filter in ResampleFilter.allCases {
            for target in [TargetSize.original, .box(7, 7), .box(20, 3)] {
                let expected = try Self.decoded(plain, target, filter, keeping: 0)
                for kept in [0, 100, 2000, 4 << 20] {
                    let image = try Self.decoded(interlaced, target, filter, keeping: kept)
                    #expect(image.completeness == .complete && image.buffers == expected.buffers, "\(filter) \(kept)")
                }
            }
        }
    }

    @Test("Pixels of passes that are missing equal those of coarser passes", arguments: 1...7, colors)
    func cut(passes: Int, color: PNGFile.Color) throws {
        let side = (20, 19)
        var rows: [[UInt8]] = []
        for pass in Adam7Pass.all.prefix(passes) { rows += Self.rows(of: pass, side, color) }
        var file = PNGFile(width: side.0, height: side.1, color: color, interlaced: true)
        file.pixels(rows)
        let blocks = Self.blocks(ofPasses: passes)
        let expected = try Self.decoded(
            Self.file(side, color, interlaced: false) { ($0 - $0 % blocks.width, $1 - $1 % blocks.height) }, .original)
        for kept in [0, 4 << 20] {
            let image = try Self.decoded(file.bytes, .original, keeping: kept)
            #expect(image.buffers == expected.buffers)
            #expect(image.completeness == (passes == 7 ? .complete : .degraded))
        }
    }

    @Test("A file cut within its first pass is truncated after its blocks")
    func firstPass() throws {
        var file = PNGFile(width: 16, height: 40, interlaced: true)
        file.pixels(Array(Self.rows(of: Adam7Pass.all[0], (16, 40), .gray).prefix(2)))
        let image = try Self.decoded(file.bytes, .original)
        #expect(image.completeness == .truncated(rows: 16, of: 40))
        #expect(image.pixels[15, 15].alpha == 255 && image.pixels[0, 16].alpha == 0)
    }

    // MARK: Samples

    private static func blocks(ofPasses count: Int) -> (width: Int, height: Int) {
        [(8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2), (1, 1)][count - 1]
    }

    private static func decoded(
        _ file: [UInt8], _ target: TargetSize, _ filter: ResampleFilter = .area, keeping bytes: Int = 0
    ) throws -> DecodedImage {
        var spec = DecodeSpec([target], filter, isExact: false, readsMetadata: false)
        spec.keptPassBytes = bytes
        return try PNGDecoding(ByteReader(.bytes(file), isCancelled: { false }), ImageLimits()).decode(spec)
    }

    private static func channels(_ color: PNGFile.Color) -> Int {
        switch color {
        case .gray, .palette: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba: 4
        }
    }

    private static func pixel(_ x: Int, _ y: Int, _ color: PNGFile.Color) -> [UInt8] {
        (0..<channels(color)).map { UInt8(truncatingIfNeeded: (x * 37 + y * 101) ^ (x * y + $0 * 59)) }
    }

    private static func rows(of pass: Adam7Pass, _ side: (Int, Int), _ color: PNGFile.Color) -> [[UInt8]] {
        guard pass.columns(of: side.0) > 0 else { return [] }
        return (0..<pass.rows(of: side.1)).map { row in
            (0..<pass.columns(of: side.0)).flatMap {
                pixel(pass.firstColumn + $0 * pass.columnStep, pass.firstRow + row * pass.rowStep, color)
            }
        }
    }

    private static func file(
        _ side: (Int, Int), _ color: PNGFile.Color, interlaced: Bool, at place: (Int, Int) -> (Int, Int) = { ($0, $1) }
    ) -> [UInt8] {
        var file = PNGFile(width: side.0, height: side.1, color: color, interlaced: interlaced)
        if interlaced {
            file.pixels(Adam7Pass.all.flatMap { rows(of: $0, side, color) })
        } else {
            file.pixels(
                (0..<side.1).map { y in
                    (0..<side.0).flatMap { x in
                        let (x, y) = place(x, y)
                        return pixel(x, y, color)
                    }
                })
        }
        return file.ended()
    }
}

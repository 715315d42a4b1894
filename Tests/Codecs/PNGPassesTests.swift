import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("PNGDecoding: passes")
struct PNGPassesTests {
    private static let sides = [(1, 1), (1, 9), (9, 1), (3, 2), (5, 5), (33, 27), (64, 48), (200, 150)]
    private static let colors: [PNGFile.Color] = [.gray, .grayAlpha, .rgb, .rgba]

    @Test("An interlaced image equals the plain one, of any size", arguments: sides, colors)
    func whole(side: (Int, Int), color: PNGFile.Color) throws {
        let plain = Self.file(side, color, interlaced: false)
        let interlaced = Self.file(side, color, interlaced: true)
        for filter in ResampleFilter.allCases {
            for target in [TargetSize.original, .box(7, 7), .box(20, 3)] {
                let expected = try Self.decoded(plain, target, filter)
                let image = try Self.decoded(interlaced, target, filter)
                #expect(image.completeness == .complete && image.buffers == expected.buffers, "\(filter)")
            }
        }
    }

    @Test("Pixels of passes that are missing equal those of coarser passes", arguments: 1...7, colors)
    func cut(passes: Int, color: PNGFile.Color) throws {
        let side = (20, 19)
        var rows: [[UInt8]] = []
        for pass in Pass.all.prefix(passes) { rows += Self.rows(of: pass, side, color) }
        var file = PNGFile(width: side.0, height: side.1, color: color, interlaced: true)
        file.pixels(rows)
        let blocks = Self.blocks(ofPasses: passes)
        let expected = try Self.decoded(
            Self.file(side, color, interlaced: false) { ($0 - $0 % blocks.width, $1 - $1 % blocks.height) }, .original)
        let image = try Self.decoded(file.bytes, .original)
        #expect(image.buffers == expected.buffers && image.completeness == (passes == 7 ? .complete : .degraded))
    }

    @Test("Rows below a region need not be in the file", arguments: [1, 5])
    func region(height: Int) throws {
        let side = (20, 19)
        var rows = Pass.all.flatMap { Self.rows(of: $0, side, .gray) }
        rows.removeLast(side.1 / 2 - height / 2)
        var file = PNGFile(width: side.0, height: side.1, interlaced: true)
        file.pixels(rows)
        let region = ImageRegion(x: 0, y: 0, width: 1, height: Double(height) / Double(side.1))
        let decoder = ImageDecoder()
        let image = try decoder.decode(.bytes(file.bytes), region: region, to: .original)
        let plain = Self.file(side, .gray, interlaced: false)
        let expected = try decoder.decode(.bytes(plain), region: region, to: .original).pixels
        #expect(image.pixels == expected && image.completeness == .complete)
    }

    @Test("All pixels count as work memory", arguments: zip(colors, [1, 2, 3, 4]))
    func memory(color: PNGFile.Color, channels: Int) throws {
        let file = Self.file((400, 300), color, interlaced: true)
        var limits = ImageLimits()
        limits.workBytes = 400 * 300 * channels
        #expect(ImageDecoder(limits: limits).failure(.bytes(file), to: .box(4, 4)) == nil)
        limits.workBytes -= 1
        let error = try #require(ImageDecoder(limits: limits).failure(.bytes(file), to: .box(4, 4)))
        guard case .workMemory = error.exceeded else { throw error }
    }

    @Test("A header of an image that fits no buffer fails by the limit's name")
    func hugeHeader() throws {
        var limits = ImageLimits()
        (limits.pixels, limits.side) = (.max, .max)
        var file = PNGFile(width: 1 << 23, height: 1 << 23, depth: 16, color: .rgba, interlaced: true)
        file.pixels([[0]])
        let error = ImageDecoder(limits: limits).failure(.bytes(file.ended()), to: .box(1, 1))
        #expect(error?.description.contains("work memory, above the limit of 352 MiB") == true)
    }

    @Test("A file cut within its first pass is truncated after its blocks")
    func firstPass() throws {
        var file = PNGFile(width: 16, height: 40, interlaced: true)
        file.pixels(Array(Self.rows(of: Pass.all[0], (16, 40), .gray).prefix(2)))
        let image = try Self.decoded(file.bytes, .original)
        #expect(image.completeness == .truncated(rows: 16, of: 40))
        #expect(image.pixels[15, 15].alpha == 255 && image.pixels[0, 16].alpha == 0)
    }

    private static func blocks(ofPasses count: Int) -> (width: Int, height: Int) {
        [(8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2), (1, 1)][count - 1]
    }

    private static func decoded(
        _ file: [UInt8], _ target: TargetSize, _ filter: ResampleFilter = .area
    ) throws -> DecodedImage { try ImageDecoder().decode(.bytes(file), to: [target], filter: filter) }

    /// One of the seven passes: every n-th pixel of every m-th row (PNG specification, section 8.2).
    private struct Pass {
        let first: (column: Int, row: Int)
        let step: (column: Int, row: Int)

        static let all = [
            Pass(first: (0, 0), step: (8, 8)), Pass(first: (4, 0), step: (8, 8)), Pass(first: (0, 4), step: (4, 8)),
            Pass(first: (2, 0), step: (4, 4)), Pass(first: (0, 2), step: (2, 4)), Pass(first: (1, 0), step: (2, 2)),
            Pass(first: (0, 1), step: (1, 2)),
        ]
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

    private static func rows(of pass: Pass, _ side: (Int, Int), _ color: PNGFile.Color) -> [[UInt8]] {
        guard pass.first.column < side.0 else { return [] }
        return stride(from: pass.first.row, to: side.1, by: pass.step.row).map { y in
            stride(from: pass.first.column, to: side.0, by: pass.step.column).flatMap { x in pixel(x, y, color) }
        }
    }

    private static func file(
        _ side: (Int, Int), _ color: PNGFile.Color, interlaced: Bool, at place: (Int, Int) -> (Int, Int) = { ($0, $1) }
    ) -> [UInt8] {
        var file = PNGFile(width: side.0, height: side.1, color: color, interlaced: interlaced)
        if interlaced {
            file.pixels(Pass.all.flatMap { rows(of: $0, side, color) })
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

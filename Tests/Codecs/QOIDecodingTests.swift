import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassCodecs

@Suite("QOIDecoding")
struct QOIDecodingTests {
    private let decoder = ImageDecoder()

    private func file(_ width: UInt8, _ height: UInt8, channels: UInt8 = 3, _ codes: [UInt8]) -> [UInt8] {
        Array("qoif".utf8) + [0, 0, 0, width, 0, 0, 0, height, channels, 0] + codes + [0, 0, 0, 0, 0, 0, 0, 1]
    }

    private func colors(_ bytes: [UInt8]) throws -> [RGBA] {
        let image = try decoder.decode(.bytes(bytes), to: .original)
        #expect(image.info.format == .qoi)
        return image.pixels.colors
    }

    @Test("Every code gives its pixels")
    func codes() throws {
        // A colour, a small and a larger difference, a run, a pixel that was seen, one that wraps around.
        let found = try colors(
            file(
                4, 2,
                [
                    0xFE, 10, 20, 30, 0b01_11_10_01, 0xA0 + 4, 0x8A, 0xC1, 0x00 | Self.place(10, 20, 30), 0xFE, 255, 0,
                    1, 0b01_11_01_00,
                ]))
        #expect(
            found == [
                RGBA(10, 20, 30), RGBA(11, 20, 29), RGBA(15, 24, 35), RGBA(15, 24, 35), RGBA(15, 24, 35),
                RGBA(10, 20, 30), RGBA(255, 0, 1), RGBA(0, 255, 255),
            ])
        #expect(try colors(file(1, 1, channels: 4, [0xFF, 1, 2, 3, 4])) == [RGBA(1, 2, 3, 4)])
    }

    private static func place(_ red: Int, _ green: Int, _ blue: Int) -> UInt8 {
        UInt8((3 * red + 5 * green + 7 * blue + 11 * 255) % 64)
    }

    @Test("Every truncation gives an error or the rows that are there")
    func truncated() throws {
        let bytes = file(2, 20, (0..<40).flatMap { [0xFE, UInt8($0), 0, 0] })
        #expect(try cutEverywhere(bytes, at: 4..<bytes.count) == 20)
        #expect(decoder.failure(.bytes(file(1, 1, channels: 5, [])))?.kind == .corrupt)
    }
}

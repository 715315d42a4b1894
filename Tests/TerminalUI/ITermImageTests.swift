import SpyglassPixels
import SpyglassTestSupport
import Testing

@testable import SpyglassTerminalUI

@Suite("ITermImage")
struct ITermImageTests {
    private let cells = CellSize(clamping: 8, 4)

    private func image(_ color: (Int) -> RGBA) -> PixelBuffer {
        var image = PixelBuffer(size: PixelSize(width: 20, height: 10))
        for at in 0..<200 { image[at % 20, at / 20] = color(at) }
        return image
    }

    /// The sequences, without their introducers and terminators.
    private func sequences(_ image: PixelBuffer, png: Int, jpeg: Int, isInsideTmux: Bool = false) throws -> [String] {
        let codecs = PixelCodecs(
            png: { _ in [UInt8](repeating: UInt8(ascii: "P"), count: png) },
            jpeg: { [UInt8](repeating: UInt8($1), count: jpeg) + $0.bytes.prefix(0) })
        let bytes = try ITermImage(codecs: codecs, isInsideTmux: isInsideTmux).drawing(of: image, in: cells)
        let text = String(decoding: bytes, as: UTF8.self)
        let (start, end) =
            isInsideTmux ? ("\u{1B}Ptmux;\u{1B}\u{1B}]1337;", "\u{07}\u{1B}\\") : ("\u{1B}]1337;", "\u{07}")
        #expect(text.hasPrefix(start) && text.hasSuffix(end))
        return text.dropFirst(start.count).dropLast(end.count).split(separator: end + start).map(String.init)
    }

    private func kind(_ image: PixelBuffer, png: Int, jpeg: Int) throws -> UInt8? {
        let only = try #require(try sequences(image, png: png, jpeg: jpeg).first)
        return Base64.decoded(only.drop { $0 != ":" }.dropFirst())?.first
    }

    @Test("A photograph is a JPEG of quality 92, a graphic the smaller of both")
    func kinds() throws {
        let photo = image { RGBA(UInt8($0), UInt8(255 - $0), 9) }
        let graphic = image { $0 < 100 ? RGBA(255, 0, 0) : RGBA(0, 0, 255) }
        #expect(try kind(photo, png: 10, jpeg: 20) == 92)
        #expect(try kind(graphic, png: 10, jpeg: 20) == UInt8(ascii: "P"))
        #expect(try kind(graphic, png: 20, jpeg: 10) == 92)
    }

    @Test("Transparency is kept by PNG")
    func transparency() throws {
        let photo = image { RGBA(UInt8($0), UInt8(255 - $0), 9, $0 == 77 ? 254 : 255) }
        #expect(try kind(photo, png: 20, jpeg: 10) == UInt8(ascii: "P"))
    }

    @Test("A small file is one sequence, inline and in cells", arguments: [false, true])
    func whole(isInsideTmux: Bool) throws {
        let parts = try sequences(image { _ in RGBA(1, 2, 3) }, png: 4, jpeg: 9, isInsideTmux: isInsideTmux)
        #expect(parts == ["File=inline=1;size=4;width=8;height=4:UFBQUA=="])
    }

    @Test("A file above 750 KB is sent in parts below 1 MiB", arguments: [750_000, 750_001, 2_000_000])
    func parts(count: Int) throws {
        let parts = try sequences(image { _ in RGBA(1, 2, 3) }, png: count, jpeg: count + 1)
        #expect(parts.allSatisfy { $0.utf8.count < 1_048_576 })
        guard count > 750_000 else {
            #expect(parts.count == 1)
            return
        }
        #expect(parts.first == "MultipartFile=inline=1;size=\(count);width=8;height=4" && parts.last == "FileEnd")
        let data = parts.dropFirst().dropLast().map { Base64.decoded($0.dropFirst("FilePart=".count)) ?? [] }
        #expect(data.reduce(0) { $0 + $1.count } == count)
    }
}

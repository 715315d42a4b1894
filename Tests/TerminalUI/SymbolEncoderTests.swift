import SpyglassPixels
import SpyglassTerminalUI
import Testing

@Suite("SymbolEncoder: golden frames")
struct SymbolEncoderTests {
    /// The readable bytes of an image; each pixel is half a cell.
    private func frame(
        _ rows: [[RGBA?]], _ depth: ColorDepth = .truecolor, _ glyphs: GlyphSet = .utf8, background: RGB = .black
    ) -> String {
        var blocks = SymbolEncoder(depth: depth, glyphs: glyphs, background: background)
        return readable(blocks.encode(picture(rows.map { $0.flatMap { [$0, $0] } })))
    }

    @Test("Current colours are not sent again until the next row")
    func elision() {
        let rows: [[RGBA?]] = [
            [red, red, green, green], [blue, blue, blue, green], [red, red, red, red], [red, red, red, red],
        ]
        #expect(
            frame(rows) == """
                \\e[38;2;255;0;0;48;2;0;0;255m▀▀\\e[38;2;0;255;0m▀\\e[48;2;0;255;0m \\e[0m\\n
                \\e[48;2;255;0;0m    \\e[0m\\n

                """)
    }

    @Test("A fully transparent pixel never shows its colour")
    func hiddenColor() {
        let hidden = RGBA(200, 100, 50, 0)
        #expect(frame([[hidden], [red]]) == "\\e[38;2;255;0;0;49m▄\\e[0m\\n\n")
        #expect(frame([[hidden], [hidden]]) == "\\e[49m \\e[0m\\n\n")
    }

    @Test("Partial alpha is blended on the background in linear light")
    func partialAlpha() {
        let half = RGBA(255, 255, 255, 128)
        // 128/255 of the light is 188 in sRGB; blending the encoded values would give 128.
        #expect(frame([[half], [half]]) == "\\e[48;2;188;188;188m \\e[0m\\n\n")
        #expect(frame([[half], [half]], background: RGB(255, 255, 255)) == "\\e[48;2;255;255;255m \\e[0m\\n\n")
        #expect(frame([[half], [nil]], background: RGB(255, 0, 0)) == "\\e[38;2;255;188;188;49m▀\\e[0m\\n\n")
    }

    @Test("256 colours are sent by index, from the cube and the greys only")
    func palette256() {
        #expect(frame([[red], [blue]], .palette256) == "\\e[38;5;196;48;5;21m▀\\e[0m\\n\n")
        #expect(frame([[black], [white]], .palette256) == "\\e[38;5;16;48;5;231m▀\\e[0m\\n\n")
        let grey = RGBA(118, 118, 118)
        #expect(frame([[grey], [nil]], .palette256) == "\\e[38;5;243;49m▀\\e[0m\\n\n")
    }

    @Test("16 colours are sent as 30-37, 90-97, 40-47 and 100-107")
    func palette16() {
        #expect(frame([[red], [RGBA(0, 0, 238)]], .palette16) == "\\e[91;44m▀\\e[0m\\n\n")
        #expect(frame([[black], [white]], .palette16) == "\\e[30;107m▀\\e[0m\\n\n")
        #expect(frame([[nil], [RGBA(205, 0, 0)]], .palette16) == "\\e[31;49m▄\\e[0m\\n\n")
    }

    @Test("Without colour there is a luminance ramp without sequences")
    func ramp() {
        let greys = [0, 64, 120, 180, 255].map { RGBA($0, $0, $0) }
        #expect(frame([greys, greys], .monochrome) == " ░▒▓█\\n\n")
        #expect(frame([greys, greys], .monochrome, .ascii) == " :+#@\\n\n")
    }

    @Test("The ramp is inverted on a light background")
    func rampOnLight() {
        let greys = [0, 64, 120, 180, 255].map { RGBA($0, $0, $0) }
        #expect(frame([greys, greys], .monochrome, background: RGB(255, 255, 255)) == "█▓▒░ \\n\n")
    }

    @Test("The ramp averages in linear light; transparent cells stay blank")
    func rampMean() {
        // Half the light of white is lightness 76: the fourth of five.
        #expect(frame([[white, nil], [black, nil]], .monochrome) == "▓ \\n\n")
        #expect(frame([[nil], [nil]], .monochrome, background: RGB(255, 255, 255)) == " \\n\n")
    }

    @Test("A coloured ASCII cell is a space on the mean of its halves")
    func asciiColor() {
        #expect(frame([[white], [black]], .truecolor, .ascii) == "\\e[48;2;188;188;188m \\e[0m\\n\n")
        #expect(frame([[nil, white], [nil, nil]], .truecolor, .ascii) == "\\e[49m \\e[48;2;188;188;188m \\e[0m\\n\n")
        #expect(frame([[red], [red]], .palette16, .ascii) == "\\e[101m \\e[0m\\n\n")
    }

    @Test("Single rows are appended without newlines")
    func singleRows() {
        var blocks = SymbolEncoder(depth: .truecolor)
        let image = picture([[red], [red], [green], [blue]])
        var bytes = TerminalBytes(escaped: "x")
        blocks.append(row: 1, of: image, to: &bytes)
        #expect(readable(bytes) == "x\\e[38;2;0;255;0;48;2;0;0;255m▀\\e[0m")
    }

    @Test("Very wide and very high images are encoded", arguments: [(10_000, 1), (1, 10_001)])
    func extremeShapes(_ width: Int, _ height: Int) {
        var generator = Seeded(3)
        let size = PixelSize(width: width, height: height)
        let bytes = (0..<size.pixelCount * 4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for depth in ColorDepth.allCases {
            var blocks = SymbolEncoder(depth: depth)
            let frame = StreamModel(reading: blocks.encode(PixelBuffer(size: size, bytes: bytes)).raw)
            #expect(frame.rows.count == (height + 1) / 2)
            #expect(frame.rows.allSatisfy { $0.count == (width + 1) / 2 })
        }
    }
}

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
        for (rows, background, cell) in [
            ([[half], [half]], .black, "48;2;188;188;188m "),
            ([[half], [half]], RGB(255, 255, 255), "48;2;255;255;255m "),
            ([[half], [nil]], RGB(255, 0, 0), "38;2;255;188;188;49m▀"),
        ] as [([[RGBA?]], RGB, String)] { #expect(frame(rows, background: background) == "\\e[\(cell)\\e[0m\\n\n") }
    }

    @Test("256 colours are sent by index, 16 as 30-37, 90-97, 40-47 and 100-107")
    func palettes() {
        for (top, bottom, depth, cell) in [
            (red, blue, .palette256, "38;5;196;48;5;21m▀"), (black, white, .palette256, "38;5;16;48;5;231m▀"),
            (RGBA(118, 118, 118), nil, .palette256, "38;5;243;49m▀"),
            (red, RGBA(0, 0, 238), .palette16, "91;44m▀"), (black, white, .palette16, "30;107m▀"),
            (nil, RGBA(205, 0, 0), .palette16, "31;49m▄"),
        ] as [(RGBA?, RGBA?, ColorDepth, String)] {
            #expect(frame([[top], [bottom]], depth) == "\\e[\(cell)\\e[0m\\n\n")
        }
    }

    @Test("Without colour there is a luminance ramp, which is inverted on a light background")
    func ramp() {
        let greys = [0, 64, 120, 180, 255].map { RGBA($0, $0, $0) }
        #expect(frame([greys, greys], .monochrome) == " ░▒▓█\\n\n")
        #expect(frame([greys, greys], .monochrome, .ascii) == " :+#@\\n\n")
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

    @Test("Very wide and very high images are encoded", arguments: [(10_000, 1), (1, 10_001)])
    func extremeShapes(_ width: Int, _ height: Int) {
        var generator = Seeded(3)
        let size = PixelSize(width: width, height: height)
        let image = PixelBuffer(
            size: size, bytes: (0..<size.pixelCount * 4).map { _ in UInt8.random(in: 0...255, using: &generator) })
        for depth in ColorDepth.allCases {
            var blocks = SymbolEncoder(depth: depth)
            let frame = blocks.encode(image).raw
            #expect(frame.count { $0 == UInt8(ascii: "\n") } == (height + 1) / 2)
        }
    }
}
